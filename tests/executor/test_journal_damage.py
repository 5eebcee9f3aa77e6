"""Whatever is altered in a stored run is found when it is loaded, and its place is named."""

import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from akm.journal.faults import Damaged
from akm.journal.store import Store
from akm_specs.canonical import hash_bytes

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
        rows = database.execute(f"SELECT sequence, {column} FROM events").fetchall()
        for sequence, text in rows[::5]:
            content = text.encode()
            for at in range(0, len(content), 1 if column == "hash" else 7):
                damaged = (flipped(content, at), sequence)
                database.execute(f"UPDATE events SET {column} = CAST(? AS TEXT) WHERE sequence = ?", damaged)
                assert place(store) == f"event {sequence}", (column, sequence, at)
            database.execute(f"UPDATE events SET {column} = ? WHERE sequence = ?", (text, sequence))
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
        ("UPDATE events SET sequence = 4000 WHERE sequence = 4", "event 4"),
        ("UPDATE events SET sequence = 0 WHERE sequence = 1", "event 1"),
        ("UPDATE events SET run = 's' WHERE sequence = 4", "event 4"),
        ("UPDATE events SET run = 's'", "event 1"),
        ("UPDATE events SET body = CAST(body AS BLOB) WHERE sequence = 4", "event 4"),
        ("UPDATE events SET body = 7 WHERE sequence = 4", "event 4"),
        ("UPDATE events SET body = '' WHERE sequence = 4", "event 4"),
        ("UPDATE events SET hash = 7 WHERE sequence = 4", "event 4"),
        ("UPDATE events SET body = body || ' ' WHERE sequence = 4", "event 4"),
        ("DELETE FROM events WHERE sequence = 4", "event 4"),
        ("DELETE FROM events WHERE sequence >= 4", "event 4"),
        ("DELETE FROM events", "event 1"),
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


def test_an_event_that_was_forged_with_its_hash_breaks_the_chain_behind_it(
    database: sqlite3.Connection, store: Store
) -> None:
    (body,) = database.execute("SELECT body FROM events WHERE sequence = 4").fetchone()
    forged = body.replace('"token":1', '"token":2')
    assert forged != body
    sha256 = hash_bytes(forged.encode())
    database.execute("UPDATE events SET (body, hash) = (?, ?) WHERE sequence = 4", (forged, sha256))
    assert place(store) == "event 5"


def test_two_events_that_changed_places_are_named(database: sqlite3.Connection, store: Store) -> None:
    for source, target in ((4, 400), (5, 4), (400, 5)):
        database.execute("UPDATE events SET sequence = ? WHERE sequence = ?", (target, source))
    assert place(store) == "event 4"


def test_an_event_of_another_run_is_no_event_of_this_one(
    database: sqlite3.Connection, store: Store, ledger_of: Callable[..., Any]
) -> None:
    ledger_of(RUN, run="other")
    database.execute(
        "UPDATE events SET (body, hash) = (SELECT body, hash FROM events WHERE run = 'other' AND sequence = 3)"
        " WHERE run = 'r' AND sequence = 3"
    )
    assert place(store) == "event 3"


def test_a_log_ends_where_the_damage_begins(database: sqlite3.Connection, store: Store) -> None:
    database.execute("UPDATE events SET body = body || ' ' WHERE sequence = 4")
    log = store.recorded("r")
    assert [next(log).sequence for _ in range(3)] == [1, 2, 3]
    with pytest.raises(Damaged, match="event 4"):
        next(log)


@pytest.mark.parametrize("summary", ["", "{", "[1]", "\x00"])
def test_a_damaged_projection_hides_no_run_and_stops_no_load(
    database: sqlite3.Connection, store: Store, summary: str
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
