"""Run requests: what a hub asks of this runtime, by the table of the lifecycle `run_request`. Nothing here is run.

A request has a key that counts once. Accepting it reserves a run id and this runtime as its home in one
transaction; asked again, it answers with the same acceptance.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from akm.clock import TimeSource
from akm.journal.database import Database
from akm.journal.faults import CommandConflict, RunExists, UnknownRequest
from akm.kernel.machines import initial, move
from akm_specs.canonical import JsonObject, canonical, parse_json

TABLE = "run_request"


@dataclass(frozen=True, slots=True)
class Request:
    """A request as it stands. `run` and `runtime` are there once it was accepted, and never change."""

    key: str
    body: JsonObject
    state: str
    run: str | None
    runtime: str | None
    note: str


class Requests:
    """The requests of one store. Each call is one transaction."""

    def __init__(self, database: Database, time: TimeSource) -> None:
        self._database = database
        self._time = time

    def queue(self, key: str, body: JsonObject) -> Request:
        """Record a request; the same again is the same one. Raises CommandConflict for another under its key."""
        text = canonical(body).decode()
        with self._database.write():
            found = self._find(key)
            if found is not None:
                if canonical(found.body).decode() != text:
                    raise CommandConflict(f"request {key!r} was made before, for something else; the first stands")
                return found
            utc, state = self._time.utc(), initial(TABLE)
            self._database.put(
                "INSERT INTO requests VALUES (?, ?, ?, NULL, NULL, '', ?, ?)", (key, text, state, utc, utc)
            )
        return Request(key, body, state, None, None, "")

    def offer(self, key: str) -> Request:
        """A runtime is asked."""
        return self._move(key, "offer", "")

    def accept(self, key: str, run: str) -> Request:
        """Reserve `run` and this runtime for it; a request that was accepted before keeps what it has.

        Raises RunExists when the id is another run's, or reserved for another request.
        """
        with self._database.write():
            found = self._known(key)
            if found.state == "accepted":
                return found
            state = move(TABLE, key, found.state, "accept")
            taken = "SELECT 1 FROM runs WHERE run = ?1 UNION SELECT 1 FROM requests WHERE run = ?1"
            if self._database.row(taken, (run,)) is not None:
                raise RunExists(f"run id {run} is taken: choose another for request {key!r}")
            self._database.put(
                "UPDATE requests SET state = ?, run = ?, runtime = (SELECT runtime FROM home), updated_utc = ?"
                " WHERE key = ?",
                (state, run, self._time.utc(), key),
            )
            return self._known(key)

    def decline(self, key: str, why: str) -> Request:
        """This runtime refuses."""
        return self._move(key, "decline", why)

    def expire(self, key: str) -> Request:
        """Nobody answered in time."""
        return self._move(key, "expire", "")

    def cancel(self, key: str, why: str) -> Request:
        """Withdrawn before it was offered."""
        return self._move(key, "cancel", why)

    def get(self, key: str) -> Request:
        """A request as it stands. Raises UnknownRequest."""
        return self._known(key)

    def _move(self, key: str, trigger: str, note: str) -> Request:
        """Raises UnknownRequest, and IllegalMove where the table lists no such move."""
        with self._database.write():
            found = self._known(key)
            state = move(TABLE, key, found.state, trigger)
            self._database.put(
                "UPDATE requests SET state = ?, note = ?, updated_utc = ? WHERE key = ?",
                (state, note, self._time.utc(), key),
            )
        return Request(key, found.body, state, found.run, found.runtime, note)

    def _known(self, key: str) -> Request:
        found = self._find(key)
        if found is None:
            raise UnknownRequest(f"there is no request {key!r} in this store")
        return found

    def _find(self, key: str) -> Request | None:
        row = self._database.row("SELECT key, body, state, run, runtime, note FROM requests WHERE key = ?", (key,))
        return None if row is None else _request(row)


def _request(row: Sequence[Any]) -> Request:
    key, body, state, run, runtime, note = row
    found = parse_json(body)
    assert isinstance(found, dict), "it was stored as an object"
    return Request(key, found, state, run, runtime, note)
