"""A join that no panel of this size can satisfy."""

from collections.abc import Iterator

from akmc.bounds import target
from akmc.document import PanelStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Joins that want more to pass than can be done."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, PanelStep) or step.assign is None or step.join is None:
            continue
        passed, most = step.join.passed, target(step.assign)["value"]
        if passed is not None and passed > most:
            yield Finding(
                ("steps", at, "join", "passed"),
                f"panel `{step.name}`: {passed} have to pass, and at most {most} can",
                f"write {most} or less, or assign more",
            )


RULE = Rule(
    code="AKM3014",
    title="A join can never hold",
    explanation=(
        "No more assignments can pass than are assigned at once: one that is made later stands in for one that "
        "was refused."
    ),
    wrong="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    join settled pass 3
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b]
    join settled pass 2
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
