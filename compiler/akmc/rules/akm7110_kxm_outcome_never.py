"""A line for an outcome that never comes."""

from akmc.kxm.findings import NEVER_PRODUCED
from akmc.rules.rule import Rule

RULE = Rule(
    code=NEVER_PRODUCED,
    title="A line is left out: the step has no such outcome",
    explanation=(
        "The format lets a step list outcomes that its kind never ends with. Such a line changes nothing, so "
        "a plan has no place for it. A line that would complete the run by such an outcome is an error: "
        "whoever wrote it counts on it."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
      blocked: { target: $terminal, terminalStatus: failed }
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
    severity="warning",
    language="yaml",
)
