"""A line end of a third kind."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import LINE_END

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
    code=LINE_END,
    title="A carriage return stands alone",
    explanation=(
        "Lines end with LF or with CRLF. Where a carriage return stands alone, one editor shows a new line "
        "and another one does not, and with it a comment ends or goes on."
    ),
    wrong=_TEXT.replace("    gate", "    # the suite\r    gate"),
    right=_TEXT,
    language="yaml",
)
