"""A panel that says twice how often an assignment is tried."""

from collections.abc import Iterator

from akmc.document import PanelStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`attempts` of `assign` beside `retry`."""
    for at, step in enumerate(view.workflow.steps):
        stated = None if not isinstance(step, PanelStep) or step.assign is None else step.assign.attempts
        if stated is not None and isinstance(step, PanelStep) and step.retry is not None:
            yield Finding(
                ("steps", at, "retry"),
                f"panel `{step.name}`: `assign` allows {stated} attempts, and `retry` {1 + step.retry.count}",
                "keep one of the two",
            )


RULE = Rule(
    code="AKM3019",
    title="Two clauses bound one number of attempts",
    explanation=(
        "`attempts` of `assign` is short for a `retry` on whatever the tools allow. Beside a `retry` that says "
        "for what reasons, it could only contradict."
    ),
    wrong="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b] { attempts 2 }
    retry 2 on rate_limited
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
    retry 2 on rate_limited
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
