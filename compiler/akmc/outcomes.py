"""Which outcomes a step can produce (source: step kinds in docs/reference/language.md)."""

from akmc.document import (
    AgentStep,
    ApprovalStep,
    ExecStep,
    GateStep,
    RouteStep,
    Step,
    WaitStep,
)

#: What ends the run `failed` where the author wrote no line for it.
DEFAULTED = ("failed", "timed_out")
#: Outcomes that only the engine may give: no exit code and no reply selects them.
ENGINE_ONLY = ("timed_out", "expired", "skipped", "cancelled")
#: The branch of a route that is taken when no other is.
OTHERWISE = "otherwise"


def outcomes_of(step: Step) -> tuple[str, ...]:
    """Every outcome that `step` can produce, each once."""
    match step:
        case ExecStep():
            found = ("passed", "failed", "timed_out", *(each.outcome for each in step.exits))
        case GateStep():
            found = ("passed", "failed")
        case AgentStep():
            found = (*(each.outcome for each in step.on), "failed", "timed_out")
        case ApprovalStep():
            found = ("passed", "rejected", "expired")
        case WaitStep():
            found = ("passed",) if step.signal is None else ("passed", "expired")
        case RouteStep():
            found = tuple(branch_outcome(branch.when) for branch in step.branches)
            if OTHERWISE not in found:
                found = (*found, "failed")  # a value that is not there, such as an index beyond a list's end
    return tuple(dict.fromkeys(found))


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
    return outcome not in DEFAULTED and outcome not in ENGINE_ONLY
