"""A pattern that cannot be matched."""

from collections.abc import Iterator

from akm_specs.types import bad_patterns
from akmc.rules.rule import Finding, Rule
from akmc.types import types_in
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Every pattern of every type."""
    for place, type_ in types_in(view.workflow):
        for way, error in bad_patterns(type_):
            yield Finding((*place, *way), f"this pattern cannot be matched: {error.reason}", error.instead)


RULE = Rule(
    code="AKM4008",
    title="A pattern cannot be matched",
    explanation=(
        "`matching` takes a regular expression as RE2 reads it: matching takes linear time, whatever the text. "
        "So there is no looking ahead or behind (`(?=`, `(?!`) and no reference back (`\\1`). A pattern matches "
        "anywhere unless `^` and `$` bind it; they are the start and the end of the whole text. `\\d`, `\\w` and "
        "`\\s` hold ASCII alone."
    ),
    wrong="""\
workflow release "Build" {
  param version: string matching "[0-9"
  step build: exec build {
    with { version: params.version }
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  param version: string matching "^[0-9]+$"
  step build: exec build {
    with { version: params.version }
    on passed -> completed
  }
}
""",
    check=check,
)
