"""What people and other processes send to a run: decisions, signals, cancel requests.

Each is taken once, in order, and leaves a record, also when it is refused.
"""

from akm.kernel import step_end
from akm.kernel.draft import Draft
from akm.kernel.observation import CancelAsked, CommandUnread, DecisionGiven, SignalGiven
from akm_specs.canonical import Json
from akm_specs.plan import Plan, SignalStep
from akm_specs.types import violation

#: Signals that may wait for their step, so that an early one is kept and a flood is refused.
SIGNALS_MAX = 100


def decision_given(draft: Draft, given: DecisionGiven) -> None:
    """One decision of one authorised person on what was shown; anything else is refused."""
    problem = _decision_problem(draft, given)
    data: dict[str, Json] = {
        "number": given.number,
        "approve": given.approve,
        "by": given.by,
        "reason": given.reason,
        "shown": given.shown,
    }
    if problem is not None:
        draft.fact("decision.refused", given.step_attempt, **data, problem=problem)
        return
    draft.fact("decision.recorded", given.step_attempt, **data)
    step_end.propose(draft, "passed" if given.approve else "rejected", decided_by=given.by)


def _decision_problem(draft: Draft, given: DecisionGiven) -> str | None:
    active = draft.state.active
    if active is None or active.id != given.step_attempt or active.status != "waiting":
        return "no decision on this step attempt is pending"
    step = draft.step
    if step["kind"] != "approval":
        return "this step is no approval"
    if draft.state.ending is not None:
        return "the run is ending"
    if active.due_ms is not None and draft.at_ms >= active.due_ms:
        return "the approval has expired"
    if given.by not in step["by"]:
        return f"{given.by} may not decide here; {', '.join(step['by'])} may"
    if given.shown != active.shown:
        return "the decision is bound to something else than what is shown now"
    return None


def signal_problem(plan: Plan, name: str, data: Json) -> str | None:
    """Why no wait of `plan` can take this signal, or None."""
    waits = [step for step in plan["steps"] if step["kind"] == "wait" and step["wait"] == "signal"]
    types = [step["output"] for step in waits if _is_for(step, name)]
    if not types:
        known = sorted({step["signal"] for step in waits if step["wait"] == "signal"})
        return f"no step waits for signal {name!r}; this plan knows: {', '.join(known) or 'none'}"
    broken = [violation(schema, data) if schema is not None else None for schema in types]
    return None if None in broken else f"its data does not fit: {broken[0]}"


def _is_for(step: SignalStep, name: str) -> bool:
    return step["signal"] == name


def signal_given(draft: Draft, given: SignalGiven) -> None:
    """Keep a signal until its step waits for it; `advance` consumes it."""
    problem = signal_problem(draft.plan, given.name, given.data)
    if problem is None and len(draft.state.signals) >= SIGNALS_MAX:
        problem = f"{SIGNALS_MAX} signals wait already"
    data: dict[str, Json] = {"number": given.number, "name": given.name, "data": given.data}
    if problem is not None:
        draft.fact("signal.refused", draft.state.run, **data, problem=problem)
    else:
        draft.fact("signal.received", draft.state.run, **data)


def command_unread(draft: Draft, unread: CommandUnread) -> None:
    """Record what came too late."""
    draft.fact("command.unread", draft.state.run, number=unread.number, kind=unread.kind, body=unread.body)


def cancel_asked(draft: Draft, asked: CancelAsked) -> None:
    """Record the request; from here on nothing new is dispatched."""
    if draft.state.ending is not None:
        return
    message = asked.reason or "cancelled on request"
    draft.fact("cancel.requested", draft.state.run, code="cancel_requested", message=message, by=asked.by)
    if draft.state.status in ("running", "waiting", "blocked_uncertain"):
        draft.run("begin_cancel")
