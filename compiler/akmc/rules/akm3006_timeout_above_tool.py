"""A step that gives a tool more time than its registry entry does."""

from collections.abc import Iterator

from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import duration_text


def check(view: View) -> Iterator[Finding]:
    """Timeouts above the one that the tool declares."""
    for at, step in enumerate(view.workflow.steps):
        for tool in view.tools_of(step):
            if tool.timeout_ms is None or step.timeout_ms is None or step.timeout_ms <= tool.timeout_ms:
                continue
            most = duration_text(tool.timeout_ms)
            yield Finding(
                ("steps", at, "timeout_ms"),
                f"step `{step.name}` gives tool `{tool.name}` {duration_text(step.timeout_ms)}, its entry {most}",
                f"write `timeout {most}` or less, or change the registry",
            )


RULE = Rule(
    code="AKM3006",
    title="A step widens its tool's timeout",
    explanation=("The registry is reviewed, and a workflow may only narrow it."),
    wrong="""\
workflow release "Check" {
  step check: gate check {
    timeout 1h
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Check" {
  step check: gate check {
    timeout 5m
    on passed -> completed
  }
}
""",
    check=check,
)
