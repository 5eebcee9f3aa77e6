"""A panel whose numbers do not go together."""

from collections.abc import Iterator

from akmc.bounds import maximum, target
from akmc.document import Assign, PanelStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Bounds of `assign` that exceed one another."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, PanelStep) and step.assign is not None:
            for member, why in _exceeding(step.assign):
                message = f"panel `{step.name}`: {why}"
                yield Finding(("steps", at, "assign", member), message, "write numbers that rise")


def _exceeding(assign: Assign) -> Iterator[tuple[str, str]]:
    at_once, most = target(assign)["value"], maximum(assign)["value"]
    if assign.minimum > at_once:
        yield "minimum", f"of {at_once} that are assigned, {assign.minimum} can never be done"
    if at_once > most:
        yield "maximum", f"{at_once} are assigned at once, and at most {most} in all"
    if assign.parallel is not None and assign.parallel > most:
        yield "parallel", f"{assign.parallel} cannot work at the same time where at most {most} are assigned"


RULE = Rule(
    code="AKM3012",
    title="A panel's bounds exceed one another",
    explanation=(
        "`assign MINIMUM..TARGET of POOL { maximum N, parallel N }`: the target is assigned at once, more only "
        "where an agent refuses to work, up to the maximum. So the minimum is at most the target, and the target "
        "and `parallel` are at most the maximum."
    ),
    wrong="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 1..2 of [critic_a, critic_b] { parallel 3 }
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 1..2 of [critic_a, critic_b] { parallel 2 }
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
