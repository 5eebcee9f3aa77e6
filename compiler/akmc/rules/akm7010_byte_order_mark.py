"""An invisible character at the start."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import BYTE_ORDER_MARK

_TEXT = """\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: { target: $terminal, terminalStatus: completed }
"""

RULE = Rule(
    code=BYTE_ORDER_MARK,
    title="The file begins with a byte order mark",
    explanation=("It is no part of the text, and tools disagree whether the first line begins before or after it."),
    wrong="\ufeff" + _TEXT,
    right=_TEXT,
    language="yaml",
)
