"""Every limit of a source and of what is made of it. The table in docs/reference/language.md is made from it."""

from dataclasses import dataclass

from akm_specs.nesting import DEPTH_MAX
from akm_specs.patterns import PATTERN_LENGTH_MAX
from akm_specs.plan import PLAN_BYTES_MAX
from akm_specs.types import SCHEMAS_MAX
from akmc.careful import FINDINGS_MAX, NESTING_MAX, WORDS_MAX
from akmc.document import ASSIGNMENTS_MAX, ITEMS_MAX, NAME_LENGTH_MAX, STEPS_MAX, TEXT_LENGTH_MAX
from akmc.pipeline import FINDINGS_OF_A_RULE_MAX
from akmc.source import SOURCE_BYTES_MAX


@dataclass(frozen=True, slots=True)
class Limit:
    """One row of the table."""

    what: str
    most: int
    unit: str = ""


LIMITS = (
    Limit("a file", SOURCE_BYTES_MAX, "bytes"),
    Limit("words and signs of a file", WORDS_MAX),
    Limit("brackets, and `list of`, within one another", NESTING_MAX),
    Limit("a name", NAME_LENGTH_MAX, "characters"),
    Limit("a text", TEXT_LENGTH_MAX, "characters"),
    Limit("a pattern", PATTERN_LENGTH_MAX, "characters"),
    Limit("schemas within one type", SCHEMAS_MAX),
    Limit("steps", STEPS_MAX),
    Limit("assignments of a panel", ASSIGNMENTS_MAX),
    Limit("items of a map", ITEMS_MAX),
    Limit("workflows within one another", DEPTH_MAX),
    Limit("a plan, all children included", PLAN_BYTES_MAX, "bytes"),
    Limit("syntax errors before reading stops", FINDINGS_MAX),
    Limit("findings of one rule before it stops", FINDINGS_OF_A_RULE_MAX),
)


def limits_table() -> str:
    """The limits as a Markdown table."""
    rows = [f"| {each.what} | {f'{each.most:,} {each.unit}'.strip()} |" for each in LIMITS]
    return "\n".join(["| What | At most |", "|---|---|", *rows]) + "\n"
