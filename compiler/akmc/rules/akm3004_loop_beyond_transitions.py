"""A way back that the budget of transitions ends before."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Back edges whose shortest path, with the edge itself, uses the budget up."""
    budget = view.workflow.limits.transitions
    if budget is None or not view.flow.whole:
        return
    distances = view.flow.distances()
    for edge in view.flow.edges:
        if edge.back and edge.source in distances and budget <= distances[edge.source] + 1:
            needed = distances[edge.source] + 2
            yield Finding(
                edge.place,
                f"`{edge.outcome}` leads back to `{edge.target}`, after which {budget} transitions are used up",
                f"write `transitions {needed}` or more in `limits`, or take the way back out",
            )


RULE = Rule(
    code="AKM3004",
    title="A way back can never be taken: too few transitions",
    explanation=(
        "Every transition counts against `limits { transitions N }`, also the last one, to a terminal. A "
        "way back after which none is left could only end the run for want of budget."
    ),
    wrong="""\
workflow release "Build and check" {
  limits { transitions 2 }
  step build: exec build {
    attempts 2
    on passed -> check
  }
  step check: gate check {
    attempts 2
    on passed -> completed
    on failed -> build max 1
  }
}
""",
    right="""\
workflow release "Build and check" {
  limits { transitions 4 }
  step build: exec build {
    attempts 2
    on passed -> check
  }
  step check: gate check {
    attempts 2
    on passed -> completed
    on failed -> build max 1
  }
}
""",
    check=check,
)
