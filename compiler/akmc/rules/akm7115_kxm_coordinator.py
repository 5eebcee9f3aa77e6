"""A coordinator that the registry does not have."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule
from akmc.wording import instead_of

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """A coordinator that is neither an agent nor a group."""
    known = [*(each.name for each in registry.agents), *(each.name for each in registry.groups)]
    name = workflow.coordinator
    if name is not None and name not in known:
        yield Finding(("coordinator",), f"the registry has no agent `{name}`", instead_of(name, known, "agents"))


RULE = Rule(
    code="AKM7115",
    title="There is no such coordinator",
    explanation=(
        "`coordinator` names an agent of the registry, or a group of people. It is also who decides the "
        "workflow's approvals."
    ),
    wrong="""\
schema: kxm.workflow.v1
coordinator: boss
steps:
  - id: write
    kind: agent
    agent: coder
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
coordinator: coder
steps:
  - id: write
    kind: agent
    agent: coder
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    language="yaml",
)
