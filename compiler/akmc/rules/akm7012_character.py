"""A character that YAML may not hold."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import CHARACTER

RULE = Rule(
    code=CHARACTER,
    title="A character cannot stand here",
    explanation=(
        "Control characters cannot be seen, and U+0085, U+2028 and U+2029 end a line for some readers and not "
        "for others. Between double quotes each of them can be written as an escape."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check # the suite\u2028    maxAttempts: 9
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
