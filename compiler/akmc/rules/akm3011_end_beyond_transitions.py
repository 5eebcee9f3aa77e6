"""A budget of transitions that ends before the workflow can."""

from collections.abc import Iterator

from akm_specs.plan import TERMINALS
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """The least number of transitions to a terminal by a declared edge, against the budget."""
    budget, distances = view.workflow.limits.transitions, view.flow.distances()
    if budget is None or not view.flow.whole:
        return
    ends = [edge for edge in view.flow.edges if edge.origin == "declared" and edge.target in TERMINALS]
    needed = min((distances[edge.source] + 1 for edge in ends if edge.source in distances), default=0)
    if budget < needed:
        yield Finding(
            ("limits", "transitions"),
            f"{budget} transitions end before any written end, which takes at least {needed}",
            f"write `transitions {needed}` or more",
        )


RULE = Rule(
    code="AKM3011",
    title="Too few transitions to reach an end",
    explanation=(
        "Where the shortest way to any terminal that the author wrote is longer than `limits { "
        "transitions N }`, a run could only fail."
    ),
    wrong="""\
workflow release "Build and check" {
  limits { transitions 1 }
  step build: exec build { on passed -> check }
  step check: gate check { on passed -> completed }
}
""",
    right="""\
workflow release "Build and check" {
  limits { transitions 2 }
  step build: exec build { on passed -> check }
  step check: gate check { on passed -> completed }
}
""",
    check=check,
)
