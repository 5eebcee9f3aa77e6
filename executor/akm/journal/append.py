"""The gate: the one function that changes a run.

In one transaction it proves the lease, the expected sequence, every ceiling, property and move, and writes
events, projection, outbox, blobs and taken commands together; or it refuses by name and nothing has changed.
"""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from akm.clock import ClockSample, TimeSource
from akm.journal import lease as leases
from akm.journal import outbox
from akm.journal.database import Database
from akm.journal.faults import RunExists, SequenceConflict, UnreadInbox
from akm.journal.history import OpenRun
from akm.journal.lease import FIRST_TOKEN, Lease
from akm.kernel.ceilings import CeilingExceeded, exceeded
from akm.kernel.event import CHAIN_START, Event, Instant, body
from akm.kernel.evolve import evolve, fold
from akm.kernel.machines import finals
from akm.kernel.properties import PropertyBroken, violated
from akm.kernel.state import RunState
from akm.kernel.summary import summarise
from akm_specs.canonical import canonical, hash_bytes
from akm_specs.plan import Plan


@dataclass(frozen=True, slots=True)
class Birth:
    """A run to be made: its plan, that plan as it is stored, and its first event."""

    plan: Plan
    data: bytes
    entry: "Entry"

    @property
    def run(self) -> str:
        """The id of the run."""
        return self.entry.events[0].entity


@dataclass(frozen=True, slots=True)
class Entry:
    """What one append brings: events, when, which inbox commands it takes, and the files that results name.

    `births` are the child runs that are made with it.
    """

    events: Sequence[Event]
    at: Instant
    sample: ClockSample
    taken: Sequence[int] = ()
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    births: Sequence[Birth] = ()
    release: bool = False


def append(database: Database, run: OpenRun, lease: Lease, entry: Entry, time: TimeSource) -> OpenRun:
    """Append to a run.

    Raises LeaseLost, SequenceConflict, CeilingExceeded, PropertyBroken, IllegalMove, IllegalEvent, UnreadInbox, and
    RunExists where a child is to be made and another run has its id.
    """
    with database.write():
        leases.hold(database, lease, time)
        _check_place(database, run)
        state, head = write_events(database, run.plan, run.state, run.head, lease, entry)
        after = replace(run, state=state, head=head, sample=entry.sample)
        _write_projection(database, after, entry)
        _take(database, run, entry)
        if state.status in finals("run"):
            _check_inbox(database, run.run)
        _keep_files(database, run.run, entry)
        for birth in entry.births:
            _bear(database, birth, run.workspace, lease.holder)
        if entry.release:
            leases.release(database, lease, time)
    return after


def write_events(
    database: Database, plan: Plan, state: RunState | None, head: str, lease: Lease, entry: Entry
) -> tuple[RunState, str]:
    """Check and write the events; the state and chain head after them."""
    rows: list[tuple[str, int, str, str]] = []
    leaving: list[tuple[object, ...]] = []
    state = copy(state)  # ours alone, so that it can be carried on in place
    for event in entry.events:
        if state is not None:
            over = exceeded(plan, state, event, entry.at.elapsed_ms)
            if over is not None:
                raise CeilingExceeded(over)
            broken = violated(plan, state, event)
            if broken is not None:
                raise PropertyBroken(broken)
        state = fold(plan, state, event)
        content = canonical(body(lease.run, state.sequence, entry.at, lease.token, event, head))
        head = hash_bytes(content)
        rows.append((lease.run, state.sequence, content.decode(), head))
        row = outbox.enqueued(lease.run, state.sequence, entry.at, event)
        if row is not None:
            leaving.append(row)
    database.put_all("INSERT INTO events VALUES (?, ?, ?, ?)", rows)
    database.put_all(outbox.INSERT, leaving)
    assert state is not None, "a run's first entry holds its birth"
    return state, head


def _keep_files(database: Database, run: str, entry: Entry) -> None:
    for sha256, data in entry.blobs.items():
        database.put("INSERT OR IGNORE INTO blobs VALUES (?, ?)", (sha256, data))
        database.put("INSERT OR IGNORE INTO blob_uses VALUES (?, ?)", (run, sha256))


def _bear(database: Database, birth: Birth, workspace: str, holder: str) -> None:
    """Make a child run, which nobody drives yet; its parent has never asked for it before."""
    if database.row("SELECT 1 FROM runs WHERE run = ?", (birth.run,)) is not None:
        raise RunExists(f"run {birth.run} exists, and is not the child that was to be made: use another --store")
    write_birth(database, birth, Lease(birth.run, holder, FIRST_TOKEN), workspace)


def write_birth(database: Database, birth: Birth, lease: Lease, workspace: str) -> OpenRun:
    """Write a new run's plan, row and first event, within a transaction."""
    plan, entry, event = birth.plan, birth.entry, birth.entry.events[0]
    database.put("INSERT OR IGNORE INTO plans VALUES (?, ?)", (event.data["plan_hash"], birth.data))
    state = evolve(plan, None, event)
    run = OpenRun(event.entity, plan, state.plan_hash, workspace, state, CHAIN_START, entry.sample)
    database.put(
        "INSERT INTO runs VALUES (?, ?, ?, ?, 0, ?, '', ?, ?, ?, ?, ?, '')",
        (
            run.run,
            state.plan_hash,
            workspace,
            state.status,
            CHAIN_START,
            entry.at.utc,
            entry.at.utc,
            entry.sample.boot_id,
            entry.sample.boottime_ms,
            entry.sample.elapsed_ms,
        ),
    )
    state, head = write_events(database, plan, None, CHAIN_START, lease, entry)
    run = replace(run, state=state, head=head)
    _write_projection(database, run, entry)
    _keep_files(database, run.run, entry)
    return run


def _check_place(database: Database, run: OpenRun) -> None:
    row = database.row("SELECT sequence, head FROM runs WHERE run = ?", (run.run,))
    if row is None or (row[0], row[1]) != (run.state.sequence, run.head):
        stands = "nowhere" if row is None else f"at event {row[0]}"
        raise SequenceConflict(
            f"run {run.run} stands {stands}, not at event {run.state.sequence}; nothing was written"
        )


def _write_projection(database: Database, run: OpenRun, entry: Entry) -> None:
    database.put(
        "UPDATE runs SET status = ?, sequence = ?, head = ?, summary = ?, updated_utc = ?,"
        " boot_id = ?, boottime_ms = ?, elapsed_ms = ?, seal = ? WHERE run = ?",
        (
            run.state.status,
            run.state.sequence,
            run.head,
            canonical(summarise(run.plan, run.state)).decode(),
            entry.at.utc,
            run.sample.boot_id,
            run.sample.boottime_ms,
            run.sample.elapsed_ms,
            run.seal(),
            run.run,
        ),
    )


def _take(database: Database, run: OpenRun, entry: Entry) -> None:
    first = run.state.sequence + 1
    for number in entry.taken:
        changed = database.put(
            "UPDATE inbox SET taken = ? WHERE run = ? AND number = ? AND taken IS NULL", (first, run.run, number)
        )
        assert changed == 1, f"command {number} was taken before"


def _check_inbox(database: Database, run: str) -> None:
    """What was accepted is never lost: a run ends only after everything sent to it was looked at."""
    if database.row("SELECT 1 FROM inbox WHERE run = ? AND taken IS NULL LIMIT 1", (run,)) is not None:
        raise UnreadInbox(f"run {run} has unread commands")
