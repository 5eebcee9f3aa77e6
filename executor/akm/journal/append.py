"""The gate: the one function that changes a run.

In one transaction it proves the lease and the expected sequence, and writes events, projection, outbox, blobs and
taken commands together; or it refuses by name and nothing has changed. It takes decisions only, and so every move,
ceiling and property was held before: see `akm.kernel.decision`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from akm.clock import ClockSample, TimeSource
from akm.journal import lease as leases
from akm.journal import outbox, snapshots
from akm.journal.batch import chained, content, packed
from akm.journal.database import Database
from akm.journal.faults import RunExists, SequenceConflict, UnreadInbox
from akm.journal.history import OpenRun
from akm.journal.lease import FIRST_TOKEN, Lease
from akm.journal.snapshots import SPACING_BYTES
from akm.kernel.decision import Decision
from akm.kernel.event import CHAIN_START, Instant
from akm.kernel.machines import finals
from akm.kernel.summary import summarise
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
        return self.entry.decision.after.run


@dataclass(frozen=True, slots=True)
class Entry:
    """What one append brings: a decision, when, which inbox commands it takes, and the files that results name.

    `births` are the child runs that are made with it.
    """

    decision: Decision
    at: Instant
    sample: ClockSample
    taken: Sequence[int] = ()
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    births: Sequence[Birth] = ()
    release: bool = False


def append(database: Database, run: OpenRun, lease: Lease, entry: Entry, time: TimeSource) -> OpenRun:
    """Append to a run.

    Raises LeaseLost, SequenceConflict, UnreadInbox, and RunExists where a child is to be made and another run has
    its id.
    """
    assert entry.decision.before is run.state, "what is decided is decided of the run as it stands"
    with database.write():
        leases.hold_in_passing(database, lease, time)
        _check_place(database, run)
        after = _write_batch(database, run, lease.token, entry)
        _write_projection(database, after, entry)
        _take(database, run, entry)
        if after.state.status in finals("run"):
            _check_inbox(database, run.run)
        _keep_files(database, run.run, entry)
        for birth in entry.births:
            _bear(database, birth, run.workspace, lease.holder)
        if entry.release:
            leases.release(database, lease, time)
        return _snapshot(database, after)


def _write_batch(database: Database, run: OpenRun, token: int, entry: Entry) -> OpenRun:
    """Write the events, as one row, and what may leave of them; the run after them."""
    first, events = 1 if entry.decision.before is None else run.state.sequence + 1, entry.decision.events
    state, head, size = entry.decision.after, run.head, 0
    if events:
        written = content(run.run, first, entry.at, token, events)
        head, size = chained(run.head, written), len(written)
        row = (run.run, first, state.sequence, packed(written), head)
        database.put("INSERT INTO batches VALUES (NULL, ?, ?, ?, ?, ?)", row)
        database.put_all(outbox.INSERT, outbox.enqueued(run.run, first, entry.at, events))
    return replace(run, state=state, head=head, sample=entry.sample, unsaved=run.unsaved + size)


def _snapshot(database: Database, run: OpenRun) -> OpenRun:
    """The run with a new snapshot, where it has come far enough since its last one."""
    if run.unsaved < max(SPACING_BYTES, run.saved):
        return run
    return replace(run, unsaved=0, saved=snapshots.write(database, run.state, run.head))


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
    plan, entry, state = birth.plan, birth.entry, birth.entry.decision.after
    database.put("INSERT OR IGNORE INTO plans VALUES (?, ?)", (state.plan_hash, birth.data))
    database.put(
        "INSERT INTO runs VALUES (?, ?, ?, ?, 0, ?, '', ?, ?, ?, ?, ?, '')",
        (
            state.run,
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
    unborn = OpenRun(state.run, plan, state.plan_hash, workspace, state, CHAIN_START, entry.sample)
    run = _write_batch(database, unborn, lease.token, entry)
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
            json.dumps(summarise(run.plan, run.state), ensure_ascii=False),
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
