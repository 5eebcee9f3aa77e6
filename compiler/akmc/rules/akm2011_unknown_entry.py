"""A tool or an agent that the registry does not have."""

from collections.abc import Iterable, Iterator

from akmc.document import AgentStep, ExecStep, GateStep, Place
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Tools and agents of steps. Without any registry, another rule speaks."""
    if view.registry_sought is not None:
        return
    for at, step in enumerate(view.workflow.steps):
        match step:
            case ExecStep(tool=str(name)) | GateStep(tool=str(name)) if name not in view.tools:
                yield _unknown(("steps", at, "tool"), step.name, "tool", name, view.tools)
            case AgentStep(agent=name) if name not in view.agents:
                yield _unknown(("steps", at, "agent"), step.name, "agent", name, view.agents)
            case _:
                pass


def _unknown(place: Place, step: str, kind: str, name: str, known: Iterable[str]) -> Finding:
    message = f"step `{step}`: the registry has no {kind} `{name}`"
    return Finding(place, message, instead_of(name, known, f"{kind}s"))


RULE = Rule(
    code="AKM2011",
    title="The registry has no such entry",
    explanation=(
        "A workflow only names tools and agents. What they are, and what a lost outcome of theirs means, "
        "stands in the registry."
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
