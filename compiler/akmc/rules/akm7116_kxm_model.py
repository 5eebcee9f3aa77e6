"""A model that the registry's agents do not have."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Agent, Registry
from akmc.rules.rule import EXAMPLE_REGISTRY, Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Selectors that no agent of the step meets."""
    agents = {each.name: each for each in registry.agents}
    for at, step in enumerate(workflow.steps):
        if step.model is None:
            continue
        written = None if step.assignments is None else step.assignments.allowedAgents
        pool = [agents[name] for name in written or [step.agent or ""] if name in agents]
        if pool and not any(_meets(step.model, agent) for agent in pool):
            message = f"step `{step.id}`: none of its agents has this model"
            yield Finding(("steps", at, "model"), message, "name a model that the registry gives to one of them")


def _meets(selector: "keys.Selector", agent: Agent) -> bool:
    if selector.provider is not None:
        stated = (agent.provider or selector.provider, agent.model or selector.model)
        return stated == (selector.provider, selector.model)
    return agent.model == (selector.profile or selector.tag)


_REGISTRY = EXAMPLE_REGISTRY + 'agent thinker { tool model, model "deep" }\n'

RULE = Rule(
    code="AKM7116",
    title="No agent of the step has this model",
    explanation=(
        "Which model an agent uses stands in the registry. A step's `model` only says what its agents must "
        "be: `provider` and `model` as their entries say, or `profile` and `tag` as the name of a model of "
        "theirs. `capabilities` are not looked at."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: coder
    model: { tag: deep }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: thinker
    model: { tag: deep }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    registry=_REGISTRY,
    language="yaml",
)
