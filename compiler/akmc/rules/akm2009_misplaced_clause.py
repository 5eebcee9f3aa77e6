"""A clause that does nothing where it stands."""

from collections.abc import Iterator

from akmc.document import ApprovalStep, ChildStep, ExecStep, GateStep, JudgeStep, MapStep, RouteStep, Step, WaitStep
from akmc.rules.rule import Finding, Rule
from akmc.shape import clause_word
from akmc.view import View

_PROCESS = ("timeout_ms", "retry", "recoveries", "output", "input", "isolation", "scope")


def check(view: View) -> Iterator[Finding]:
    """Clauses of the document that the step's form has no use for."""
    for at, step in enumerate(view.workflow.steps):
        for member in _unused(step):
            if getattr(step, member, None) not in (None, ()):
                yield Finding(
                    ("steps", at, member),
                    f"step `{step.name}`: `{clause_word(member)}` does nothing in {_form(step)}",
                    "take the clause out",
                )


def _unused(step: Step) -> tuple[str, ...]:
    match step:
        case GateStep(tool=None):
            return _PROCESS
        case WaitStep(signal=None):
            return ("timeout_ms", "output", "requires")
        case WaitStep() | ApprovalStep():
            return ("requires",)
        case RouteStep():
            return ("timeout_ms", "on", "requires")
        case ExecStep() | GateStep():
            return ("scope",)
        case MapStep(agent=None):
            return ("prompt", "reads", "scope")
        case MapStep(tool=None):
            return ("input",)
        case JudgeStep():
            return ("output",)
        case ChildStep():
            return ("timeout_ms",)
        case _:
            return ()


def _form(step: Step) -> str:
    match step:
        case GateStep(tool=None):
            return "a gate that starts no process"
        case ExecStep() | GateStep():
            return "a step that no agent does"
        case WaitStep(signal=None):
            return "a wait for a span of time"
        case WaitStep() | ApprovalStep():
            return "a step that waits and so cannot fail"
        case MapStep(agent=None):
            return "a map that runs a tool"
        case MapStep():
            return "a map that runs an agent"
        case JudgeStep():
            return "a judge, which leaves its verdict behind"
        case ChildStep():
            return "a child workflow, whose own limits bound it"
        case _:
            return "a route"


RULE = Rule(
    code="AKM2009",
    title="A clause does nothing here",
    explanation=(
        "A clause that a step would ignore is a promise to its reader that nobody keeps. A gate on files "
        "or on a schema starts no process, a wait for a span of time ends when the span does, a route "
        "decides at once, a scope is for agents, and a judge's output is its verdict."
    ),
    wrong="""\
workflow release "Pause" {
  step pause: wait 10m {
    timeout 1h
    on passed -> completed
  }
}
""",
    right="""\
workflow release "Pause" {
  step pause: wait 10m {
    on passed -> completed
  }
}
""",
    check=check,
)
