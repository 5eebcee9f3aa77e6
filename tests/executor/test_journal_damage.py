"""Whatever is altered in a stored run is found when it is loaded, and its place is named."""

import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from akm.journal.batch import chained, packed
from akm.journal.faults import Damaged
from akm.journal.store import Store

RUN = """
  step one: exec read { on passed -> two }
  step two: exec read { on passed -> completed }
"""


@pytest.fixture
def database(ledger_of: Callable[..., Any], store: Store, tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A second connection, for altering behind the store's back, to one run that has ended."""
    ledger_of(RUN).ends("one#1/1").ends("two#1/1")
    connection = sqlite3.connect(tmp_path / "store" / "akm.db", isolation_level=None)
    yield connection
    connection.close()


def place(store: Store) -> str:
    """Where the first damage is."""
    with pytest.raises(Damaged) as raised:
        store.load("r")
    assert str(raised.value).startswith(f"run r, {raised.value.place}: ")
    return raised.value.place


def flipped(content: bytes, at: int) -> bytes:
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


@pytest.mark.usefixtures("database")
def test_an_unaltered_run_loads(store: Store) -> None:
    assert store.load("r").state.status == "completed"


def test_every_flipped_byte_of_an_event_is_named(database: sqlite3.Connection, store: Store) -> None:
    for column in ("body", "hash"):
        kind = "TEXT" if column == "hash" else "BLOB"
        rows = database.execute(f"SELECT first, CAST({column} AS BLOB) FROM batches").fetchall()
        for first, content in rows:
            for at in range(0, len(content), 1 if column == "hash" else 11):
                damaged = (flipped(content, at), first)
                database.execute(f"UPDATE batches SET {column} = CAST(? AS {kind}) WHERE first = ?", damaged)
                assert place(store) == f"event {first}", (column, first, at)
            database.execute(f"UPDATE batches SET {column} = CAST(? AS {kind}) WHERE first = ?", (content, first))
    assert store.load("r").state.status == "completed"


def test_every_flipped_byte_of_the_plan_is_found(database: sqlite3.Connection, store: Store) -> None:
    content = bytes(database.execute("SELECT data FROM plans").fetchone()[0])
    for at in range(0, len(content), 5):
        database.execute("UPDATE plans SET data = ?", (flipped(content, at),))
        assert place(store) == "plan", at
    database.execute("UPDATE plans SET data = ?", (content,))
    assert store.load("r").state.status == "completed"


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("UPDATE batches SET last = 4000 WHERE first = 13", "event 13"),
        ("UPDATE batches SET last = 0 WHERE first = 1", "event 1"),
        ("UPDATE batches SET first = 14 WHERE first = 13", "event 13"),
        ("UPDATE batches SET run = 's' WHERE first = 13", "event 13"),
        ("UPDATE batches SET run = 's'", "event 1"),
        ("UPDATE batches SET body = CAST(body AS TEXT) WHERE first = 13", "event 13"),
        ("UPDATE batches SET body = 7 WHERE first = 13", "event 13"),
        ("UPDATE batches SET body = '' WHERE first = 13", "event 13"),
        ("UPDATE batches SET hash = 7 WHERE first = 13", "event 13"),
        ("UPDATE batches SET body = CAST(body || ' ' AS BLOB) WHERE first = 13", "event 13"),
        ("DELETE FROM batches WHERE first = 13", "event 13"),
        ("DELETE FROM batches WHERE first >= 13", "event 13"),
        ("DELETE FROM batches", "event 1"),
        ("UPDATE runs SET sequence = sequence - 1", "event"),
        ("UPDATE runs SET sequence = sequence + 1", "event"),
        ("UPDATE runs SET head = plan_hash", "event"),
        ("UPDATE runs SET plan_hash = head", "plan"),
        ("UPDATE plans SET hash = 'x'", "plan"),
        ("UPDATE plans SET data = 'text'", "plan"),
        ("UPDATE plans SET data = 7", "plan"),
        ("UPDATE plans SET data = x''", "plan"),
        ("DELETE FROM plans", "plan"),
    ],
)
def test_what_is_moved_retyped_or_removed_is_named(
    database: sqlite3.Connection, store: Store, statement: str, expected: str
) -> None:
    database.execute("PRAGMA foreign_keys = OFF")
    database.execute(statement)
    found = place(store)
    assert found == expected or found.startswith(f"{expected} ")


def test_a_batch_that_was_forged_with_its_hash_breaks_the_chain_behind_it(
    database: sqlite3.Connection, store: Store
) -> None:
    (body,) = database.execute("SELECT body FROM batches WHERE first = 13").fetchone()
    (previous,) = database.execute("SELECT hash FROM batches WHERE last = 12").fetchone()
    written = zlib.decompress(body)
    forged = written.replace(b'"token":1', b'"token":2')
    assert forged != written
    database.execute(
        "UPDATE batches SET (body, hash) = (?, ?) WHERE first = 13", (packed(forged), chained(previous, forged))
    )
    assert place(store) == "event 34"


def test_two_batches_that_changed_places_are_named(database: sqlite3.Connection, store: Store) -> None:
    for source, target in ((12, 400), (33, 12), (400, 33)):
        database.execute("UPDATE batches SET last = ? WHERE last = ?", (target, source))
    assert place(store) == "event 3"


def test_a_batch_of_another_run_is_no_batch_of_this_one(
    database: sqlite3.Connection, store: Store, ledger_of: Callable[..., Any]
) -> None:
    ledger_of(RUN, run="other")
    database.execute(
        "UPDATE batches SET (body, hash) = (SELECT body, hash FROM batches WHERE run = 'other' AND first = 1)"
        " WHERE run = 'r' AND first = 1"
    )
    assert place(store) == "event 1"


def test_a_log_ends_where_the_damage_begins(database: sqlite3.Connection, store: Store) -> None:
    database.execute("UPDATE batches SET body = CAST(body || ' ' AS BLOB) WHERE first = 3")
    log = store.recorded("r")
    assert [next(log).sequence for _ in range(2)] == [1, 2]
    with pytest.raises(Damaged, match="event 3"):
        next(log)


@pytest.mark.parametrize("lost", ["first >= 12", "true"])
def test_a_log_whose_end_is_lost_says_so(database: sqlite3.Connection, store: Store, lost: str) -> None:
    """Every reader of events relies on it: an export that is too short would pass for the whole run."""
    database.execute(f"DELETE FROM batches WHERE {lost}")
    with pytest.raises(Damaged, match="the journal ends at event"):
        list(store.recorded("r"))


def test_a_log_of_a_run_whose_row_was_retyped_is_no_whole_log(database: sqlite3.Connection, store: Store) -> None:
    database.execute("UPDATE runs SET sequence = 'x'")
    with pytest.raises(Damaged):
        list(store.recorded("r"))


def test_an_event_of_an_older_format_that_was_altered_is_named(tmp_path: Path) -> None:
    """What was one row an event stays so, and is proved as it was."""
    old = tmp_path / "old"
    old.mkdir(mode=0o700)
    recorded = Path(__file__).parent / "recorded" / "format_2.sql"
    with closing(sqlite3.connect(old / "akm.db", isolation_level=None)) as connection:
        connection.executescript(recorded.read_text(encoding="utf-8"))
        for statement in (
            "UPDATE events SET body = body || ' ' WHERE run = 'done' AND sequence = 4",
            "UPDATE events SET hash = 'x' WHERE run = 'failed' AND sequence = 4",
            "DELETE FROM events WHERE run = 'waits' AND sequence = 4",
            "UPDATE events SET (body, hash) = (SELECT body, hash FROM events WHERE run = 'done' AND sequence = 3)"
            " WHERE run = 'works' AND sequence = 3",
        ):
            connection.execute(statement)
    store = Store(old, create=False)
    places = []
    for run in ("done", "failed", "waits", "works"):
        with pytest.raises(Damaged) as raised:
            store.load(run)
        places.append(raised.value.place)
    store.close()
    assert places == ["event 4", "event 4", "event 4", "event 3"]


@pytest.mark.parametrize("summary", ["", "{", "[1]", "\x00", b"{}"])
def test_a_damaged_projection_hides_no_run_and_stops_no_load(
    database: sqlite3.Connection, store: Store, summary: str | bytes
) -> None:
    database.execute("UPDATE runs SET summary = ?", (summary,))
    assert [(row.run, row.summary) for row in store.runs()] == [("r", {})]
    assert store.load("r").state.status == "completed"


@pytest.mark.parametrize(
    "change", ["elapsed_ms = elapsed_ms - 1", "elapsed_ms = 'x'", "boottime_ms = 'x'", "boot_id = x'07'"]
)
def test_a_clock_that_was_turned_back_or_retyped_is_named(
    database: sqlite3.Connection, store: Store, change: str
) -> None:
    database.execute(f"UPDATE runs SET {change}")
    assert place(store) == "clock sample"


@pytest.mark.parametrize(
    "change",
    [
        "token = 'x'",
        "holder = x'00'",
        "pid = 'x'",
        "start_time = 'x'",
        "expires_boottime_ms = 'x'",
        "released_utc = x'00'",
    ],
)
def test_a_lease_that_was_retyped_is_named(database: sqlite3.Connection, store: Store, change: str) -> None:
    database.execute(f"UPDATE leases SET {change}")
    with pytest.raises(Damaged, match="lease"):
        store.lease("r")
