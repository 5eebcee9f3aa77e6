"""A gate's outcome in a spelling that is none."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from akmc.registry import Registry
from akmc.rules.rule import Finding, Rule

if TYPE_CHECKING:
    from akmc.kxm import keys


_SPELLINGS = {"implementation_failure": "implementation-failure", "repro_missing": "repro-missing"}


def check(workflow: "keys.Workflow", registry: Registry) -> Iterator[Finding]:
    """Outcomes of gates that are spelled with an underscore."""
    for at, step in enumerate(workflow.steps):
        for outcome in step.on if step.kind == "gate" else ():
            if outcome in _SPELLINGS:
                message = f"step `{step.id}`: a gate has no outcome `{outcome}`"
                yield Finding(("steps", at, "on", outcome), message, f"write `{_SPELLINGS[outcome]}`")


RULE = Rule(
    code="AKM7103",
    title="A gate has no outcome of this spelling",
    explanation=(
        "A gate ends with `passed`, and otherwise with `implementation-failure` or, where it expects a "
        "failure, with `repro-missing`. With underscores these would be other outcomes, which no gate ever "
        "has."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
      implementation_failure: { target: $terminal, terminalStatus: failed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
      implementation-failure: { target: $terminal, terminalStatus: failed }
""",
    check_kxm=check,
    language="yaml",
)
