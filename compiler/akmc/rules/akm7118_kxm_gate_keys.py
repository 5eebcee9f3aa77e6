"""A gate whose keys do not fit its kind."""

from akmc.kxm.findings import GATE_KEYS
from akmc.rules.rule import Rule

RULE = Rule(
    code=GATE_KEYS,
    title="A gate's keys do not fit its kind",
    explanation=(
        "A `command` has `argv` and `timeoutMs`, an `artifacts-exist` gate has `paths`, and a `reserved` one "
        "has neither. A command is a program that is looked for, or the whole path of one."
    ),
    wrong="""\
schema: kxm.gate-registry.v1
gates:
  tests:
    kind: command
    argv: [npm, test]
""",
    right="""\
schema: kxm.gate-registry.v1
gates:
  tests:
    kind: command
    argv: [npm, test]
    timeoutMs: 600000
""",
    language="yaml",
)
