"""What is read is of one moment, and is what was written: also beside a driver that appends, also the inbox."""

import random
import sqlite3
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from akm.engine.verification import verify
from akm.journal import history
from akm.journal.faults import Damaged, LeaseLost, StoreFault, UnknownRun
from akm.journal.store import Store
from akm.kernel.observation import AttemptEnded
from akm_specs.canonical import canonical, hash_json

Ledgers = Callable[..., Any]

#: Goes round `LAPS` times.
LAPS = 20
ROUND = f"""
  limits {{ transitions {2 * LAPS + 1} }}
  step one: exec read {{ attempts {LAPS}, on passed -> two }}
  step two: exec read {{ attempts {LAPS}, on passed -> one max {LAPS - 1}, on failed -> completed }}
"""
TWO_STEPS = """
  step one: exec read { on passed -> two }
  step two: exec read { on passed -> completed }
"""


def alter(store: Store, statement: str, *values: object) -> None:
    """Change a store behind its back."""
    connection = sqlite3.connect(store.directory / "akm.db", isolation_level=None)
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute(statement, values)
    connection.close()


def test_a_snapshot_does_not_see_what_is_appended_meanwhile(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(TWO_STEPS)
    reader = Store(store.directory, create=False)
    with reader.moment():
        before = reader.load("r")
        ledger.ends("one#1/1")
        assert reader.load("r") == before
        assert verify(reader, "r").violations == ()
    assert reader.load("r") == ledger.run
    reader.close()


def test_a_run_read_beside_its_driver_never_looks_damaged(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ROUND)
    seen: set[int] = set()
    done = threading.Event()

    def look() -> None:
        reader = Store(store.directory, create=False)
        while not done.is_set():
            report = verify(reader, "r")
            assert report.violations == ()
            seen.add(report.events)
        reader.close()

    faults: list[BaseException] = []

    def watched() -> None:
        try:
            look()
        except BaseException as fault:
            faults.append(fault)

    readers = [threading.Thread(target=watched) for _ in range(2)]
    for reader in readers:
        reader.start()
    for lap in range(1, LAPS):
        ledger.ends(f"one#{lap}/1").ends(f"two#{lap}/1")
    done.set()
    for reader in readers:
        reader.join()
    assert faults == []
    assert len(seen) > 2, "the run was seen at several moments"


def test_a_history_longer_than_a_page_is_read_whole(
    ledger_of: Ledgers, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = ledger_of(TWO_STEPS).ends("one#1/1")
    length = ledger.run.state.sequence
    for page in (1, 2, 3, length):
        monkeypatch.setattr(history, "PAGE_ROWS", page)
        assert store.load("r") == ledger.run
        assert [one.sequence for one in store.recorded("r", after=3)] == list(range(4, length + 1))


@pytest.mark.parametrize(
    "change",
    [
        "number = 7",
        "kind = 'cancel'",
        "body = replace(body, 'true', 'false')",
        "utc = ''",
        "hash = ''",
        "key = 'k'",
    ],
)
def test_a_command_that_was_altered_decides_nothing(ledger_of: Ledgers, store: Store, change: str) -> None:
    ledger_of(TWO_STEPS)
    store.post("r", "decision one", "decision", {"approve": True, "by": "alice"})
    alter(store, f"UPDATE inbox SET {change}")
    with pytest.raises(Damaged, match="it is not what was sent"):
        store.inbox("r")


def test_a_command_that_was_altered_is_not_shown_as_sent(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(TWO_STEPS)
    store.post("r", "decision one", "decision", {"approve": True})
    alter(store, "UPDATE inbox SET body = '{'")
    with pytest.raises(Damaged):
        store.sent("r", "decision one")


def test_a_plan_whose_numbers_became_none_is_named(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(TWO_STEPS)
    plan = dict(store.load("r").plan)
    data = canonical({**plan, "hash": hash_json(plan)})
    alter(store, "UPDATE plans SET data = ?", data.replace(b'"value":1}', b'"value":1e999}'))
    with pytest.raises(Damaged) as raised:
        store.load("r")
    assert raised.value.place == "plan"


def test_a_plan_of_equal_content_in_other_bytes_is_named(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(TWO_STEPS)
    plan = dict(store.load("r").plan)
    data = canonical({**plan, "hash": hash_json(plan)})
    alter(store, "UPDATE plans SET data = ?", data.replace(b'"value":1}', b'"value":1.0}'))
    with pytest.raises(Damaged, match="not the canonical ones"):
        store.load("r")


def test_events_without_their_runs_row_are_damage_and_no_unknown_run(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(TWO_STEPS)
    alter(store, "UPDATE runs SET run = 's'")
    with pytest.raises(Damaged, match="its own row is missing"):
        store.load("r")
    with pytest.raises(UnknownRun):
        store.load("nobody")


def test_a_token_does_not_serve_another_holder(ledger_of: Ledgers, store: Store, tmp_path: Path) -> None:
    """As after a store was put back from a copy: the token is there again, its holder is another."""
    ledger = ledger_of(TWO_STEPS)
    events = ledger.decided(AttemptEnded(0, "one#1/1", 0))
    ledger.lease = replace(ledger.lease, holder="another")
    with pytest.raises(LeaseLost, match="nothing was written"):
        ledger.append(*events)


@pytest.mark.parametrize("change", ["workspace = '/elsewhere'", "boottime_ms = 0", "boot_id = 'b'", "seal = x'00'"])
def test_a_run_is_not_sent_to_another_workspace_or_time(ledger_of: Ledgers, store: Store, change: str) -> None:
    ledger_of(TWO_STEPS)
    alter(store, f"UPDATE runs SET {change}")
    with pytest.raises(Damaged, match="run r, run: "):
        store.load("r")


def test_an_id_that_is_no_text_is_an_unknown_run(store: Store) -> None:
    with pytest.raises(UnknownRun):
        store.run("\udcff")


def everything_read(directory: Path) -> object:
    """All that a store says of run `r`."""
    with closing(Store(directory, create=False)) as store:
        return store.load("r"), list(store.recorded("r")), store.inbox("r")


@pytest.mark.parametrize("seed", range(4))
def test_any_flipped_byte_of_the_file_is_a_named_fault_or_changes_nothing(
    ledger_of: Ledgers, store: Store, seed: int
) -> None:
    ledger_of(TWO_STEPS).ends("one#1/1")
    store.post("r", "decision one", "decision", {"approve": True})
    store.close()
    file = store.directory / "akm.db"
    content, expected = file.read_bytes(), everything_read(store.directory)
    chance, found = random.Random(seed), Counter[str]()
    for _ in range(120):
        at, bit = chance.randrange(len(content)), 1 << chance.randrange(8)
        file.write_bytes(content[:at] + bytes([content[at] ^ bit]) + content[at + 1 :])
        try:
            assert everything_read(store.directory) == expected, (seed, at, bit)
            found["nothing changed"] += 1
        except StoreFault as fault:
            found[type(fault).__name__] += 1
    assert found["Damaged"] > 0, "events and plans were hit"
    assert found["nothing changed"] > 0, "free space was hit"
