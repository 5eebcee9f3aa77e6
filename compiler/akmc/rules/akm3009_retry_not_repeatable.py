"""A retry of work that must not be repeated."""

from collections.abc import Iterator

from akmc.bounds import RETRY_ON_REFUSED, RETRYABLE, effect
from akmc.document import WorkStep
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import listed


def check(view: View) -> Iterator[Finding]:
    """Reasons that do not prove that nothing was done, by the class of the step's tools."""
    for at, step in enumerate(view.workflow.steps):
        if not isinstance(step, WorkStep) or step.retry is None:
            continue
        unsafe = sorted(set(step.retry.on) - set(RETRY_ON_REFUSED))
        tool = next((tool for tool in view.tools_of(step) if effect(tool) not in RETRYABLE), None)
        if tool is not None and unsafe:
            effect_of = f"whose effect is `{effect(tool)}`"
            yield Finding(
                ("steps", at, "retry"),
                f"step `{step.name}` retries tool `{tool.name}`, {effect_of}, on {listed(unsafe)}",
                "retry on `spawn_failed` or `rate_limited` only, or declare the tool's real effect in the registry",
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
