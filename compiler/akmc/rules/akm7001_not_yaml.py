"""Text that YAML cannot be read from."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import NOT_YAML

RULE = Rule(
    code=NOT_YAML,
    title="This is not YAML",
    explanation=(
        "Reading stops at the first place that fits nothing. The fault is there, or just before it: a quote "
        "that is not closed, a colon inside a plain text, or an indentation that belongs to nothing."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    description: check: all of it
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    description: "check: all of it"
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    language="yaml",
)
