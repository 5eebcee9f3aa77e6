"""A key that the format does not have."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import UNKNOWN_KEY

RULE = Rule(
    code=UNKNOWN_KEY,
    title="No such key",
    explanation=(
        "What a format does not know, it would silently ignore. A slip in a key's name would then leave out "
        "what it was meant to say."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    maxAttempt: 2
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    maxAttempts: 2
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    language="yaml",
)
