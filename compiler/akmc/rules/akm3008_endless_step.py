"""A step from which a run can never end."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Steps from which no written path reaches a terminal."""
    ending = view.flow.ending()
    for at, step in enumerate(view.workflow.steps):
        if view.flow.whole and step.name not in ending:
            yield Finding(
                ("steps", at, "name"),
                f"no sequence of written outcomes leads from step `{step.name}` to an end of the run",
                "lead one of them to `completed`, `failed` or `cancelled`",
            )


RULE = Rule(
    code="AKM3008",
    title="A step leads to no end",
    explanation=(
        "From every step, some sequence of written outcomes has to lead to `completed`, `failed` or `cancelled`. "
        "A loop that only a budget or a failure can end is no way to end."
    ),
    wrong="""\
workflow release "Wait and wait" {
  limits { transitions 5 }
  step pause: wait 10m {
    attempts 5
    on passed -> pause max 4
  }
}
""",
    right="""\
workflow release "Wait" {
  step pause: wait 10m { on passed -> completed }
}
""",
    check=check,
)
