"""A wait that only the run's end ends."""

from akmc.kxm.findings import UNTIMED
from akmc.rules.rule import Rule

RULE = Rule(
    code=UNTIMED,
    title="A wait has no timeout of its own",
    explanation=(
        "The format lets approvals and waits stand without a timeout. Such a step expires when the run's time "
        "is over."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: watch
    kind: wait
    signal: ci
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: watch
    kind: wait
    signal: ci
    timeoutMs: 3600000
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    severity="warning",
    language="yaml",
)
