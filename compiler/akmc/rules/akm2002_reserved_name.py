"""A step with a name that the language needs itself."""

from collections.abc import Iterator

from akm_specs.plan import TERMINALS
from akmc.rules.rule import Finding, Rule
from akmc.view import View

RESERVED = frozenset({*TERMINALS, "params", "true", "false", "null"})


def check(view: View) -> Iterator[Finding]:
    """Steps called like a terminal, like the root of a reference or like a constant."""
    for at, step in enumerate(view.workflow.steps):
        if step.name in RESERVED:
            yield Finding(
                ("steps", at, "name"),
                f"`{step.name}` is a word of the language and cannot name a step",
                "give the step another name",
            )


RULE = Rule(
    code="AKM2002",
    title="A step's name is reserved",
    explanation=(
        "`completed`, `failed` and `cancelled` are where a run ends, `params` begins a reference to a parameter, "
        "and `true`, `false` and `null` are constants. A step of that name could never be meant."
    ),
    wrong="""\
workflow release "Build" {
  step failed: exec build { on passed -> completed }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build { on passed -> completed }
}
""",
    check=check,
)
