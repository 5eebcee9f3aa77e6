"""A tab where YAML wants spaces."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import TAB

RULE = Rule(
    code=TAB,
    title="A tab cannot indent",
    explanation=("How wide a tab is, every editor decides for itself. YAML indents with spaces only."),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
\t\tkind: gate
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
