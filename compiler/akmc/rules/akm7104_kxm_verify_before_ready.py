"""A way to `ready` that does not come from `verify`."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """`verify` without a way to `ready`, and other steps with one."""
    if not {"verify", "ready"} <= {step.id for step in workflow.steps}:
        return
    for at, step in enumerate(workflow.steps):
        leads = [outcome for outcome, line in step.on.items() if line.target == "ready"]
        if step.id == "verify" and not leads:
            yield Finding(
                ("steps", at, "on"), "step `verify` does not lead to `ready`", "add a line `passed: ready`"
            )
        for outcome in leads if step.id != "verify" else ():
            message = f"step `{step.id}` leads to `ready` past `verify`"
            yield Finding(("steps", at, "on", outcome), message, "lead to `verify`")


RULE = Rule(
    code="AKM7104",
    title="Only `verify` leads to `ready`",
    explanation=(
        "Where steps are called `verify` and `ready`, the format promises that what is ready was verified "
        "last: `verify` leads to `ready` directly, and nothing else does."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: verify
    kind: gate
    gate: check
    on: { passed: tidy }
  - id: tidy
    kind: agent
    agent: coder
    on: { passed: ready }
  - id: ready
    kind: agent
    agent: coder
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: tidy
    kind: agent
    agent: coder
    on: { passed: verify }
  - id: verify
    kind: gate
    gate: check
    on: { passed: ready }
  - id: ready
    kind: agent
    agent: coder
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    check_kxm=check,
    language="yaml",
)
