"""A type of the author's choice."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import TAG

RULE = Rule(
    code=TAG,
    title="Tags are not read",
    explanation=(
        "A plain scalar is a number, `true`, `false` or `null` where JSON says so, and otherwise a text. "
        "Quotes make it a text in any case. Nothing else decides about types."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: !!str check
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
