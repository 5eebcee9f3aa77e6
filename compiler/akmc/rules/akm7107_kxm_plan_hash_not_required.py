"""A step that writes past an approved plan."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Registry
from akmc.rules.rule import EXAMPLE_REGISTRY, Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Steps behind the plan's that may write a repository and do not require the plan."""
    stage = None if workflow.planHash is None else workflow.planHash.stageId
    behind = False
    for at, step in enumerate(workflow.steps):
        writes = "write" in (step.repositories or {}).values()
        if behind and writes and step.id not in workflow.requirePlanHash:
            message = f"step `{step.id}` may write a repository and does not require the plan"
            yield Finding(("steps", at, "repositories"), message, f"add `{step.id}` to `requirePlanHash`")
        behind = behind or step.id == stage


_REGISTRY = (
    EXAMPLE_REGISTRY
    + """\
agent writer { tool model, scope { write [app] } }
repository app { directory "." }
"""
)

RULE = Rule(
    code="AKM7107",
    title="A step that writes does not require the plan",
    explanation=(
        "Behind the step whose plan is fixed, every step that may write a repository is listed in "
        "`requirePlanHash`, so that it cannot pass when the plan changed."
    ),
    wrong="""\
schema: kxm.workflow.v1
planHash: { stageId: plan, evidenceKey: outline }
steps:
  - id: plan
    kind: agent
    agent: coder
    requiredEvidence: [{ key: outline, kind: artifact }]
    on: { passed: work }
  - id: work
    kind: agent
    agent: writer
    repositories: { app: write }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
planHash: { stageId: plan, evidenceKey: outline }
requirePlanHash: [work]
steps:
  - id: plan
    kind: agent
    agent: coder
    requiredEvidence: [{ key: outline, kind: artifact }]
    on: { passed: work }
  - id: work
    kind: agent
    agent: writer
    repositories: { app: write }
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    registry=_REGISTRY,
    language="yaml",
)
