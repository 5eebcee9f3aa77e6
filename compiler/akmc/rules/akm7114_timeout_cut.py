"""A timeout above the registry's."""

from akmc.rules.rule import Rule
from akmc.surroundings import TOO_LONG

RULE = Rule(
    code=TOO_LONG,
    title="A timeout is cut to what the registry allows",
    explanation=(
        "The registry is reviewed, and a workflow may only narrow it. A format that was written without a "
        "registry in view gets what the registry allows."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    timeoutMs: 3600000
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    timeoutMs: 60000
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    severity="warning",
    language="yaml",
)
