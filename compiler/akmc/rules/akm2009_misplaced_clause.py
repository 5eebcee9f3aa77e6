"""A clause that does nothing where it stands."""

from collections.abc import Iterator

from akmc.document import GateStep, RouteStep, Step, WaitStep
from akmc.rules.rule import Finding, Rule
from akmc.shape import clause_word
from akmc.view import View

_PROCESS = ("timeout_ms", "retry", "recoveries", "output", "evidence", "input")


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
            return ("timeout_ms", "output")
        case RouteStep():
            return ("timeout_ms", "on")
        case _:
            return ()


def _form(step: Step) -> str:
    match step:
        case GateStep():
            return "a gate that starts no process"
        case WaitStep():
            return "a wait for a span of time"
        case _:
            return "a route"


RULE = Rule(
    code="AKM2009",
    title="A clause does nothing here",
    explanation=(
        "A clause that a step would ignore is a promise to its reader that nobody keeps. A gate on files "
        "or on a schema starts no process, a wait for a span of time ends when the span does, and a route "
        "decides at once."
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
