"""A line that changes how the rest is read."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import DIRECTIVE

RULE = Rule(
    code=DIRECTIVE,
    title="Directives are not read",
    explanation=(
        "`%YAML` and `%TAG` change what the same text means. There is one profile here, and no way to leave it."
    ),
    wrong="""\
%YAML 1.1
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
