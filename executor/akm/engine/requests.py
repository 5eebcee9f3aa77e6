"""What people and programs ask of a run: a decision, a signal, a cancellation, a resolution.

Each is looked at against the run's projection, so that what can't count is refused at once, and left in its inbox;
the driver, or the next one, takes it up and decides.
"""

import secrets
from dataclasses import dataclass
from typing import Any

from akm.clock import HostTime, RunClock
from akm.engine import inbox
from akm.engine.inbox import Draft
from akm.journal.faults import CommandConflict
from akm.journal.projections import RunRow
from akm.journal.store import InboxCommand, Store
from akm.kernel.inbox import signal_problem
from akm.kernel.resolution import NEEDS_REFERENCE
from akm_specs.canonical import Json, JsonObject, NotCanonical, canonical


class RequestRefused(Exception):
    """The run cannot take what is asked of it; the message says what it could take."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A request that is in the inbox of a run. `repeated`: the very same was there before."""

    number: int
    repeated: bool


def decide(store: Store, run: str, step: str, *, approve: bool, by: str, reason: str) -> Sent:
    """A person's yes or no on an approval. Raises RequestRefused, CommandConflict, UnknownRun."""
    row = store.run(run)
    earlier = _earlier_decision(store, row, step)
    if earlier is not None:
        body = earlier.body
        if (body["approve"], body["by"]) != (approve, by):
            stands = "approved" if body["approve"] else "rejected"
            raise CommandConflict(f"{body['by']} has {stands} {body['step_attempt']} already; that stands")
        return Sent(earlier.number, repeated=True)
    waiting = _waiting_decision(row, step)
    if by not in waiting["by"]:
        raise RequestRefused(f"{by} may not decide on {step}; {' or '.join(waiting['by'])} may")
    if RunClock(HostTime(), store.load(run).sample).elapsed_ms() >= waiting["due_ms"]:
        raise RequestRefused(f"the time to decide on {step} is over: `akm resume {run}` goes on")
    attempt, shown = waiting["step_attempt"], waiting["shown_hash"]
    return _post(store, run, inbox.decision(attempt, approve=approve, by=by, reason=reason, shown=shown))


def _earlier_decision(store: Store, row: RunRow, step: str) -> InboxCommand | None:
    """The decision on the latest attempt of `step`, if one was sent."""
    number = (row.summary.get("entries") or {}).get(step)
    return store.sent(row.run, f"decision {step}#{number}") if number else None


def _waiting_decision(row: RunRow, step: str) -> JsonObject:
    waiting: Any = row.summary.get("waiting_for")
    if not waiting or waiting["kind"] != "decision" or waiting["step"] != step:
        decides = waiting and waiting["kind"] == "decision"
        now = f"it waits for a decision on {waiting['step']}" if decides else f"it is {row.status}"
        raise RequestRefused(f"run {row.run} waits for no decision on {step!r}: {now}")
    found: JsonObject = waiting
    return found


def signal(store: Store, run: str, name: str, data: Json, key: str | None) -> Sent:
    """A signal; the same key counts once. One that no wait can take is recorded by the run, and refused here.

    Raises RequestRefused, CommandConflict, UnknownRun, RunEnded.
    """
    row = store.run(run)
    sent = _post(store, run, inbox.signal(name, data, key or secrets.token_hex(8)))
    problem = signal_problem(store.plan(row.run), name, data)
    if problem is not None:
        raise RequestRefused(f"signal {name} is refused: {problem}")
    return sent


def cancel(store: Store, run: str, *, by: str, reason: str) -> None:
    """Ask for cancellation; once is enough. Raises RequestRefused, UnknownRun, RunEnded."""
    try:
        _post(store, run, inbox.cancel(by, reason))
    except CommandConflict:
        return  # requested before, for another reason


def resolve(
    store: Store, run: str, effect: str, *, action: str, by: str, reason: str, reference: str | None
) -> str:
    """Settle an uncertain effect, which may be named by its step or assignment too; the effect's id.

    Raises RequestRefused, CommandConflict, UnknownRun.
    """
    found = _uncertain_effect(store.run(run), effect)
    effect = str(found["effect"])
    if action not in found["resolutions"]:
        raise RequestRefused(f"{action} is not possible for {effect}; {', '.join(found['resolutions'])} are")
    if action in NEEDS_REFERENCE and not reference:
        raise RequestRefused(f"{action} needs --ref: {NEEDS_REFERENCE[action]}")
    nth = store.posted(run, f"resolution {effect} ")
    draft = inbox.resolution(effect, action=action, by=by, reason=reason, reference=reference, nth=nth)
    _post(store, run, draft)
    return effect


def _uncertain_effect(row: RunRow, named: str) -> JsonObject:
    """The uncertain effect that is meant, by its id, its assignment or its step."""
    effects = row.summary.get("uncertain") or []
    meant: list[JsonObject] = [
        effect for effect in effects if named in (effect["effect"], effect["assignment"], effect["step"])
    ]
    if len(meant) == 1:
        return meant[0]
    known = ", ".join(effect["effect"] for effect in effects) or "none"
    raise RequestRefused(f"run {row.run} has no uncertain effect {named!r}; uncertain: {known}")


def _post(store: Store, run: str, draft: Draft) -> Sent:
    try:
        canonical([draft.key, draft.body])
    except NotCanonical as error:
        raise RequestRefused(f"this cannot be recorded: {error}") from error
    found = store.post(run, draft.key, draft.kind, draft.body)
    return Sent(found.number, found.repeated)
