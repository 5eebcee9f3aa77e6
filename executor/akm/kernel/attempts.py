"""The life of a physical attempt: dispatch, end, loss, and what its end means for its assignment and effect.

Fence: intent and ids are recorded before anything starts (`dispatch`); only a recorded end advances (`ended`).
A lost outcome is decided by the effect's class, never guessed.
"""

from akm.kernel import ceilings, outcome
from akm.kernel.draft import Draft, HardStop
from akm.kernel.inputs import idempotency_key, receipt_query
from akm.kernel.observation import AttemptEnded, AttemptLost, AttemptReattached, UsageSeen
from akm.kernel.state import Attempt, Result
from akm.kernel.units import Unit
from akm_specs.canonical import Json, JsonObject

#: Classes whose effect may simply happen again.
REPEATABLE = frozenset({"read_only", "external_idempotent"})
#: Classes for which a process that we stopped ourselves leaves nothing to prove: repeating is harmless, or
#: the effect stays inside the run's own workspace.
CONTAINED = REPEATABLE | {"workspace_mutation"}

#: What proves that a lost attempt has done nothing, beside the class of its effect and a receipt query.
BY_COMPARISON = "workspace"

_REASONS = {"passed": None, "failed": "failed", "timed_out": "timeout"}


def dispatch(draft: Draft, assignment_id: str, served: JsonObject) -> None:
    """Record the intent of the next physical attempt of an accepted assignment; `served`: by which session."""
    unit = draft.unit(assignment_id)
    number = draft.state.assignments[assignment_id].attempts + 1
    attempt = f"{assignment_id}/{number}"
    draft.birth("attempt", attempt, assignment=assignment_id, number=number, began_ms=draft.at_ms)
    effect_data: JsonObject = {
        "class": unit.tool["effect"],
        "key": idempotency_key(draft.state.run, assignment_id, unit.tool_name),
        "receipt_query": unit.tool["receipt"],
    }
    draft.birth("effect", attempt, **effect_data)
    draft.move("assignment", assignment_id, "dispatch", attempt=attempt, **served)
    draft.move("attempt", attempt, "start")


def ended(draft: Draft, end: AttemptEnded) -> None:
    """The process was seen to end. Late news of an attempt that is over changes nothing."""
    attempt = _at_work(draft, end.attempt)
    if attempt is None:
        return
    if end.survivors:
        block(draft, attempt, "processes of it could not be stopped", survivors=list(end.survivors))
        return
    if end.never_started is not None:
        _never_started(draft, attempt, end)
        return
    if end.stored is not None:
        _prove(draft, attempt, end.stored)
    _admit(draft, attempt)
    effect_class = draft.state.effects[attempt.id].effect_class
    if draft.stopping and end.stopped:
        _stopped(draft, attempt, effect_class)
    elif _cut_short(end) and effect_class == "external_non_idempotent":
        how = "stopped at its timeout" if end.timed_out else f"killed by signal {end.signal}"
        block(draft, attempt, f"it was {how}, and may have acted")
    else:
        _observed(draft, attempt, end)


def reattached(draft: Draft, seen: AttemptReattached) -> None:
    """Its driver is gone, its supervisor is not: the same attempt goes on."""
    attempt = _at_work(draft, seen.attempt)
    if attempt is not None:
        _prove(draft, attempt, seen.supervisor)
        draft.move("attempt", attempt.id, "execute")
        draft.move("assignment", attempt.assignment, "execute", attempt=attempt.id)


def used(draft: Draft, seen: UsageSeen) -> None:
    """Count what an attempt says that it has used so far; past a ceiling it is stopped. Raises HardStop."""
    attempt = _at_work(draft, seen.attempt)
    if attempt is None:
        return
    told = outcome.usage_of(seen.usage)
    tokens, cost = max(told.tokens, attempt.tokens), max(told.cost_microdollars, attempt.cost_microdollars)
    if (tokens, cost) == (attempt.tokens, attempt.cost_microdollars):
        return
    draft.fact("usage.seen", attempt.id, tokens=tokens, cost_microdollars=cost)
    over = ceilings.overspent(draft.plan, draft.state)
    if over is not None and draft.state.ending is None:
        raise HardStop(over)


def _prove(draft: Draft, attempt: Attempt, supervisor: JsonObject) -> None:
    """It was lost sight of, and its own supervisor is found."""
    draft.move("attempt", attempt.id, "lose", cause="crash")
    draft.move("assignment", attempt.assignment, "reattach", attempt=attempt.id)
    draft.move("attempt", attempt.id, "reattach", supervisor=supervisor)
    if draft.state.effects[attempt.id].status == "intent_recorded":
        draft.move("effect", attempt.id, "dispatch")


def lost(draft: Draft, observed: AttemptLost) -> None:
    """Nobody saw the end, and it may have acted: decided by the effect's class."""
    attempt = _at_work(draft, observed.attempt)
    if attempt is None:
        return
    draft.move("attempt", attempt.id, "lose", cause=observed.cause)
    if draft.state.effects[attempt.id].status == "intent_recorded":
        draft.move("effect", attempt.id, "dispatch")
    unit = draft.unit(attempt.assignment)
    if observed.survivors:
        block(draft, attempt, "processes of it could not be stopped", survivors=list(observed.survivors))
    elif unit.tool["receipt"] is not None:
        pass  # `pending` asks the receipt query next
    elif unit.tool["effect"] == "read_only" or (repeatable(unit) and _recoverable(draft, attempt.assignment)):
        replace_lost(draft, attempt, {"lost": observed.cause, "by": "class"})
    elif unit.tool["effect"] == "workspace_mutation" and observed.changed == ():
        replace_lost(draft, attempt, {"lost": observed.cause, "by": BY_COMPARISON})
    else:
        _block_lost(draft, attempt, observed)


def _block_lost(draft: Draft, attempt: Attempt, observed: AttemptLost) -> None:
    lost_how = f"its outcome was lost ({observed.cause})"
    if repeatable(draft.unit(attempt.assignment)):
        block(draft, attempt, f"{lost_how}, and no recovery is left")
    elif observed.changed:
        block(draft, attempt, f"{lost_how}, and the workspace has changed", changed=list(observed.changed))
    else:
        block(draft, attempt, f"{lost_how}, and its class allows no repeat")


def repeatable(unit: Unit) -> bool:
    """Whether the work may simply be done again; edits in a worktree of their own are gone with it."""
    isolated = unit.isolation == "worktree" and unit.tool["effect"] == "workspace_mutation"
    return isolated or unit.tool["effect"] in REPEATABLE


def _at_work(draft: Draft, attempt_id: str) -> Attempt | None:
    """The attempt, as long as nothing is known of its end."""
    attempt = draft.state.attempts.get(attempt_id)
    if attempt is None or attempt.status not in ("starting", "executing"):
        return None
    return attempt if draft.state.effects[attempt.id].status in ("intent_recorded", "dispatched") else None


def replace_lost(draft: Draft, attempt: Attempt, why: JsonObject) -> None:
    """Settle a lost attempt that may safely be repeated, and ask for another within the compiled bound."""
    settle_effect(draft, attempt, why)
    settle_attempt(draft, attempt, end="lost")
    assignment = draft.state.assignments[attempt.assignment]
    if draft.stopping:
        draft.move("assignment", assignment.id, "cancel", attempt=attempt.id)
    elif _recoverable(draft, assignment.id):
        draft.move("assignment", assignment.id, "retry", reason="lost", attempt=attempt.id)
    else:
        _execute(draft, attempt)
        record(draft, attempt, outcome.result("failed", code="recoveries_exhausted"))


def _recoverable(draft: Draft, assignment_id: str) -> bool:
    """Whether the bound allows another attempt in the place of a lost one, or nothing new starts anyway."""
    bound = draft.unit(assignment_id).dispatch["recoveries"]["value"]
    return draft.stopping or draft.state.assignments[assignment_id].lost < bound


def finish(draft: Draft, attempt: Attempt, found: Result, receipt: Json) -> None:
    """The result is known and its receipt too: settle everything, or retry as the policy allows."""
    settle_effect(draft, attempt, {"receipt": receipt})
    settle_attempt(draft, attempt, found.metered, end="observed")
    _execute(draft, attempt)
    reason = _retry_reason(draft, attempt, found)
    if reason is not None:
        spent: JsonObject = {"tokens": found.tokens, "cost_microdollars": found.cost_microdollars}
        draft.move("assignment", attempt.assignment, "retry", reason=reason, attempt=attempt.id, **spent)
    else:
        record(draft, attempt, found)


def record(draft: Draft, attempt: Attempt, found: Result) -> None:
    """Store the result of an assignment and close it."""
    draft.move("assignment", attempt.assignment, "record_result", result=outcome.as_data(found))
    draft.move("assignment", attempt.assignment, "settle")


def settle_attempt(draft: Draft, attempt: Attempt, metered: bool = False, **data: Json) -> None:
    """Its end is known: settle it and close it. Of an agent's, what it took counts, and whether it was metered."""
    unit = draft.unit(attempt.assignment)
    if unit.agent is not None:
        data["took_ms"] = min(draft.at_ms - attempt.began_ms, unit.timeout_ms)
        data["metered"] = metered or attempt.tokens > 0 or attempt.cost_microdollars > 0
    draft.move("attempt", attempt.id, "settle", **data)
    draft.move("attempt", attempt.id, "end")


def settle_effect(draft: Draft, attempt: Attempt, receipt: JsonObject) -> None:
    """Account for the effect: observed, receipt recorded, settled."""
    if draft.state.effects[attempt.id].status != "observed":
        draft.move("effect", attempt.id, "observe", **receipt)
    draft.move("effect", attempt.id, "record_receipt", **receipt)
    draft.move("effect", attempt.id, "settle")


def block(draft: Draft, attempt: Attempt, why: str, **tried: Json) -> None:
    """Stop at what cannot be proven; a person's resolution goes on from here."""
    effect = draft.state.effects[attempt.id]
    last = effect.status
    if effect.status == "intent_recorded":
        draft.move("effect", attempt.id, "dispatch")
    if draft.state.attempts[attempt.id].status == "starting":
        draft.move("attempt", attempt.id, "lose")
    unit = draft.unit(attempt.assignment)
    record_data: JsonObject = {
        "step": draft.active.step,
        "assignment": attempt.assignment,
        "attempt": attempt.id,
        "class": effect.effect_class,
        "tool": unit.tool_name,
        "why": why,
        "last_state": last,
        "query": receipt_query(draft.plan, draft.state, unit),
        "tried": tried,
        "resolutions": list(outcome.resolutions(unit)),
    }
    draft.move("effect", attempt.id, "block", **record_data)
    draft.move("attempt", attempt.id, "block")
    draft.move("assignment", attempt.assignment, "block", effect=attempt.id)


def _admit(draft: Draft, attempt: Attempt) -> None:
    """It did run: record that before its end."""
    if draft.state.attempts[attempt.id].status == "starting":
        draft.move("attempt", attempt.id, "execute")
    _execute(draft, attempt)
    if draft.state.effects[attempt.id].status == "intent_recorded":
        draft.move("effect", attempt.id, "dispatch")


def _execute(draft: Draft, attempt: Attempt) -> None:
    """A result is recorded only of work that was under way."""
    if draft.state.assignments[attempt.assignment].status != "executing":
        draft.move("assignment", attempt.assignment, "execute", attempt=attempt.id)


def _never_started(draft: Draft, attempt: Attempt, end: AttemptEnded) -> None:
    """Proven: no process was there, so no effect is."""
    draft.move("effect", attempt.id, "settle", proof="never_started")
    settle_attempt(draft, attempt, end="never_started", code=end.never_started)
    found = outcome.interpret(draft.unit(attempt.assignment), end)
    if draft.stopping:
        draft.move("assignment", attempt.assignment, "cancel", attempt=attempt.id)
    elif _may_retry(draft, attempt, "spawn_failed"):
        draft.move("assignment", attempt.assignment, "retry", reason="spawn_failed", attempt=attempt.id)
    else:
        _execute(draft, attempt)
        record(draft, attempt, found)


def _stopped(draft: Draft, attempt: Attempt, effect_class: str) -> None:
    """We stopped it because the run is ending: nothing may stay unresolved."""
    asks = draft.unit(attempt.assignment).reply == "push"  # what arrived is told, also of a run that ends
    if effect_class in CONTAINED and not asks:
        settle_effect(draft, attempt, {"stopped": True})
        settle_attempt(draft, attempt, end="stopped")
        draft.move("assignment", attempt.assignment, "cancel", attempt=attempt.id)
    elif draft.unit(attempt.assignment).tool["receipt"] is not None:
        draft.move("attempt", attempt.id, "lose", cause="stopped")  # `pending` asks the receipt query next
    else:
        block(draft, attempt, "it was stopped in the middle, and may have acted")


def _cut_short(end: AttemptEnded) -> bool:
    """Whether the tool did not end by itself: then it has not said what it did."""
    return end.timed_out or end.signal is not None


def _observed(draft: Draft, attempt: Attempt, end: AttemptEnded) -> None:
    found = outcome.interpret(draft.unit(attempt.assignment), end)
    asks = _cut_short(end) and draft.unit(attempt.assignment).tool["receipt"] is not None
    if asks or outcome.awaits_receipt(
        draft.unit(attempt.assignment), found
    ):  # `pending` asks the receipt query next
        draft.move("effect", attempt.id, "observe", result=outcome.as_data(found))
    else:
        finish(draft, attempt, found, {"outcome": found.outcome, "code": found.code})


def _retry_reason(draft: Draft, attempt: Attempt, found: Result) -> str | None:
    reason = _REASONS.get(found.outcome)
    if found.code in ("timed_out", "rate_limited"):
        reason = "timeout" if found.code == "timed_out" else found.code
    elif found.result_class == "producer_rejected":
        reason = None  # another code than these says that trying again is no use
    overflowed = found.code == "output_overflow"  # it would overflow again
    return reason if reason and not overflowed and _may_retry(draft, attempt, reason) else None


def _may_retry(draft: Draft, attempt: Attempt, reason: str) -> bool:
    dispatch_bounds = draft.unit(attempt.assignment).dispatch
    assignment = draft.state.assignments[attempt.assignment]
    by_policy = assignment.attempts - assignment.lost - assignment.granted
    return (
        not draft.stopping
        and reason in dispatch_bounds["retry_on"]
        and by_policy < dispatch_bounds["attempts"]["value"]
    )
