"""A replay of work whose outcome was lost and cannot be known."""

from collections.abc import Iterator

from akmc.bounds import RECOVERABLE, effect
from akmc.document import WorkStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`recover` above 0 on a tool whose class forbids it."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, WorkStep) or not step.recoveries:
            continue
        tool = next((tool for tool in view.tools_of(step) if effect(tool) not in RECOVERABLE), None)
        if tool is not None:
            yield Finding(
                ("steps", at, "recoveries"),
                f"step `{step.name}` would replay tool `{tool.name}`, whose effect is `{effect(tool)}`",
                "take `recover` out, or declare in the registry what the tool's effect really is",
            )


RULE = Rule(
    code="AKM3010",
    title="Work of unknown outcome would be replayed",
    explanation=(
        "`recover` lets a new attempt replace one whose outcome was lost. That is safe only where the "
        "effect's class gives a way to tell, never for `unknown` and `external_non_idempotent`."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    recover 1
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec upload {
    recover 1
    on passed -> completed
  }
}
""",
    check=check,
)
