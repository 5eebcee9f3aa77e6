"""An outcome that leads nowhere."""

from collections.abc import Iterator

from akmc.document import AgentStep, RouteStep
from akmc.outcomes import DEFAULTED, ENGINE_ONLY, outcomes_of
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import nearest


def check(view: View) -> Iterator[Finding]:
    """Producible outcomes without a line, defaulted ones excepted, and those that a misspelt line may mean."""
    for at, step in enumerate(view.workflow.steps):
        if isinstance(step, RouteStep):
            continue
        outcomes = outcomes_of(step)
        handled = {line.outcome for line in step.on}
        handled |= {nearest(outcome, outcomes) or outcome for outcome in handled.difference(outcomes)}
        for outcome in outcomes:
            if outcome not in handled and outcome not in DEFAULTED:
                yield Finding(
                    ("steps", at, "name"),
                    f"step `{step.name}` can end with `{outcome}`, and no line says where that leads",
                    f"add `on {outcome} -> STEP`",
                )
        if isinstance(step, AgentStep) and not set(outcomes).difference(DEFAULTED, ENGINE_ONLY):
            yield Finding(
                ("steps", at, "name"),
                f"agent step `{step.name}` has no outcome but failure",
                "add a line such as `on passed -> completed`",
            )


RULE = Rule(
    code="AKM2005",
    title="An outcome is not handled",
    explanation=(
        "Only `failed` and `timed_out` have a default: they end the run as failed. Every other outcome "
        "that a step can produce needs a line that says where it leads. An agent has the outcomes of its "
        "lines, so it needs at least one."
    ),
    wrong="""\
workflow release "Sign off" {
  step approve: approval {
    by leads
    timeout 1d
    on passed  -> completed
    on expired -> cancelled
  }
}
""",
    right="""\
workflow release "Sign off" {
  step approve: approval {
    by leads
    timeout 1d
    on passed   -> completed
    on rejected -> failed
    on expired  -> cancelled
  }
}
""",
    check=check,
)
