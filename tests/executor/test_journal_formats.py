"""Journals of every format that was released are read by this akm, and go on."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from akm.engine.inbox import observation_of
from akm.engine.verification import verify, verify_all
from akm.journal.append import Entry
from akm.journal.faults import StoreBusy
from akm.journal.formats import FORMAT
from akm.journal.lease import this_process
from akm.journal.store import Store
from akm.kernel.decide import decided
from akm.kernel.digest import digest
from akm.kernel.event import Instant, linked
from akm_specs.canonical import hash_bytes

if TYPE_CHECKING:
    from tests.executor.conftest import HandTime

RECORDED = sorted((Path(__file__).parent / "recorded").glob("format_*.sql"))
#: The unit-graph digest of run `done` when it was recorded.
DIGEST = "ee5b3d5cf25eeb4ff135b79c8c7c9f1c630b3ef43accae279f2cfa8a35218860"
FAR_AHEAD = "9999-01-01T00:00:00.000Z"


def made_of(recorded: Path, directory: Path) -> Path:
    """A store from its recorded statements."""
    directory.mkdir(mode=0o700)
    with closing(sqlite3.connect(directory / "akm.db")) as database:
        database.executescript(recorded.read_text(encoding="utf-8"))
    return directory


@pytest.fixture(params=RECORDED, ids=lambda path: path.stem)
def recorded(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The directory of a store of that format."""
    return made_of(request.param, tmp_path / "old")


def tables(path: Path) -> list[tuple[str]]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute("SELECT sql FROM sqlite_master ORDER BY name").fetchall()


def test_every_older_format_is_recorded() -> None:
    assert {path.stem for path in RECORDED} >= {f"format_{number}" for number in range(1, FORMAT)}


def test_its_runs_are_proved_and_shown_as_they_were(recorded: Path) -> None:
    store = Store(recorded, create=False)
    shown = [(row.run, row.status, row.damaged) for row in store.runs()]
    assert shown == [
        ("done", "completed", False),
        ("failed", "failed", False),
        ("waits", "waiting", False),
        ("works", "running", False),
    ]
    assert all(verdict.sound for verdict in verify_all(store))
    assert list(store.problems()) == []
    assert digest(store.recorded("done")) == DIGEST
    store.close()


def test_what_is_exported_of_it_has_the_hashes_that_it_was_written_with(recorded: Path) -> None:
    with closing(sqlite3.connect(recorded / "akm.db")) as database:
        written = database.execute("SELECT run, hash FROM events ORDER BY run, sequence").fetchall()
    store = Store(recorded, create=False)
    exported = [
        (run, one.hash) for run in ("done", "failed", "waits", "works") for one in linked(store.recorded(run))
    ]
    assert exported == written
    store.close()


def test_its_tables_are_those_of_a_new_store(recorded: Path, tmp_path: Path) -> None:
    Store(recorded, create=False).close()
    Store(tmp_path / "new", create=True).close()
    assert tables(recorded / "akm.db") == tables(tmp_path / "new" / "akm.db")


def test_a_run_of_it_goes_on_with_what_was_sent_to_it(recorded: Path, hand_time: "HandTime") -> None:
    hand_time.passes(86_400_000)
    store = Store(recorded, create=False, time=hand_time)
    lease, run = store.claim("waits", this_process()), store.load("waits")
    (command,) = store.inbox("waits")
    decision = decided(run.plan, run.state, observation_of(command, 0))
    entry = Entry(decision, Instant(hand_time.utc(), 0), run.sample, (command.number,))
    assert store.append(run, lease, entry).state.status == "running"
    assert verify(store, "waits").violations == ()
    store.close()


def test_files_that_its_runs_name_are_kept_as_long_as_they_are(recorded: Path) -> None:
    store = Store(recorded, create=False)
    wheel = hash_bytes(b"a wheel")
    assert store.remove(["done", "waits"], FAR_AHEAD).runs == ("done",)
    assert store.blob(wheel) == b"a wheel"  # `waits` names it too
    store.close()


def test_an_old_store_is_left_alone_while_a_driver_works_in_it(tmp_path: Path) -> None:
    made_of(RECORDED[0], tmp_path / "old")
    process = this_process().process
    with closing(sqlite3.connect(tmp_path / "old" / "akm.db")) as database, database:
        database.execute(
            "UPDATE leases SET pid = ?, start_time = ?, boot_id = ?, pid_namespace = ?,"
            " expires_boottime_ms = 9e15 WHERE run = 'works'",
            tuple(process),
        )
    with pytest.raises(StoreBusy, match=r"format 1, and run works is driven by another akm \(pid \d+"):
        Store(tmp_path / "old", create=False)
    with closing(sqlite3.connect(tmp_path / "old" / "akm.db")) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (1,)
