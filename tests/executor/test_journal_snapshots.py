"""Snapshots spare the way from the first event, and prove nothing by themselves."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from akm.engine.verification import verify
from akm.journal import history, snapshots
from akm.journal.faults import Damaged
from akm.journal.store import Store
from akm.kernel import memory
from akm.kernel.evolve import fold
from akm.kernel.state import RunState

STEPS = """
  step one: exec read { on passed -> two }
  step two: exec read { on passed -> three }
  step three: exec read { on passed -> completed }
"""


@pytest.fixture(autouse=True)
def _often(monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot with each append whose run has written as much as its last one holds."""
    monkeypatch.setattr("akm.journal.append.SPACING_BYTES", 1)


@pytest.fixture
def altered(store: Store) -> Iterator[sqlite3.Connection]:
    """A second connection, for altering behind the store's back."""
    with closing(sqlite3.connect(store.directory / "akm.db", isolation_level=None)) as connection:
        yield connection


def folded(store: Store, run: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many events are folded when a driver takes `run` up."""
    taken = 0

    def counted(*given: Any) -> RunState:
        nonlocal taken
        taken += 1
        return fold(*given)

    with monkeypatch.context() as patched:
        patched.setattr(history, "fold", counted)
        store.take_up(run)
    return taken


def test_a_driver_takes_a_run_up_as_its_events_say(ledger_of: Callable[..., Any], store: Store) -> None:
    ledger = ledger_of(STEPS)
    for attempt in ("one#1/1", "two#1/1"):
        ledger.ends(attempt)
        assert store.take_up("r") == store.load("r") == ledger.run


def test_what_is_before_the_snapshot_is_not_folded_again(
    ledger_of: Callable[..., Any], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ledger_of(STEPS).ends("one#1/1")
    monkeypatch.setattr("akm.journal.append.SPACING_BYTES", 2**40)
    saved = ledger.run.state.sequence
    ledger.ends("two#1/1")
    assert folded(store, "r", monkeypatch) == ledger.run.state.sequence - saved


@pytest.mark.parametrize(
    "change",
    ["body = x''", "body = 7", "body = substr(body, 2)", "seal = 'x'", "sequence = sequence + 1", "sequence = 'x'"],
)
def test_a_snapshot_that_was_altered_is_passed_over_and_named(
    ledger_of: Callable[..., Any], store: Store, altered: sqlite3.Connection, change: str
) -> None:
    ledger = ledger_of(STEPS).ends("one#1/1")
    altered.execute(f"UPDATE snapshots SET {change}")
    assert store.take_up("r") == ledger.run
    assert [each.name for each in verify(store, "r").violations] == ["rows_proved"]


def test_a_snapshot_of_another_state_is_named_though_its_seal_is_right(
    ledger_of: Callable[..., Any], store: Store
) -> None:
    ledger = ledger_of(STEPS).ends("one#1/1")
    other = memory.recalled(memory.remembered(ledger.run.state))
    other.last_step = "three"
    with store._database.write():
        snapshots.write(store._database, other, ledger.run.head)
    assert [each.message for each in verify(store, "r").violations] == [
        "its snapshot is not what its events add up to"
    ]


def test_a_snapshot_of_a_moment_where_the_run_never_stood_is_passed_over(
    ledger_of: Callable[..., Any], store: Store
) -> None:
    ledger = ledger_of(STEPS).ends("one#1/1")
    with store._database.write():
        snapshots.write(store._database, ledger.run.state, "f" * 64)
    assert store.take_up("r") == ledger.run


def test_damage_before_the_snapshot_is_found_all_the_same(
    ledger_of: Callable[..., Any], store: Store, altered: sqlite3.Connection
) -> None:
    ledger_of(STEPS).ends("one#1/1")
    altered.execute("UPDATE batches SET hash = 'x' WHERE first = 3")
    with pytest.raises(Damaged, match="event 3"):
        store.take_up("r")


def test_a_snapshot_by_an_akm_with_other_states_is_passed_over(
    ledger_of: Callable[..., Any], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ledger_of(STEPS).ends("one#1/1")
    monkeypatch.setattr(snapshots, "form", lambda: "another")
    assert store.take_up("r") == ledger.run
    assert folded(store, "r", monkeypatch) == ledger.run.state.sequence


def test_all_snapshots_of_a_run_together_never_outweigh_its_batches(
    ledger_of: Callable[..., Any], store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []
    write = snapshots.write

    def counted(*given: Any) -> int:
        written.append(write(*given))
        return written[-1]

    monkeypatch.setattr("akm.journal.append.snapshots.write", counted)
    ledger = ledger_of(STEPS)
    for attempt in ("one#1/1", "two#1/1", "three#1/1"):
        ledger.ends(attempt)
    batches = sum(batch.size for batch in history.batches(store._database, "r"))
    assert written
    assert sum(written[:-1]) <= batches


def test_a_removed_run_leaves_no_snapshot(
    ledger_of: Callable[..., Any], store: Store, altered: sqlite3.Connection, tmp_path: Path
) -> None:
    ledger = ledger_of(STEPS)
    for attempt in ("one#1/1", "two#1/1", "three#1/1"):
        ledger.ends(attempt)
    store.release(ledger.lease)
    assert altered.execute("SELECT COUNT(*) FROM snapshots").fetchone() == (1,)
    assert store.remove(["r"], "9999-01-01T00:00:00.000Z").runs == ("r",)
    assert altered.execute("SELECT COUNT(*) FROM snapshots").fetchone() == (0,)
