"""A step that no run can come to."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Steps that no path from the first one reaches."""
    reached = view.flow.distances()
    for at, step in enumerate(view.workflow.steps):
        if view.flow.whole and step.name not in reached:
            yield Finding(
                ("steps", at, "name"),
                f"no outcome leads to step `{step.name}` from the start",
                f"lead an outcome to `{step.name}`, or take the step out",
            )


RULE = Rule(
    code="AKM3007",
    title="A step cannot be reached",
    explanation=(
        "A run begins with the first step and goes where outcomes lead. A step that none leads to is a "
        "leftover, or an outcome leads to the wrong place."
    ),
    wrong="""\
workflow release "Build and check" {
  step build: exec build { on passed -> completed }
  step check: gate check { on passed -> completed }
}
""",
    right="""\
workflow release "Build and check" {
  step build: exec build { on passed -> check }
  step check: gate check { on passed -> completed }
}
""",
    check=check,
)
