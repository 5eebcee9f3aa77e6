"""A value that would stand in several places."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import ANCHOR

RULE = Rule(
    code=ANCHOR,
    title="Anchors and aliases are not read",
    explanation=(
        "What a step does stands at the step. An anchor would change it from somewhere else, and a few lines "
        "of aliases can stand for more text than any machine holds."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: &gate check
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
