"""A budget that nobody can keep, or in a currency that nobody counts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """A ceiling for costs that is nothing, or in any other currency."""
    limits = workflow.limits
    if limits.maxModelCost is not None and limits.maxModelCost <= 0:
        yield Finding(
            ("limits", "maxModelCost"), "a budget must be more than 0", "write how many USD a run may cost"
        )
    if limits.maxModelCost is not None and limits.currency not in (None, "USD"):
        message = f"a budget in `{limits.currency}` cannot be compared with costs in USD"
        yield Finding(("limits", "currency"), message, "write the budget in USD")


RULE = Rule(
    code="AKM7109",
    title="A budget is no amount of US dollars",
    explanation=(
        "Agents report what they cost in US dollars. A ceiling in another currency could not be compared with that."
    ),
    wrong="""\
schema: kxm.workflow.v1
limits: { maxModelCost: 40, currency: EUR }
steps:
  - id: write
    kind: agent
    agent: coder
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
limits: { maxModelCost: 40, currency: USD }
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
