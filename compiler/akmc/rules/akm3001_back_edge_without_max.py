"""A way back that may be taken any number of times."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Back edges without `max`."""
    for edge in view.flow.edges:
        if edge.back and edge.maximum is None:
            yield Finding(
                edge.place,
                f"step `{edge.source}`: `{edge.outcome}` leads back to `{edge.target}` without a `max`",
                f"add `max N`, as in `{edge.target} max 2`",
            )


RULE = Rule(
    code="AKM3001",
    title="A way back has no bound",
    explanation=(
        "An outcome that leads to the same step or to an earlier one makes a loop. How often it may be "
        "taken has to be written behind it."
    ),
    wrong="""\
workflow release "Check until it passes" {
  limits { transitions 5 }
  step check: gate check {
    attempts 3
    on passed -> completed
    on failed -> check
  }
}
""",
    right="""\
workflow release "Check until it passes" {
  limits { transitions 5 }
  step check: gate check {
    attempts 3
    on passed -> completed
    on failed -> check max 2
  }
}
""",
    check=check,
)
