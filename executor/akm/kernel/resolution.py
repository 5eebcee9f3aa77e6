"""A person settles an effect whose outcome could not be proven.

It is an audited action: who, why, what it refers to. What an action needs and lacks is refused, and recorded.
"""

from typing import assert_never

from akm.kernel import attempts, outcome
from akm.kernel.draft import Draft
from akm.kernel.identity import assignment_of
from akm.kernel.observation import ResolutionGiven
from akm.kernel.state import Attempt, Result
from akm.kernel.units import unit_of
from akm_specs.canonical import Json, NotCanonical, NotStrictJson, canonical, parse_json
from akm_specs.plan import Plan

#: What each action has to refer to (source: the table of resolutions in docs/guide/recovery.md).
NEEDS_REFERENCE = {
    "mark-completed": "a receipt, or the verified postcondition",
    "compensated": "the receipt of the compensation",
}


def given(draft: Draft, asked: ResolutionGiven) -> None:
    """Apply a resolution, or refuse it by name."""
    problem = refusal(draft, asked)
    effect_id = asked.effect
    data: dict[str, Json] = {
        "number": asked.number,
        "action": asked.action,
        "by": asked.by,
        "reason": asked.reason,
        "reference": asked.reference,
    }
    if problem is not None:
        draft.fact("resolution.refused", effect_id, **data, problem=problem)
        return
    draft.fact("resolution.recorded", effect_id, **data)
    attempt = draft.state.attempts[effect_id]
    match asked.action:
        case "mark-completed":
            _completed(draft, attempt, asked)
        case "confirm-absent" | "compensated":
            _absent(draft, attempt, asked)
        case "mark-failed":
            _settled(draft, attempt, asked, outcome.result("failed", code="resolved_failed"))
        case "cancel":
            _cancelled(draft, attempt, asked)
        case _:
            assert_never(asked.action)
    _unblock(draft, effect_id)


def refusal(draft: Draft, asked: ResolutionGiven) -> str | None:
    """Why `asked` cannot be taken, or None."""
    effect = draft.state.effects.get(asked.effect)
    if effect is None or effect.status != "blocked_uncertain":
        return "this effect is not uncertain"
    if asked.action in NEEDS_REFERENCE and not asked.reference:
        return f"{asked.action} needs --ref: {NEEDS_REFERENCE[asked.action]}"
    if asked.action not in outcome.resolutions(draft.unit(effect.assignment)):
        return f"{asked.action} is not possible here: the step has no outcome passed"
    if asked.action == "mark-completed":
        proven = _proven(draft, asked)
        if proven is None:
            return "the step declares an output, so --ref has to be its JSON value"
        if proven.outcome != outcome.PASSED:
            return f"--ref does not prove it: {proven.code}"
    return None


def reference_value(reference: str | None) -> Json:
    """What a reference says: the JSON that it is, or else its text."""
    try:
        receipt = parse_json(reference or "")
        canonical(receipt)
    except (NotStrictJson, NotCanonical):
        return reference
    return receipt


def _proven(draft: Draft, asked: ResolutionGiven) -> Result | None:
    return outcome.from_receipt(
        draft.unit(assignment_of(asked.effect)), reference_value(asked.reference), asked.files
    )


def files_named(plan: Plan, asked: ResolutionGiven) -> tuple[str, ...]:
    """The paths that the reference of `asked` names where it stands in for an output."""
    if asked.action != "mark-completed":
        return ()
    try:
        unit = unit_of(plan, assignment_of(asked.effect))
    except KeyError:
        return ()  # what is no effect of the run is refused
    return outcome.receipt_files(unit, reference_value(asked.reference))


def _completed(draft: Draft, attempt: Attempt, asked: ResolutionGiven) -> None:
    proven = _proven(draft, asked)
    assert proven is not None, "refusal() has checked it"
    draft.move("effect", attempt.id, "observe", resolution=asked.number)
    draft.move("effect", attempt.id, "record_receipt", receipt=asked.reference)
    draft.move("effect", attempt.id, "settle")
    attempts.settle_attempt(draft, attempt, end="resolved")
    attempts.record(draft, attempt, proven)


def _absent(draft: Draft, attempt: Attempt, asked: ResolutionGiven) -> None:
    draft.move("effect", attempt.id, "settle", resolution=asked.number)
    attempts.settle_attempt(draft, attempt, end="resolved")
    draft.move("assignment", attempt.assignment, "retry", reason="resolved", attempt=attempt.id)


def _settled(draft: Draft, attempt: Attempt, asked: ResolutionGiven, found: Result) -> None:
    draft.move("effect", attempt.id, "settle", resolution=asked.number)
    attempts.settle_attempt(draft, attempt, end="resolved")
    attempts.record(draft, attempt, found)


def _cancelled(draft: Draft, attempt: Attempt, asked: ResolutionGiven) -> None:
    """Cancel the run. The effect counts as accounted for only with a reference; else it stays visible."""
    if draft.state.ending is None:
        draft.fact("cancel.requested", draft.state.run, code="cancel_requested", message=asked.reason, by=asked.by)
        if draft.state.status == "running":
            draft.run("begin_cancel")
    if asked.reference:
        found = outcome.result("cancelled", result_class="cancelled", code="resolved_cancelled")
        _settled(draft, attempt, asked, found)


def _unblock(draft: Draft, effect: str) -> None:
    """Go on, once the effect is uncertain no more; what else is uncertain may block the run again."""
    if draft.state.effects[effect].status == "blocked_uncertain":
        return
    ending = draft.state.ending
    if draft.state.status == "blocked_uncertain":
        draft.run("begin_cancel" if ending is not None and ending.terminal == "cancelled" else "unblock")
    if draft.active.status == "blocked_uncertain" and draft.state.status == "running":
        draft.active_step("unblock")
