"""A repository that the registry does not have, at a step whose scope is left out."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Repositories of steps that no agent does. Those of the others, the rules for every scope look at."""
    known = {each.name for each in registry.repositories}
    for at, step in enumerate(workflow.steps):
        for name in step.repositories or {} if step.kind not in ("agent", "moa") else ():
            if name not in known:
                message = f"step `{step.id}`: the registry has no repository `{name}`"
                yield Finding(("steps", at, "repositories", name), message, f"remove `{name}`, or declare it there")


RULE = Rule(
    code="AKM7119",
    title="There is no such repository",
    explanation=(
        "The repositories of a step that no agent does have no effect. A name that nobody knows is a slip all "
        "the same."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: test
    kind: gate
    gate: check
    repositories: { app: read }
    on:
      passed: { target: $terminal, terminalStatus: completed }
      implementation-failure: { target: $terminal, terminalStatus: failed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: test
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
      implementation-failure: { target: $terminal, terminalStatus: failed }
""",
    check_kxm=check,
    language="yaml",
)
