"""A key that has no meaning here."""

from akmc.kxm.findings import LEFT_OUT
from akmc.rules.rule import Rule

RULE = Rule(
    code=LEFT_OUT,
    title="A key is left out",
    explanation=(
        "What the format says here has no counterpart in a plan. Nothing becomes possible by leaving it out "
        "that the registry does not allow."
    ),
    wrong="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: coder
    aliases: [write-it]
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    right="""\
schema: kxm.workflow.v1
steps:
  - id: write
    kind: agent
    agent: coder
    on:
      passed: { target: $terminal, terminalStatus: completed }
""",
    severity="warning",
    language="yaml",
)
