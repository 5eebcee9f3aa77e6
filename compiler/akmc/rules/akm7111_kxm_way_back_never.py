"""A way back that no run can take."""

from akmc.kxm.findings import NEVER_TAKEN
from akmc.rules.rule import Rule

RULE = Rule(
    code=NEVER_TAKEN,
    title="A way back ends the run: it can never be taken",
    explanation=(
        "`maxAttempts` bounds all entries of a step and is 1 where nothing is written. A way back to such a "
        "step, or one behind which no transition is left, fails the run in this format. The plan says so "
        "plainly."
    ),
    wrong="""\
schema: kxm.workflow.v1
limits: { maxTransitions: 4 }
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
      implementation-failure: { target: check, maxTransitions: 2 }
""",
    right="""\
schema: kxm.workflow.v1
limits: { maxTransitions: 4 }
steps:
  - id: check
    kind: gate
    gate: check
    maxAttempts: 3
    on:
      passed: { target: $terminal, terminalStatus: completed }
      implementation-failure: { target: check, maxTransitions: 2 }
""",
    severity="warning",
    language="yaml",
)
