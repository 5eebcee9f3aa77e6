"""Keys that would come from somewhere else."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import MERGE_KEY

RULE = Rule(
    code=MERGE_KEY,
    title="Keys are not merged",
    explanation=("`<<` takes the keys of another mapping in, without a trace where they are used."),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    <<: { maxAttempts: 2 }
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
