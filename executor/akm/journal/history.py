"""Reading a run back: every stored byte is proved before it is believed.

The first event that is not what was written is named; what stands before it is a valid prefix.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from akm.clock import ClockSample
from akm.journal.database import Database
from akm.journal.faults import Damaged, UnknownRun
from akm.journal.seals import sealed
from akm.kernel.event import CHAIN_START, Event, Instant, Recorded
from akm.kernel.evolve import IllegalEvent, fold
from akm.kernel.machines import IllegalMove
from akm.kernel.state import RunState
from akm_specs.canonical import NotCanonical, NotStrictJson, SealBroken, hash_bytes, seal, unseal
from akm_specs.plan import Plan

#: Events read at once: enough to be quick, few enough that a long history is never whole in memory.
PAGE_EVENTS = 256


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run as its driver holds it: the plan, the state so far, and the hash of the last event."""

    run: str
    plan: Plan
    plan_hash: str
    workspace: str
    state: RunState
    head: str
    sample: ClockSample

    def seal(self) -> str:
        """A hash over what no event proves: where the run works, and its clock."""
        sample = self.sample
        return sealed(self.run, self.workspace, self.head, sample.boot_id, sample.boottime_ms, sample.elapsed_ms)


def stored_plan(database: Database, run: str, plan_hash: str) -> Plan:
    """The run's frozen plan. Raises Damaged."""
    row = database.row("SELECT data FROM plans WHERE hash = ?", (plan_hash,))
    if row is None:
        raise Damaged(run, "plan", f"no plan with hash {plan_hash} is stored")
    try:
        if not isinstance(row[0], bytes):
            raise NotStrictJson("it is not stored as bytes")
        body, found = unseal(row[0])
        if seal(body)[0] != row[0]:
            raise NotStrictJson("its bytes are not the canonical ones")
    except (NotStrictJson, NotCanonical, SealBroken) as error:
        raise Damaged(run, "plan", str(error)) from error
    if found != plan_hash:
        raise Damaged(run, "plan", f"plan_hash_mismatch: expected {plan_hash}, found {found}")
    return cast(Plan, body)


def recorded(database: Database, run: str, after: int = 0) -> Iterator[Recorded]:
    """The events after sequence `after`, the chain proved as it is read. Raises Damaged at the first bad one."""
    previous = CHAIN_START
    if after > 0:
        row = database.row("SELECT hash FROM events WHERE run = ? AND sequence = ?", (run, after))
        if row is None:
            raise Damaged(run, f"event {after}", "it is missing")
        previous = str(row[0])
    while True:
        rows = database.rows(
            "SELECT sequence, body, hash FROM events WHERE run = ? AND sequence > ? ORDER BY sequence LIMIT ?",
            (run, after, PAGE_EVENTS),
        )
        for sequence, body, stored_hash in rows:
            after += 1
            if sequence != after:
                raise Damaged(run, f"event {after}", f"it is missing; event {sequence} follows")
            event = _proved(run, after, body, stored_hash, previous)
            previous = event.hash
            yield event
        if len(rows) < PAGE_EVENTS:
            return


def load(database: Database, run: str) -> OpenRun:
    """The run, with its plan, chain, sequence and every move proved. Raises UnknownRun or Damaged."""
    with database.snapshot():  # else what a driver appends meanwhile would look like damage
        return _load(database, run)


def _load(database: Database, run: str) -> OpenRun:
    row = database.row(
        "SELECT seal, plan_hash, workspace, sequence, head, boot_id, boottime_ms, elapsed_ms FROM runs"
        " WHERE run = ?",
        (run,),
    )
    if row is None:
        if database.row("SELECT 1 FROM events WHERE run = ? LIMIT 1", (run,)) is not None:
            raise Damaged(run, "run", "it has events, but its own row is missing")
        raise UnknownRun(f"there is no run {run!r} in this store: `akm list` shows what there is")
    stored_seal, plan_hash, workspace, sequence, head, *sample = row
    plan = stored_plan(database, run, plan_hash)
    state: RunState | None = None
    last, last_ms = CHAIN_START, 0
    for event in recorded(database, run):
        try:
            state = fold(plan, state, event.event)
        except (IllegalEvent, IllegalMove, KeyError, TypeError) as error:
            raise Damaged(run, f"event {event.sequence}", f"it is not legal: {error}") from error
        last, last_ms = event.hash, event.at.elapsed_ms
    if state is None or state.sequence != sequence or last != head:
        found = 0 if state is None else state.sequence
        raise Damaged(run, f"event {found + 1}", f"the journal ends at event {found}, but {sequence} were appended")
    if state.plan_hash != plan_hash:
        raise Damaged(run, "plan", f"plan_hash_mismatch: expected {state.plan_hash}, found {plan_hash}")
    opened = OpenRun(run, plan, plan_hash, workspace, state, last, _sample(run, sample, last_ms))
    if opened.seal() != stored_seal:
        raise Damaged(run, "run", "its workspace or its clock is not what was written")
    return opened


def _sample(run: str, stored: list[Any], last_ms: int) -> ClockSample:
    """The clock sample, which no hash protects: it must at least not turn the run's clock back."""
    boot_id, boottime_ms, elapsed_ms = stored
    if not isinstance(boot_id, str) or not isinstance(boottime_ms, int) or not isinstance(elapsed_ms, int):
        raise Damaged(run, "clock sample", "it is no sample of a clock")
    if elapsed_ms < last_ms:
        raise Damaged(run, "clock sample", f"it shows {elapsed_ms} ms, but an event was recorded at {last_ms} ms")
    return ClockSample(boot_id, boottime_ms, elapsed_ms)


def _proved(run: str, sequence: int, text: Any, stored_hash: Any, previous: str) -> Recorded:
    place = f"event {sequence}"
    if not isinstance(text, str) or hash_bytes(text.encode("utf-8", "surrogateescape")) != stored_hash:
        raise Damaged(run, place, f"its content does not have its hash {stored_hash}")
    try:
        body = json.loads(text)
        event = Event(body["event"], body["entity"], body["source"], body["target"], body["data"])
        at = Instant(body["utc"], body["elapsed_ms"])
        found = Recorded(body["run"], body["sequence"], at, body["token"], event, body["previous"], stored_hash)
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(run, place, "its content is no event") from error
    if (found.run, found.sequence, found.previous) != (run, sequence, previous):
        raise Damaged(run, place, f"it does not follow: it belongs to run {found.run}, sequence {found.sequence}")
    return found
