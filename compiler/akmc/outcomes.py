"""Which outcomes a step can produce (source: step kinds in docs/reference/language.md)."""

from akm_specs.plan import WITHOUT_OUTPUT
from akmc.document import (
    AgentStep,
    ApprovalStep,
    ChildStep,
    DeliverStep,
    ExecStep,
    GateStep,
    JudgeStep,
    MapStep,
    PanelStep,
    RouteStep,
    Step,
    WaitStep,
)

#: What ends the run `failed` where the author wrote no line for it.
DEFAULTED = ("failed", "timed_out")
#: Outcomes that only the engine may give: no exit code and no reply selects them.
ENGINE_ONLY = ("timed_out", "expired", "skipped", "cancelled", "quorum_not_met")
#: The branch of a route that is taken when no other is.
OTHERWISE = "otherwise"


def outcomes_of(step: Step) -> tuple[str, ...]:
    """Every outcome that `step` can produce, each once."""
    found = _of_kind(step)
    return tuple(dict.fromkeys(found if step.skip is None else (*found, "skipped")))


def _of_kind(step: Step) -> tuple[str, ...]:
    match step:
        case ExecStep():
            return ("passed", "failed", "timed_out", *(each.outcome for each in step.exits))
        case GateStep() | MapStep() | JudgeStep():
            return ("passed", "failed")
        case AgentStep():
            return (*_declared(step), "failed", "timed_out")
        case PanelStep():
            return (*_declared(step), "passed", "failed", "quorum_not_met")
        case ApprovalStep():
            return ("passed", "rejected", "expired")
        case WaitStep():
            return ("passed",) if step.signal is None else ("passed", "expired")
        case ChildStep():
            return ("completed", "failed", "cancelled")
        case DeliverStep():
            return ("passed", "partial", "failed")
        case RouteStep():
            branches = tuple(branch_outcome(branch.when) for branch in step.branches)
            # A value that is not there, such as an index beyond a list's end, selects `otherwise` or nothing.
            return branches if OTHERWISE in branches else (*branches, "failed")


def _declared(step: AgentStep | PanelStep) -> tuple[str, ...]:
    """The words of its own that an agent may answer with."""
    return tuple(each.outcome for each in step.on if each.outcome != "skipped")


def branch_outcome(when: str | int | bool | None) -> str:
    """The outcome that a route's branch is called by: the text of its value."""
    match when:
        case None:
            return OTHERWISE
        case bool():
            return "true" if when else "false"
        case _:
            return str(when)


def carries_output(outcome: str) -> bool:
    """Whether a step that ends with `outcome` has its declared output.

    `failed` is also the end of what never started or answered nonsense, so it promises nothing.
    """
    return outcome not in WITHOUT_OUTPUT
