"""A document behind the first."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import SECOND_DOCUMENT

RULE = Rule(
    code=SECOND_DOCUMENT,
    title="A file holds one document",
    explanation=("What stands behind a second `---` would be read by nobody."),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
---
schema: kxm.workflow.v1
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
