"""Agents in a pool that are never asked."""

from collections.abc import Iterator

from akmc.bounds import maximum
from akmc.document import PanelStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import listed


def check(view: View) -> Iterator[Finding]:
    """Agents beyond the panel's maximum."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, PanelStep) and step.assign is not None:
            most = maximum(step.assign)["value"]
            idle = step.assign.agents[most:]
            if idle:
                yield Finding(
                    ("steps", at, "assign", "agents", most),
                    f"panel `{step.name}` assigns at most {most}, so {listed(idle)} will never be asked",
                    "take them out, or let them stand in for others by `{ maximum N }`",
                )


RULE = Rule(
    code="AKM3020",
    title="Some of a pool is never asked",
    explanation=(
        "Agents are asked in the order of the pool, at most as many as `maximum` says. Whoever stands behind that "
        "is a name without a meaning."
    ),
    wrong="""\
workflow review "Ask a critic" {
  step review: panel {
    assign 1 of [critic_a, critic_b]
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow review "Ask a critic" {
  step review: panel {
    assign 1 of [critic_a, critic_b] { maximum 2 }
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
    severity="warning",
)
