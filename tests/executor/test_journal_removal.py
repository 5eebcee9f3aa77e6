"""Removing ended runs: what may still matter stays, and a crash in the middle loses nothing."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from akm.journal.faults import Damaged, UnknownRun
from akm.journal.store import Store
from akm.kernel.observation import AttemptEnded
from akm_specs.canonical import hash_bytes

Ledgers = Callable[..., Any]

ONE = "step one: exec read { on passed -> completed }"
OTHER = "step two: exec read { on passed -> completed }"
PAY = "step one: exec pay { on passed -> completed }"
LATER, EARLIER = "9999-01-01T00:00:00.000Z", "2000-01-01T00:00:00.000Z"
DATA = b"kept"


def ended(ledger_of: Ledgers, run: str, steps: str = ONE, **more: Any) -> None:
    step = "one" if steps == ONE else "two"
    ledger_of(steps, run).tell(AttemptEnded(0, f"{step}#1/1", 0), **more)


def test_an_ended_run_goes_with_its_plan_files_and_folder(ledger_of: Ledgers, store: Store) -> None:
    ended(ledger_of, "r", blobs={hash_bytes(DATA): DATA})
    (store.folder("r") / "one.1.1").mkdir()
    gone = store.remove(store.removable(LATER), LATER)
    assert (gone.runs, gone.plans, gone.blobs, gone.folders) == (("r",), 1, 1, 1)
    with pytest.raises(UnknownRun):
        store.load("r")
    with pytest.raises(Damaged, match="missing"):
        store.blob(hash_bytes(DATA))
    assert list((store.directory / "runs").iterdir()) == []
    assert list(store.problems()) == []


def test_what_another_run_uses_stays(ledger_of: Ledgers, store: Store) -> None:
    ended(ledger_of, "r", blobs={hash_bytes(DATA): DATA})
    ended(ledger_of, "s", blobs={hash_bytes(DATA): DATA})
    gone = store.remove(["r"], LATER)
    assert (gone.runs, gone.plans, gone.blobs) == (("r",), 0, 0)
    assert store.blob(hash_bytes(DATA)) == DATA
    assert store.load("s").state.status == "completed"


def test_what_ended_since_is_too_young(ledger_of: Ledgers, store: Store) -> None:
    ended(ledger_of, "r")
    assert store.removable(EARLIER) == []
    assert store.remove(["r"], EARLIER).runs == ()


def test_a_run_that_goes_on_is_untouched_though_it_is_named(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE)
    store.folder("r")
    assert store.removable(LATER) == []
    assert store.remove(["r"], LATER).runs == ()
    assert (store.directory / "runs" / "r").is_dir()
    ledger.ends("one#1/1")
    assert store.load("r").state.status == "completed"


@pytest.mark.parametrize("summary", ['{"uncertain": [{"effect": "one#1/1"}]}', "{", "[]", "7"])
def test_an_uncertain_or_unreadable_run_stays(ledger_of: Ledgers, store: Store, summary: str) -> None:
    ended(ledger_of, "r")
    with closing(sqlite3.connect(store.directory / "akm.db")) as database, database:
        database.execute("UPDATE runs SET summary = ?", (summary,))
    assert store.removable(LATER) == []
    assert store.remove(["r"], LATER).runs == ()


def test_what_a_hub_has_still_to_be_told_stays_until_it_was(ledger_of: Ledgers, store: Store) -> None:
    ended(ledger_of, "r")
    box = store.outbox()
    box.join("project")
    assert store.removable(LATER) == []
    for row in box.rows("outbox_pending", 100):
        box.acknowledge(row)
    assert store.removable(LATER) == ["r"]


def test_a_removal_that_was_cut_off_is_finished_by_the_next(ledger_of: Ledgers, store: Store) -> None:
    ended(ledger_of, "r")
    runs = store.directory / "runs"
    store.folder("gone")  # its run was removed, its folder not
    (runs / ".going-older" / "one.1.1").mkdir(parents=True)
    store.folder("r")
    assert store.remove([], LATER).folders == 2
    assert [folder.name for folder in runs.iterdir()] == ["r"]


def test_a_removal_that_fails_half_way_removes_no_part_of_a_run(
    ledger_of: Ledgers, store: Store, tmp_path: Path
) -> None:
    ended(ledger_of, "r")
    with closing(sqlite3.connect(tmp_path / "store" / "akm.db")) as database, database:
        database.execute("CREATE TRIGGER full BEFORE DELETE ON leases BEGIN SELECT RAISE(ABORT, 'no room'); END")
    with pytest.raises(Exception, match="no room"):
        store.remove(["r"], LATER)
    assert store.load("r").state.status == "completed"


def test_two_removals_at_once_remove_each_run_once(ledger_of: Ledgers, store: Store) -> None:
    ended(ledger_of, "r")
    ended(ledger_of, "s", OTHER)
    second = Store(store.directory, create=False)
    found = second.removable(LATER)
    assert set(store.remove(store.removable(LATER), LATER).runs) == {"r", "s"}
    assert second.remove(found, LATER).runs == ()
    second.close()
