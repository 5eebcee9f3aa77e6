"""A way back to a step that may not be entered again."""

from collections.abc import Iterator

from akmc.bounds import attempts
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Back edges to a step with one attempt, which every path to the edge has used up."""
    if not view.flow.whole:
        return
    ran = view.flow.left_before(lambda edge: True)
    for edge in view.flow.edges:
        if edge.back and attempts(view.steps[edge.target])["value"] < 2:
            entered_before = edge.target == edge.source or edge.target in ran.get(edge.source, ())
            if entered_before:
                yield Finding(
                    edge.place,
                    f"`{edge.outcome}` leads back to `{edge.target}`, which may be entered only once",
                    f"give step `{edge.target}` at least `attempts 2`, or take the way back out",
                )


RULE = Rule(
    code="AKM3003",
    title="A way back can never be taken: too few attempts",
    explanation=(
        "`attempts` bounds all entries of a step. A way back to a step that every path has entered "
        "already needs at least two, or it is a loop that only looks like one."
    ),
    wrong="""\
workflow release "Check until it passes" {
  limits { transitions 5 }
  step check: gate check {
    on passed -> completed
    on failed -> check max 2
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
