"""A step that must not be passed by."""

from collections.abc import Iterator

from akmc.document import ApprovalStep, GateStep, RouteStep, Step
from akmc.properties import required_steps
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """`skip` on decisions, on checks, and on what a property relies on."""
    required = required_steps(view.workflow)
    for at, step in enumerate(view.workflow.steps):
        why = None if step.skip is None else _refused(step, required)
        if why is not None:
            message = f"step `{step.name}` cannot be skipped: {why}"
            yield Finding(("steps", at, "skip"), message, "lead around it by a `route`, or take `skip` out")


def _refused(step: Step, required: frozenset[str]) -> str | None:
    match step:
        case ApprovalStep():
            return "it is a person's decision"
        case GateStep():
            return "it is a check"
        case RouteStep():
            return "it decides where the run goes on"
        case _ if step.gate is not None:
            return "what it makes has to be judged"
        case _ if step.name in required:
            return "a `require` names it"
        case _:
            return None


RULE = Rule(
    code="AKM3023",
    title="A step must not be skipped",
    explanation=(
        "Approvals, gates, steps with a `gate` of their own, and steps that a `require` wants to be gone through "
        "are there to be passed, not passed by. Where one of them depends on a value, a `route` says so in the "
        "flow."
    ),
    wrong="""\
workflow release "Check, then upload" {
  param urgent: boolean
  step check: gate check {
    skip when params.urgent is true
    on passed  -> upload
    on skipped -> upload
  }
  step upload: exec upload { on passed -> completed }
}
""",
    right="""\
workflow release "Check, then upload" {
  param urgent: boolean
  step how: route params.urgent {
    when true  -> upload
    when false -> check
  }
  step check: gate check { on passed -> upload }
  step upload: exec upload { on passed -> completed }
}
""",
    check=check,
)
