"""The outbox: each event's way to a hub, by the table of the lifecycle `synchronization`.

A row is written in the transaction of its event. What the allow-list keeps here has no row: it was omitted. A hub
tells rows apart by project, run and sequence; the local run stays the authority whatever a hub says.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from akm.journal.database import Database
from akm.journal.disclosure import disclosed
from akm.journal.faults import NotInOutbox
from akm.kernel.event import Event, Instant
from akm.kernel.machines import initial, move
from akm_specs.canonical import hash_bytes

TABLE = "synchronization"

#: Rows that a hub has still to be told of.
UNSENT = ("outbox_pending", "retry_pending")


@dataclass(frozen=True, slots=True)
class Row:
    """One row. `release` is 0, or says which of an operator's new rows for a rejected one it is; `note`: why."""

    run: str
    sequence: int
    release: int
    state: str
    payload: str
    hash: str
    tries: int
    note: str


def enqueued(run: str, first: int, at: Instant, events: Sequence[Event]) -> Iterator[tuple[object, ...]]:
    """The rows of new events, numbered from `first`; there is none where nothing of an event may leave."""
    for sequence, event in enumerate(events, start=first):
        content = disclosed(run, sequence, at, event)
        if content is not None:
            state = _moved(initial(TABLE), run, "transform", "enqueue")
            yield (run, sequence, 0, state, content, hash_bytes(content.encode()), 0, "")


def _moved(state: str, entity: str, *triggers: str) -> str:
    for trigger in triggers:
        state = move(TABLE, entity, state, trigger)
    return state


class Outbox:
    """The rows of one store. Each call is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @property
    def project(self) -> str | None:
        """The project whose hub the rows are for; None while there is none."""
        row = self._database.row("SELECT project FROM home")
        return None if row is None else row[0]

    def join(self, project: str) -> None:
        """Name the project. From now on `akm gc` leaves runs that have rows unsent."""
        with self._database.write():
            self._database.put("UPDATE home SET project = ?", (project,))

    def counts(self) -> dict[str, int]:
        """How many rows are in each state."""
        return dict(map(tuple, self._database.rows(f"{_COUNTS} GROUP BY state ORDER BY state")))

    def rows(self, state: str, limit: int) -> list[Row]:
        """The first rows in `state`, by run and sequence."""
        return [
            _row(row) for row in self._database.rows(f"{_ROWS} WHERE state = ?{_ORDER} LIMIT ?", (state, limit))
        ]

    def acknowledge(self, row: Row) -> Row:
        """The hub has it; the same again changes nothing."""
        return self._move(row, "acknowledge", "")

    def retry(self, row: Row, why: str) -> Row:
        """Sending failed for now."""
        return self._move(row, "retry", why)

    def requeue(self, row: Row) -> Row:
        """Its time to be tried again has come."""
        return self._move(row, "requeue", row.note)

    def reject(self, row: Row, diagnostics: str) -> Row:
        """The hub refuses it, and says why: that is shown to the operator."""
        return self._move(row, "reject", diagnostics)

    def release(self, run: str, sequence: int, by: str, reason: str) -> Row:
        """An operator sends a rejected row again, as a new row; the rejected one stays. Raises NotInOutbox."""
        with self._database.write():
            found = self._latest(run, sequence)
            if found.state != "rejected":
                raise NotInOutbox(
                    f"event {sequence} of run {run} is {found.state}: only a rejected row is released"
                )
            state = _moved(initial(TABLE), f"{run} {sequence}", "transform", "enqueue")
            note = f"released by {by}: {reason}"
            new = Row(run, sequence, found.release + 1, state, found.payload, found.hash, 0, note)
            self._database.put(INSERT, tuple(getattr(new, name) for name in Row.__slots__))
        return new

    def _latest(self, run: str, sequence: int) -> Row:
        row = self._database.row(
            f"{_ROWS} WHERE run = ? AND sequence = ? ORDER BY release DESC LIMIT 1", (run, sequence)
        )
        if row is None:
            raise NotInOutbox(f"event {sequence} of run {run} is not in the outbox")
        return _row(row)

    def _move(self, row: Row, trigger: str, note: str) -> Row:
        """Raises IllegalMove where the table lists no such move, NotInOutbox where the row is gone."""
        with self._database.write():
            if trigger == "acknowledge" and self._state(row) == "acknowledged":
                return row
            state = move(TABLE, f"{row.run} {row.sequence}", self._state(row), trigger)
            tries = row.tries + (trigger != "requeue")
            self._database.put(
                "UPDATE outbox SET state = ?, tries = ?, note = ? WHERE run = ? AND sequence = ? AND release = ?",
                (state, tries, note, row.run, row.sequence, row.release),
            )
        return Row(row.run, row.sequence, row.release, state, row.payload, row.hash, tries, note)

    def _state(self, row: Row) -> str:
        found = self._database.row(
            "SELECT state FROM outbox WHERE run = ? AND sequence = ? AND release = ?",
            (row.run, row.sequence, row.release),
        )
        if found is None:
            raise NotInOutbox(f"event {row.sequence} of run {row.run} is not in the outbox")
        return str(found[0])


def problems(database: Database, run: str) -> Iterator[tuple[int, str]]:
    """Rows of a run that are not what was written: the event's sequence, and what is wrong."""
    states = {"outbox_pending", "retry_pending", "acknowledged", "rejected"}
    for row in map(_row, database.rows(f"{_ROWS} WHERE run = ?{_ORDER}", (run,))):
        if row.state not in states:
            yield row.sequence, f"its row of the outbox is in no state of the table: {row.state!r}"
        elif hash_bytes(str(row.payload).encode("utf-8", "surrogateescape")) != row.hash:
            yield row.sequence, "its row of the outbox is not what was written"


INSERT = "INSERT INTO outbox VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_COUNTS = "SELECT state, COUNT(*) FROM outbox"
_ROWS = "SELECT run, sequence, release, state, payload, hash, tries, note FROM outbox"
_ORDER = " ORDER BY run, sequence, release"


def _row(row: Sequence[Any]) -> Row:
    return Row(*row)
