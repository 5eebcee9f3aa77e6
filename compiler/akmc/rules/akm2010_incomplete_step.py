"""A step that lacks what makes it one."""

from collections.abc import Iterator

from akmc.document import AgentStep, ApprovalStep, GateStep, RouteStep, Step
from akmc.rules.rule import Finding, Rule
from akmc.view import View


def check(view: View) -> Iterator[Finding]:
    """Steps without the clause that their kind is about."""
    for at, step in enumerate(view.workflow.steps):
        needed = _missing(step)
        if needed is not None:
            yield Finding(("steps", at, "name"), f"step `{step.name}` has no {needed[0]}", needed[1])


def _missing(step: Step) -> tuple[str, str] | None:
    match step:
        case AgentStep(prompt=None | ""):
            return "prompt", 'add `prompt "..."`'
        case ApprovalStep(by=()):
            return "one who may decide", "add `by PERSON` or `by GROUP`"
        case RouteStep(branches=()):
            return "branch", "add `when VALUE -> STEP` or `otherwise -> STEP`"
        case GateStep(tool=None, value=None, artifacts=()):
            return "file to look for", 'name one, as in `gate artifacts_exist ["dist/package.whl"]`'
        case _:
            return None


RULE = Rule(
    code="AKM2010",
    title="A step is incomplete",
    explanation=(
        "An agent step needs a prompt, an approval somebody who may decide, a route at least one branch, "
        "and a gate on files at least one file."
    ),
    wrong="""\
workflow release "Sign off" {
  step approve: approval {
    timeout 1d
    on passed   -> completed
    on rejected -> failed
    on expired  -> cancelled
  }
}
""",
    right="""\
workflow release "Sign off" {
  step approve: approval {
    by alice
    timeout 1d
    on passed   -> completed
    on rejected -> failed
    on expired  -> cancelled
  }
}
""",
    check=check,
)
