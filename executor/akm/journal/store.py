"""The store: everything that can be asked of the journal, in one place.

What appends and what replays is loaded when it is asked for: whoever only looks where a run stands needs neither.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from akm.clock import HostTime, TimeSource
from akm.journal import lease as leases
from akm.journal.database import Database
from akm.journal.faults import CommandConflict, Damaged, InboxFull, RunEnded, RunExists, UnknownRun
from akm.journal.formats import FORMAT
from akm.journal.lease import Holder, Lease, LeaseRecord
from akm.journal.projections import RUNS, RunRow, run_row
from akm.journal.seals import sealed
from akm_specs.canonical import JsonObject, canonical, hash_bytes
from akm_specs.plan import TERMINALS, Plan

if TYPE_CHECKING:
    from akm.journal.append import Entry
    from akm.journal.history import OpenRun
    from akm.journal.outbox import Outbox
    from akm.journal.removal import Removed
    from akm.journal.requests import Requests
    from akm.kernel.event import Recorded

FILE = "akm.db"
ENDED: frozenset[str] = frozenset(TERMINALS)

#: Unread commands that one run may have: a flood is refused instead of filling the disk.
INBOX_MAX = 1_000


@dataclass(frozen=True, slots=True)
class InboxCommand:
    """What another process asks of a run. `repeated`: the very same was asked before."""

    number: int
    kind: str
    body: JsonObject
    repeated: bool = False


@dataclass(frozen=True, slots=True)
class Created:
    """A run that was made, with its lease; or the one that had been made before, without."""

    run: "OpenRun"
    lease: Lease | None


class Store:
    """One `.akm` directory."""

    def __init__(self, directory: Path, *, create: bool, time: TimeSource | None = None) -> None:
        """Open the store, or make it. Raises a StoreFault that says what to do."""
        self.directory = directory
        self._time: TimeSource = time or HostTime()
        self._database = Database(directory / FILE, create=create)
        if self._database.format() != FORMAT:
            self._migrate()

    def _migrate(self) -> None:
        from akm.journal.migration import migrate

        try:
            migrate(self._database, self._time)
        except BaseException:
            self._database.close()
            raise

    def folder(self, run: str) -> Path:
        """Where the output of a run's tools is kept, readable by its owner alone."""
        runs = self.directory / "runs"
        for folder in (runs, runs / run):
            folder.mkdir(mode=0o700, exist_ok=True)
        return runs / run

    def close(self) -> None:
        """Give the database file back."""
        self._database.close()

    @property
    def commits(self) -> int:
        """Durable commits made through this store so far."""
        return self._database.commits

    # a run's life

    def create_run(
        self, plan: Plan, data: bytes, workspace: str, holder: Holder, entry: "Entry", request: str | None = None
    ) -> Created:
        """Record a new run and take its lease, or find the one with this id. Raises RunExists for another's id.

        `request` is the key of the accepted request that it answers, where it answers one.
        """
        made = entry.decision.after
        with self._database.write():
            row = self._database.row("SELECT plan_hash FROM runs WHERE run = ?", (made.run,))
            if row is None:
                self._refuse_reserved(made.run, request)
                return self._born(plan, data, workspace, holder, entry)
        found = self.load(made.run)
        wanted = (made.plan_hash, made.parameters, made.script, workspace)
        if wanted != (found.plan_hash, found.state.parameters, found.state.script, found.workspace):
            raise RunExists(
                f"run {made.run} exists, with another plan, other parameters, another workspace, or another "
                "script or none: choose another --id"
            )
        return Created(found, None)

    def _refuse_reserved(self, run: str, request: str | None) -> None:
        found = self._database.row("SELECT key FROM requests WHERE run = ?", (run,))
        if found is not None and found[0] != request:
            raise RunExists(f"run id {run} is reserved for request {found[0]!r}: choose another --id")

    def _born(self, plan: Plan, data: bytes, workspace: str, holder: Holder, entry: "Entry") -> Created:
        from akm.journal.append import Birth, write_birth

        birth = Birth(plan, data, entry)
        run = write_birth(self._database, birth, Lease(birth.run, holder.id, leases.FIRST_TOKEN), workspace)
        return Created(run, leases.claim(self._database, birth.run, holder, self._time))

    def load(self, run: str) -> "OpenRun":
        """The run, proved from its first byte to its last. Raises UnknownRun or Damaged."""
        from akm.journal.history import load

        return load(self._database, run)

    def take_up(self, run: str) -> "OpenRun":
        """As `load`, but moves before the last snapshot are not made again. Raises UnknownRun or Damaged."""
        from akm.journal.history import take_up

        return take_up(self._database, run)

    def append(self, run: "OpenRun", lease: Lease, entry: "Entry") -> "OpenRun":
        """The gate; see `append.append` for what it proves and raises."""
        from akm.journal.append import append

        return append(self._database, run, lease, entry, self._time)

    # the lease

    def claim(self, run: str, holder: Holder) -> Lease:
        """Take the run's lease. Raises LeaseHeld, UnknownRun."""
        with self._database.write():
            self._must_know(run)
            return leases.claim(self._database, run, holder, self._time)

    def renew(self, lease: Lease) -> None:
        """Prove and prolong a lease. Raises LeaseLost."""
        with self._database.write():
            leases.hold(self._database, lease, self._time)

    def release(self, lease: Lease) -> None:
        """Give a lease back, unless it is back or lost already."""
        record = leases.read(self._database, lease.run)
        if record is not None and record.token == lease.token and record.released_utc is None:
            with self._database.write():
                leases.release(self._database, lease, self._time)

    def lease(self, run: str) -> LeaseRecord | None:
        """The latest lease of a run, live or not."""
        return leases.read(self._database, run)

    def is_driven(self, run: str) -> bool:
        """Whether a process holds the run's lease and may be alive."""
        record = self.lease(run)
        return record is not None and leases.is_live(record, self._time)

    # reading

    def moment(self) -> AbstractContextManager[None]:
        """Everything read inside is of one moment, though a driver appends meanwhile."""
        return self._database.moment()

    def runs(self, status: str | None = None, limit: int | None = None) -> list[RunRow]:
        """Runs, newest first: all, or those in `status`; at most `limit`."""
        newest, most = "ORDER BY created_utc DESC, run LIMIT ?", -1 if limit is None else limit
        if status is None:
            return [run_row(row) for row in self._database.rows(f"{RUNS} {newest}", (most,))]
        return [run_row(row) for row in self._database.rows(f"{RUNS} WHERE status = ? {newest}", (status, most))]

    def count(self, status: str | None = None) -> int:
        """How many runs there are: all, or those in `status`."""
        if status is None:
            row = self._database.row("SELECT COUNT(*) FROM runs")
        else:
            row = self._database.row("SELECT COUNT(*) FROM runs WHERE status = ?", (status,))
        assert row is not None
        return int(row[0])

    def has(self, run: str) -> bool:
        """Whether a run of this id was made here."""
        return self._database.row("SELECT 1 FROM runs WHERE run = ?", (run,)) is not None

    def run(self, run: str) -> RunRow:
        """One run's projection. Raises UnknownRun."""
        row = self._database.row(f"{RUNS} WHERE run = ?", (run,))
        if row is None:
            raise _unknown(run)
        return run_row(row)

    def outputs(self, row: RunRow) -> JsonObject:
        """What each step of a run made last. Raises Damaged where that takes its events."""
        from akm.kernel.summary import MOVING, outputs

        if row.status in MOVING:
            return outputs(self.load(row.run).state)
        found: JsonObject = row.summary["outputs"]
        return found

    def recorded(self, run: str, after: int = 0) -> "Iterator[Recorded]":
        """The run's events after sequence `after`. Raises UnknownRun, and Damaged at the first bad one."""
        self._must_know(run)
        from akm.journal.history import recorded

        return recorded(self._database, run, after)

    def plan(self, run: str) -> Plan:
        """A run's frozen plan. Raises UnknownRun or Damaged."""
        row = self._database.row("SELECT plan_hash FROM runs WHERE run = ?", (run,))
        if row is None:
            raise _unknown(run)
        from akm.journal.history import stored_plan

        return stored_plan(self._database, run, row[0])

    def version(self) -> int:
        """Changes whenever another process has written."""
        return self._database.version()

    def blob(self, sha256: str) -> bytes:
        """A stored file by its hash. Raises Damaged."""
        row = self._database.row("SELECT data FROM blobs WHERE hash = ?", (sha256,))
        if row is None:
            raise Damaged("-", f"blob {sha256}", "it is missing")
        data = row[0]
        if not isinstance(data, bytes) or hash_bytes(data) != sha256:
            raise Damaged("-", f"blob {sha256}", "its content has another hash")
        return data

    # what other processes send

    def post(self, run: str, key: str, kind: str, body: JsonObject) -> InboxCommand:
        """Send a command to a run, once a `key`. Raises UnknownRun, RunEnded, CommandConflict."""
        text = canonical(body).decode()
        with self._database.write():
            earlier = self._database.row(
                "SELECT number, kind, body FROM inbox WHERE run = ? AND key = ?", (run, key)
            )
            if earlier is not None:
                if (earlier[1], earlier[2]) == (kind, text):
                    return InboxCommand(earlier[0], kind, body, repeated=True)
                raise CommandConflict(f"run {run} has another answer for {key!r} already; the first one stands")
            row = self._database.row("SELECT status FROM runs WHERE run = ?", (run,))
            if row is None:
                raise _unknown(run)
            if row[0] in ENDED:
                raise RunEnded(f"run {run} has ended ({row[0]}); nothing can be sent to it")
            return self._insert(run, key, kind, text, body)

    def _insert(self, run: str, key: str, kind: str, text: str, body: JsonObject) -> InboxCommand:
        row = self._database.row(
            "SELECT COALESCE(MAX(number), 0), COUNT(*) FILTER (WHERE taken IS NULL) FROM inbox WHERE run = ?",
            (run,),
        )
        assert row is not None
        if row[1] >= INBOX_MAX and kind != "cancel":  # a flood keeps nobody from stopping the run
            raise InboxFull(f"run {run} has {INBOX_MAX} unread commands: let `akm resume {run}` read them")
        number = row[0] + 1
        utc = self._time.utc()
        row = (run, number, key, kind, text, utc)
        self._database.put("INSERT INTO inbox VALUES (?, ?, ?, ?, ?, ?, ?, NULL)", (*row, sealed(*row)))
        return InboxCommand(number, kind, body)

    def inbox(self, run: str) -> list[InboxCommand]:
        """The commands that no event has taken yet, in order. Raises Damaged."""
        rows = self._database.rows(f"{_INBOX} WHERE run = ? AND taken IS NULL ORDER BY number", (run,))
        return [_command(row) for row in rows]

    def sent(self, run: str, key: str) -> InboxCommand | None:
        """What was sent to a run under `key`, taken or not. Raises Damaged."""
        row = self._database.row(f"{_INBOX} WHERE run = ? AND key = ?", (run, key))
        return None if row is None else replace(_command(row), repeated=True)

    def prove_inbox(self, run: str) -> None:
        """Prove every command that was ever sent to a run. Raises Damaged."""
        for row in self._database.rows(f"{_INBOX} WHERE run = ? ORDER BY number", (run,)):
            _command(row)

    def posted(self, run: str, prefix: str) -> int:
        """How many commands whose key begins with `prefix` a run has taken up."""
        row = self._database.row(
            "SELECT COUNT(*) FROM inbox WHERE run = ? AND substr(key, 1, ?) = ? AND taken IS NOT NULL",
            (run, len(prefix), prefix),
        )
        assert row is not None
        return int(row[0])

    def _must_know(self, run: str) -> None:
        if not self.has(run):
            raise _unknown(run)

    # what a hub and an operator need

    def all_runs(self) -> list[str]:
        """The id of every run of which anything is there."""
        from akm.journal.soundness import all_runs

        return all_runs(self._database)

    def problems(self) -> "Iterator[str]":
        """What is wrong beside the history of runs: see `soundness.problems`."""
        from akm.journal.soundness import problems

        return problems(self._database)

    def unproved(self, run: str) -> "Iterator[tuple[int, str]]":
        """Rows of a run that its events do not bear out: the event, and what is wrong."""
        from akm.journal.history import misremembered
        from akm.journal.outbox import problems
        from akm.journal.soundness import unproved

        if misremembered(self._database, run, self.plan(run)):
            yield 0, "its snapshot is not what its events add up to"
        yield from unproved(self._database, run)
        yield from problems(self._database, run)

    def outbox(self) -> "Outbox":
        """Events on their way to a hub."""
        from akm.journal.outbox import Outbox

        return Outbox(self._database)

    def requests(self) -> "Requests":
        """What a hub asks of this runtime."""
        from akm.journal.requests import Requests

        return Requests(self._database, self._time)

    def removable(self, before_utc: str) -> list[str]:
        """The runs that `remove` would take, oldest first: see `removal.removable`."""
        from akm.journal.removal import removable

        return list(removable(self._database, before_utc))

    def remove(self, runs: Sequence[str], before_utc: str) -> "Removed":
        """Remove runs that ended before a moment; those that may not go stay. Raises StoreFault, OSError."""
        from akm.journal.removal import remove

        return remove(self._database, self.directory, runs, before_utc)


_INBOX = "SELECT run, number, key, kind, body, utc, hash FROM inbox"


def _command(row: Sequence[Any]) -> InboxCommand:
    """A command as it was sent: a decision or resolution that was altered must decide nothing. Raises Damaged."""
    run, number, _, kind, text, _, seal = row
    if sealed(*row[:-1]) != seal:
        raise Damaged(run, f"inbox command {number}", "it is not what was sent")
    return InboxCommand(number, kind, json.loads(text))


def _unknown(run: str) -> UnknownRun:
    return UnknownRun(f"there is no run {run!r} in this store: `akm list` shows what there is")
