"""A key that stands twice."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import DUPLICATE_KEY

RULE = Rule(
    code=DUPLICATE_KEY,
    title="A key stands twice in one mapping",
    explanation=(
        "Most readers keep one of the two and do not say which. Keys are compared in Unicode's form C, as "
        "people see them."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    gate: build
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
