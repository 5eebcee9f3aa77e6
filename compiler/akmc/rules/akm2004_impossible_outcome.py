"""A line for an outcome that can never come."""

from collections.abc import Iterator

from akmc.document import RouteStep
from akmc.outcomes import outcomes_of
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Outcomes with a line that the step's kind does not have. A route has branches instead of outcomes."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, RouteStep):
            continue
        producible = outcomes_of(step)
        for index, line in enumerate(step.on):
            if line.outcome not in producible:
                yield Finding(
                    ("steps", at, "on", index, "outcome"),
                    f"step `{step.name}` cannot end with `{line.outcome}`",
                    instead_of(line.outcome, producible, "outcomes"),
                )


RULE = Rule(
    code="AKM2004",
    title="A step cannot end with this outcome",
    explanation=(
        "Each kind of step has its own outcomes. A line for another one would never be taken, and whoever "
        "reads it would rely on it."
    ),
    wrong="""\
workflow release "Check" {
  step check: gate check {
    on passed   -> completed
    on rejected -> cancelled
  }
}
""",
    right="""\
workflow release "Check" {
  step check: gate check {
    on passed -> completed
    on failed -> cancelled
  }
}
""",
    check=check,
)
