"""A pattern that is no regular expression."""

import re
from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.types import types_in
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Every pattern of every type."""
    for place, type_ in types_in(view.workflow):
        pattern = type_.get("pattern")
        try:
            re.compile(str(pattern or ""))
        except (re.error, OverflowError, RecursionError) as error:
            yield Finding(place, f"`{pattern}` is no regular expression: {error}", "mend the pattern")


RULE = Rule(
    code="AKM4008",
    title="A pattern is no regular expression",
    explanation=(
        "`matching` takes a regular expression as Python's `re` reads it. It matches anywhere in the text "
        "unless `^` and `$` bind it."
    ),
    wrong="""\
workflow release "Build" {
  param version: string matching "[0-9"
  step build: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Build" {
  param version: string matching "^[0-9]+$"
  step build: exec build { on passed -> completed }
}
""",
    check=check,
)
