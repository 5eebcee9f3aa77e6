"""A panel in which one agent would answer twice."""

from collections.abc import Iterator

from akmc.bounds import target
from akmc.document import PanelStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Pools with fewer agents than are assigned at once."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, PanelStep) and step.assign is not None:
            at_once, pool = target(step.assign)["value"], len(step.assign.agents)
            if pool < at_once:
                yield Finding(
                    ("steps", at, "assign", "agents"),
                    f"panel `{step.name}` assigns {at_once} at once, and its pool has {pool}",
                    "add agents to the pool, or assign fewer",
                )


RULE = Rule(
    code="AKM3013",
    title="A panel's pool is too small",
    explanation=(
        "Those that are assigned at once are different agents: one that is asked twice gives no second opinion. "
        "Only those that stand in for an agent that refused may be asked again."
    ),
    wrong="""\
workflow review "Ask three critics" {
  step review: panel {
    assign 2..3 of [critic_a, critic_b]
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow review "Ask three critics" {
  step review: panel {
    assign 2..3 of [critic_a, critic_b, coder]
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
