"""An agent outside of its step's pool."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.document import Place
from akmc.registry import Registry
from akmc.rules.rule import EXAMPLE_REGISTRY, Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """A primary agent, or an eligible producer, that the step does not allow."""
    for at, step in enumerate(workflow.steps):
        written = None if step.assignments is None else step.assignments.allowedAgents
        allowed = written or ([step.agent] if step.agent is not None else [])
        if step.agent is not None and step.agent not in allowed:
            yield _outside(("steps", at, "agent"), step.id, step.agent)
        for index, evidence in enumerate(step.requiredEvidence):
            eligible = [] if evidence.producerPolicy is None else evidence.producerPolicy.eligibleAgents
            place: Place = ("steps", at, "requiredEvidence", index, "producerPolicy", "eligibleAgents")
            for position, name in enumerate(eligible):
                if allowed and name not in allowed:
                    yield _outside((*place, position), step.id, name)


def _outside(place: Place, step: str, agent: str) -> Finding:
    message = f"step `{step}`: `{agent}` is not one of its `allowedAgents`"
    return Finding(place, message, f"add `{agent}` to `allowedAgents`, or name one of them")


_REGISTRY = EXAMPLE_REGISTRY + "agent critic { tool model }\n"

RULE = Rule(
    code="AKM7105",
    title="An agent is not among those allowed",
    explanation=(
        "`allowedAgents` is the pool of a step. The step's own agent, and those that may produce its "
        "evidence, belong to it."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: coder
    assignments: { allowedAgents: [critic] }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: coder
    assignments: { allowedAgents: [coder, critic], maximum: 2 }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    registry=_REGISTRY,
    language="yaml",
)
