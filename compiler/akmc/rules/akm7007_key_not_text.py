"""A key that is no text."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import KEY_NOT_TEXT

RULE = Rule(
    code=KEY_NOT_TEXT,
    title="A key is a text",
    explanation=(
        "`true`, `null` and numbers are no names, and neither is a list or a mapping. `no`, `on` and `yes` "
        "are texts here."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      true: { target: $terminal, terminalStatus: completed }
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
