"""More than anyone would write."""

from akmc.rules.rule import Rule
from akmc.yaml.findings import LIMIT

_DEEP = "description: " + "[" * 65 + "]" * 65 + "\n"

RULE = Rule(
    code=LIMIT,
    title="The text is larger than any workflow",
    explanation=(
        "A document has at most 1 MiB, 64 levels, 16384 values, 8192 keys, 4096 entries in one list or "
        "mapping, and 64 KiB in one scalar; `kxm.workflow.v1` has at most 256 KiB. Reading stops where there "
        "is more."
    ),
    wrong=_DEEP,
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
