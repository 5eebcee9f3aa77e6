"""A retry of work that must not be repeated."""

from collections.abc import Iterator

from akmc.bounds import RETRYABLE, effect
from akmc.document import WorkStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import listed


def check(view: View) -> Iterator[Finding]:
    """Reasons other than `spawn_failed`, by the class of the step's tool."""
    for at, step in enumerate(view.workflow.steps):
        tool = view.tool_of(step)
        if tool is None or not isinstance(step, WorkStep) or step.retry is None or effect(tool) in RETRYABLE:
            continue
        unsafe = sorted(set(step.retry.on) - {"spawn_failed"})
        if unsafe:
            effect_of = f"whose effect is `{effect(tool)}`"
            yield Finding(
                ("steps", at, "retry"),
                f"step `{step.name}` retries tool `{tool.name}`, {effect_of}, on {listed(unsafe)}",
                "retry only on `spawn_failed`, or declare in the registry what the tool's effect really is",
            )


RULE = Rule(
    code="AKM3009",
    title="Work that may have had an effect is retried",
    explanation=(
        "What ran and failed may have had half its effect. Only tools of the classes `read_only`, "
        "`external_idempotent` and `receipt_queryable` may be tried again after that; any tool may be "
        "tried again when it never started."
    ),
    wrong="""\
workflow release "Build" {
  step build: exec build {
    retry 2 on failed
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Build" {
  step build: exec build {
    retry 2 on spawn_failed
    on passed -> completed
  }
}
""",
    check=check,
)
