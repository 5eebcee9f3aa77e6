"""A run with a loop and no budget of transitions."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """The first back edge, where the limits say nothing."""
    back = next((edge for edge in view.flow.edges if edge.back), None)
    if back is not None and view.workflow.limits.transitions is None:
        yield Finding(
            back.place,
            f"`{back.outcome}` leads back to `{back.target}`, and no limit bounds the run's transitions",
            "add `limits { transitions N }` before the first step",
        )


RULE = Rule(
    code="AKM3002",
    title="A workflow with a loop has no budget of transitions",
    explanation=(
        "Where any outcome leads back, `limits { transitions N }` has to say how many transitions the "
        "whole run may take."
    ),
    wrong="""\
workflow release "Check until it passes" {
  step check: gate check {
    attempts 3
    on passed -> completed
    on failed -> check max 2
  }
}
""",
    right="""\
workflow release "Check until it passes" {
  limits { transitions 3 }
  step check: gate check {
    attempts 3
    on passed -> completed
    on failed -> check max 2
  }
}
""",
    check=check,
)
