"""AKM4013: a type says what is not held against values."""

from collections.abc import Iterator

from akm_specs.types import BadType, check_type
from akmc.rules.rule import Finding, Rule
from akmc.types import types_in
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Types with words that mean nothing here, or with the wrong thing behind them."""
    for place, type_ in types_in(view.workflow):
        try:
            check_type(type_)
        except BadType as error:
            yield Finding((*place, *error.way), f"this is no type: {error.reason}", error.instead)


RULE = Rule(
    code="AKM4013",
    title="A type says what is not checked",
    explanation=(
        "A type is a JSON Schema that stands on its own: no `$ref`, no word that would not be held against "
        "values, no format but `akm-file`, at most 1,000 schemas, 64 levels deep. Types in `.akm` cannot say "
        "more; those that other formats write out as JSON Schemas can."
    ),
    wrong='{"type": "object", "properties": {"mail": {"type": "string", "format": "email"}}}\n',
    right='{"type": "object", "properties": {"mail": {"type": "string", "pattern": "^[^@]+@[^@]+$"}}}\n',
    check=check,
    alone=True,
    language="json",
)
