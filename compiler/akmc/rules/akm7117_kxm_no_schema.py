"""A YAML file of some other kind."""

from akmc.kxm.findings import NO_SCHEMA
from akmc.rules.rule import Rule

RULE = Rule(
    code=NO_SCHEMA,
    title="The file is in no format that is read here",
    explanation=(
        "A YAML source says in its first key what it is: a workflow, `kxm.workflow.v1`, or a registry of "
        "gates, `kxm.gate-registry.v1`. No other version is read as if it were one of these."
    ),
    wrong="""\
schema: kxm.workflow.v2
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    language="yaml",
)
