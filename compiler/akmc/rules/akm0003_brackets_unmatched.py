"""AKM0003: brackets do not match."""

from akmc.rules.rule import Rule
from akmc.syntax_findings import BRACKETS_UNMATCHED

RULE = Rule(
    code=BRACKETS_UNMATCHED,
    title="Brackets do not match",
    explanation=(
        "Every `{` needs its `}`, every `[` its `]`. When a `step`, a `param` or another part begins before an "
        "earlier block is closed, or a closing bracket stands further left than the line that it closes, the "
        "finding points at the bracket that is still open."
    ),
    wrong="""\
workflow tidy "Checks the package" {
  step check: gate check {
    timeout 10m
    on passed -> completed
}
""",
    right="""\
workflow tidy "Checks the package" {
  step check: gate check {
    timeout 10m
    on passed -> completed
  }
}
""",
)
