"""A tool or an agent that the registry does not have."""

from collections.abc import Iterable, Iterator

from akmc.document import AgentStep, DeliverStep, ExecStep, GateStep, JudgeStep, MapStep, PanelStep, Place, Step
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of

_PLURALS = {"tool": "tools", "agent": "agents", "repository": "repositories"}


def check(view: View) -> Iterator[Finding]:
    """Tools, agents and repositories of steps. Without any registry, another rule speaks."""
    if view.registry_sought is not None:
        return
    for at, step in enumerate(view.workflow.steps):
        known = {"tool": view.tools, "agent": view.agents, "repository": view.repositories}
        for place, kind, name in _named(step):
            if name not in known[kind]:
                yield _unknown(("steps", at, *place), step.name, kind, name, known[kind])


def _named(step: Step) -> Iterator[tuple[Place, str, str]]:
    """What `step` names of the registry: the place within the step, the kind of entry, the name."""
    match step:
        case ExecStep(tool=str(name)) | GateStep(tool=str(name)) | MapStep(tool=str(name)):
            yield ("tool",), "tool", name
        case AgentStep(agent=str(name)) | JudgeStep(agent=str(name)) | MapStep(agent=str(name)):
            yield ("agent",), "agent", name
        case PanelStep():
            agents = () if step.assign is None else step.assign.agents
            yield from ((("assign", "agents", at), "agent", name) for at, name in enumerate(agents))
        case DeliverStep():
            yield from ((("repositories", at), "repository", name) for at, name in enumerate(step.repositories))
        case _:
            pass
    if step.gate is not None and step.gate.judge is not None:
        yield ("gate", "judge"), "agent", step.gate.judge


def _unknown(place: Place, step: str, kind: str, name: str, known: Iterable[str]) -> Finding:
    message = f"step `{step}`: the registry has no {kind} `{name}`"
    return Finding(place, message, instead_of(name, known, _PLURALS[kind]))


RULE = Rule(
    code="AKM2011",
    title="The registry has no such entry",
    explanation=(
        "A workflow only names tools, agents and repositories. What they are, and what a lost outcome of theirs "
        "means, stands in the registry."
    ),
    wrong="""\
workflow release "Check" {
  step check: gate chek { on passed -> completed }
}
""",
    right="""\
workflow release "Check" {
  step check: gate check { on passed -> completed }
}
""",
    check=check,
)
