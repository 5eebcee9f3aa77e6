"""A panel with fewer agents than seats."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Registry
from akmc.rules.rule import EXAMPLE_REGISTRY, Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Panels that may have more members than their pool has agents."""
    for at, step in enumerate(workflow.steps):
        if step.kind != "moa" or step.assignments is None:
            continue
        bounds = step.assignments
        most = bounds.maximum or bounds.target or bounds.minimum or 1
        pool = bounds.allowedAgents or [step.agent or ""]
        if most > len(pool):
            message = f"step `{step.id}` may have {most} members, and its pool has {len(pool)}"
            yield Finding(
                ("steps", at, "assignments"), message, "add agents to `allowedAgents`, or lower `maximum`"
            )


_REGISTRY = EXAMPLE_REGISTRY + "agent critic { tool model }\n"

RULE = Rule(
    code="AKM7106",
    title="A panel is larger than its pool",
    explanation=("The members of a `moa` step judge independently, so each of them is another agent."),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: moa
    agent: coder
    assignments: { allowedAgents: [coder], target: 2 }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: moa
    agent: coder
    assignments: { allowedAgents: [coder, critic], target: 2 }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    registry=_REGISTRY,
    language="yaml",
)
