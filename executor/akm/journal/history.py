"""Reading a run back: every stored byte is proved before it is believed.

The first event that is not what was written is named; what stands before it is a valid prefix.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, cast

from akm.clock import ClockSample
from akm.journal import snapshots
from akm.journal.batch import Batch, proved, proved_alone, unpacked
from akm.journal.database import Database
from akm.journal.faults import Damaged, UnknownRun
from akm.journal.seals import sealed
from akm.journal.snapshots import Snapshot
from akm.kernel.event import CHAIN_START, Recorded
from akm.kernel.evolve import IllegalEvent, fold
from akm.kernel.machines import IllegalMove
from akm.kernel.state import RunState
from akm_specs.canonical import NotCanonical, NotStrictJson, SealBroken, seal, unseal
from akm_specs.plan import Plan

#: Rows read at once: enough to be quick, few enough that a long history is never whole in memory.
PAGE_ROWS = 256


@dataclass(frozen=True, slots=True)
class OpenRun:
    """A run as its driver holds it: the plan, the state so far, and the hash of the last batch."""

    run: str
    plan: Plan
    plan_hash: str
    workspace: str
    state: RunState
    head: str
    sample: ClockSample
    unsaved: int = field(default=0, compare=False)  # bytes of batches since its last snapshot
    saved: int = field(default=0, compare=False)  # bytes of that snapshot

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


def batches(database: Database, run: str, after: int = 0) -> Iterator[Batch]:
    """The batches with events after sequence `after`, the chain proved as it is read.

    Raises Damaged at the first that is not what was written.
    """
    upto, previous = _end_before(database, run, after)
    for first, last, stored, stored_hash, alone in _rows(database, run, upto):
        if first != upto + 1:
            raise Damaged(run, f"event {upto + 1}", f"it is missing; event {first} follows")
        if alone:
            batch = proved_alone(run, first, stored, stored_hash, previous)
        else:
            batch = proved(run, first, last, stored, stored_hash, previous)
        upto, previous = batch.last, batch.hash
        yield batch


def _rows(database: Database, run: str, upto: int) -> Iterator[Sequence[Any]]:
    """First and last sequence, content and hash of each row after `upto`, and whether it is an older one."""
    for query, alone in ((_EVENTS, True), (_BATCHES, False)):
        page: Sequence[Sequence[Any]] = ((),) * PAGE_ROWS
        while len(page) == PAGE_ROWS:
            page = database.rows(query, (run, upto, PAGE_ROWS))
            for row in page:
                upto = row[1]
                yield (*row, alone)


_EVENTS = (
    "SELECT sequence, sequence, body, hash FROM events WHERE run = ? AND sequence > ? ORDER BY sequence LIMIT ?"
)
_BATCHES = "SELECT first, last, body, hash FROM batches WHERE run = ? AND last > ? ORDER BY last LIMIT ?"


def _end_before(database: Database, run: str, after: int) -> tuple[int, str]:
    """The sequence and the hash with which the last row ends that has nothing after sequence `after`."""
    for query in (_BATCH_BEFORE, _EVENT_BEFORE):
        row = database.row(query, (run, after))
        if row is not None:
            return int(row[0]), str(row[1])
    return 0, CHAIN_START


_BATCH_BEFORE = "SELECT last, hash FROM batches WHERE run = ? AND last <= ? ORDER BY last DESC LIMIT 1"
_EVENT_BEFORE = "SELECT sequence, hash FROM events WHERE run = ? AND sequence <= ? ORDER BY sequence DESC LIMIT 1"


def recorded(database: Database, run: str, after: int = 0) -> Iterator[Recorded]:
    """The events after sequence `after`. Raises Damaged at the first batch that is gone, or is another."""
    row = database.row(
        "SELECT sequence FROM runs WHERE run = ?", (run,)
    )  # first: what follows may be longer by now
    upto = after
    for batch in batches(database, run, after):
        upto = batch.last
        for sequence, event in enumerate(batch.events, start=batch.first):
            if sequence > after:
                yield Recorded(run, sequence, batch.at, batch.token, event)
    if row is not None and (not isinstance(row[0], int) or upto < row[0]):
        raise _cut_off(run, upto, row[0])


def _cut_off(run: str, found: int, appended: object) -> Damaged:
    return Damaged(run, f"event {found + 1}", f"the journal ends at event {found}, but {appended} were appended")


def load(database: Database, run: str) -> OpenRun:
    """The run, with its plan, chain, sequence and every move proved. Raises UnknownRun or Damaged."""
    with database.moment():  # else what a driver appends meanwhile would look like damage
        return _load(database, run, None)


def take_up(database: Database, run: str) -> OpenRun:
    """As `load`, but the moves before the run's last snapshot are not made again. Raises UnknownRun or Damaged."""
    with database.moment():
        return _load(database, run, snapshots.read(database, run))


def _load(database: Database, run: str, begin: Snapshot | None) -> OpenRun:
    row = database.row(
        "SELECT seal, plan_hash, workspace, sequence, head, boot_id, boottime_ms, elapsed_ms FROM runs"
        " WHERE run = ?",
        (run,),
    )
    if row is None:
        if next(_rows(database, run, 0), None) is not None:
            raise Damaged(run, "run", "it has events, but its own row is missing")
        raise UnknownRun(f"there is no run {run!r} in this store: `akm list` shows what there is")
    stored_seal, plan_hash, workspace, sequence, head, *sample = row
    plan = stored_plan(database, run, plan_hash)
    begun = None if begin is None else _proved_up_to(database, run, begin)
    state, last, last_ms, unsaved = None, CHAIN_START, 0, 0
    if begin is not None and begun is not None:
        state, last, last_ms = copy(begin.state), begun.hash, begun.at.elapsed_ms
    for batch in batches(database, run, 0 if state is None else state.sequence):
        for number, event in enumerate(batch.events, start=batch.first):
            try:
                state = fold(plan, state, event)
            except (IllegalEvent, IllegalMove, KeyError, TypeError) as error:
                raise Damaged(run, f"event {number}", f"it is not legal: {error}") from error
        last, last_ms, unsaved = batch.hash, batch.at.elapsed_ms, unsaved + batch.size
    if state is None or state.sequence != sequence or last != head:
        found = 0 if state is None else state.sequence
        raise _cut_off(run, found, sequence)
    if state.plan_hash != plan_hash:
        raise Damaged(run, "plan", f"plan_hash_mismatch: expected {state.plan_hash}, found {plan_hash}")
    opened = OpenRun(
        run,
        plan,
        plan_hash,
        workspace,
        state,
        last,
        _sample(run, sample, last_ms),
        unsaved,
        0 if begin is None or begun is None else begin.size,
    )
    if opened.seal() != stored_seal:
        raise Damaged(run, "run", "its workspace or its clock is not what was written")
    return opened


def _proved_up_to(database: Database, run: str, begin: Snapshot) -> Batch | None:
    """The batch after which a snapshot was made; None where the run never stood so. Raises Damaged.

    The chain is proved up to it by the hashes alone.
    """
    upto, previous = 0, CHAIN_START
    for first, last, stored, stored_hash, alone in _rows(database, run, 0):
        if first != upto + 1:
            raise Damaged(run, f"event {upto + 1}", f"it is missing; event {first} follows")
        if alone:
            batch = proved_alone(run, first, stored, stored_hash, previous)
        elif last >= begin.state.sequence:
            batch = proved(run, first, last, stored, stored_hash, previous)
        else:
            unpacked(run, first, stored, stored_hash, previous)
            batch = None
        upto, previous = last, stored_hash
        if upto >= begin.state.sequence:
            return batch if (upto, previous) == (begin.state.sequence, begin.head) else None
    return None


def misremembered(database: Database, run: str, plan: Plan) -> bool:
    """Whether the run has a snapshot that is not what its events add up to."""
    if database.row("SELECT 1 FROM snapshots WHERE run = ?", (run,)) is None:
        return False
    found, state, head = snapshots.read(database, run), None, ""
    if found is None:
        return True
    for batch in batches(database, run):
        if batch.last > found.state.sequence:
            break
        for event in batch.events:
            state = fold(plan, state, event)
        head = batch.hash
    return (state, head) != (found.state, found.head)


def _sample(run: str, stored: list[Any], last_ms: int) -> ClockSample:
    """The clock sample, which no hash protects: it must at least not turn the run's clock back."""
    boot_id, boottime_ms, elapsed_ms = stored
    if not isinstance(boot_id, str) or not isinstance(boottime_ms, int) or not isinstance(elapsed_ms, int):
        raise Damaged(run, "clock sample", "it is no sample of a clock")
    if elapsed_ms < last_ms:
        raise Damaged(run, "clock sample", f"it shows {elapsed_ms} ms, but an event was recorded at {last_ms} ms")
    return ClockSample(boot_id, boottime_ms, elapsed_ms)
