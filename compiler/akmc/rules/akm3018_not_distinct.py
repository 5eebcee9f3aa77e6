"""A panel whose pool cannot keep its agents distinct."""

from collections.abc import Iterator

from akm_specs.plan import Distinction
from akmc.bounds import seats
from akmc.document import PanelStep
from akmc.registry import Agent
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Each `distinct` beside every agent that may be asked. A pool that is too small is another rule's."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, PanelStep) and step.assign is not None:
            names = seats(step.assign)
            agents = [view.agents[name] for name in names if name in view.agents]
            for index, what in enumerate(step.assign.distinct if len(agents) == len(names) else ()):
                alike = _alike(agents, what)
                if alike is not None:
                    message = f"panel `{step.name}` is to be distinct in {what}, but {alike}"
                    advice = "choose other agents, lower `maximum`, or say less"
                    yield Finding(("steps", at, "assign", "distinct", index), message, advice)


def _alike(agents: list[Agent], what: Distinction) -> str | None:
    """Two of `agents` that do not differ, or one of whom nothing is known."""
    first: dict[str, str] = {}
    for agent in agents:
        value = _value(agent, what)
        if value is None:
            return f"the registry names no {what} of `{agent.name}`"
        if value in first:
            other = first[value]
            return f"`{other}` " + ("may be asked twice" if other == agent.name else f"and `{agent.name}` are not")
        first[value] = agent.name
    return None


def _value(agent: Agent, what: Distinction) -> str | None:
    match what:
        case "agent":
            return agent.name
        case "provider":
            return agent.provider
        case "model":
            return agent.model
        case "tool":
            return agent.tool


RULE = Rule(
    code="AKM3018",
    title="A pool cannot keep its agents distinct",
    explanation=(
        "`distinct` holds for whoever may be asked, those that stand in included: as many agents as `maximum` "
        "says, the pool from its beginning again where it is shorter. Two of them must differ in what it names, "
        "and an agent of which the registry does not say it cannot be told from another one."
    ),
    wrong="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, coder] { distinct provider }
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    right="""\
workflow review "Ask two critics" {
  step review: panel {
    assign 2 of [critic_a, critic_b] { distinct provider }
    prompt "Is the change sound?"
    on passed         -> completed
    on quorum_not_met -> failed
  }
}
""",
    check=check,
)
