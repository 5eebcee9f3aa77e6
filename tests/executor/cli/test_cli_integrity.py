"""One driver, one frozen plan, one history: what is edited changes nothing, what is damaged is named."""

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

GOOD = "step a: exec good { on passed -> completed }"
LATER = """
  step sign: approval {
    by alice, timeout 1h, on passed -> a, on rejected -> failed, on expired -> failed
  }
  step a: exec hold { on passed -> completed }
"""
DRIVERS = 16


def flip(person: "Person", table: str, column: str, where: str = "1", at: int = -20) -> None:
    """Change one bit of one byte of a stored text."""
    with closing(sqlite3.connect(person.here / ".akm" / "akm.db")) as database, database:
        (kept,) = database.execute(f"SELECT {column} FROM {table} WHERE {where}").fetchone()
        data = bytearray(kept if isinstance(kept, bytes) else kept.encode())
        data[at] ^= 1
        flipped = bytes(data) if isinstance(kept, bytes) else data.decode()
        database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (flipped,))


def test_of_sixteen_drivers_at_once_one_drives_and_the_others_name_it(person: "Person") -> None:
    person.parked(LATER)
    person.does("approve", "r", "sign", "--as", "alice")
    crowd = [person.begins("run", "r") for _ in range(DRIVERS)]
    person.until(lambda: sum(one.poll() is not None for one in crowd) == DRIVERS - 1)
    (driver,) = [one for one in crowd if one.poll() is None]
    for refused in crowd:
        if refused is not driver:
            _, err = refused.communicate(timeout=30)
            assert refused.returncode == 6
            assert f"pid {driver.pid} on " in err
    holder = person.told("status", "r")["driver"]
    assert (holder["pid"], holder["token"]) == (driver.pid, 2)
    person.lets_go()
    assert driver.wait(60) == 0
    assert (person.here / "began").read_text() == "began\n"
    events = [json.loads(line) for line in person.does("export", "r").out.splitlines()]
    assert [event["sequence"] for event in events] == list(range(1, len(events) + 1))
    person.does("verify", "r")


def test_sixteen_starts_of_one_id_are_one_run(person: "Person") -> None:
    plan = person.plan(LATER)
    crowd = [person.begins("run", plan, "--id", "r") for _ in range(DRIVERS)]
    codes = [one.wait(60) for one in crowd]
    assert set(codes) <= {4, 6}
    assert 4 in codes
    assert [row["run_id"] for row in person.told("list")] == ["r"]
    assert len(person.events("run.create")) == 1
    person.does("verify", "r")


def test_a_refused_driver_says_so_as_json(person: "Person") -> None:
    person.holds("step a: exec hold { on passed -> completed }")
    told = person.told("resume", "r", code=6)
    assert (told["error"]["name"], told["error"]["exit"]) == ("LeaseHeld", 6)


def test_an_edited_source_changes_nothing_for_a_run_in_flight(person: "Person") -> None:
    source = person.write("work.akm", f'workflow work "Work" {{ {LATER} }}\n')
    registry = person.write("registry.akm", 'tool hold { argv ["true"] }\n')
    started = person.told("run", "work.akm", "--id", "r", code=4)
    source.write_text('workflow work "Work" { step a: exec hold { on passed -> failed } }\n')
    registry.write_text('tool hold { argv ["false"] }\n')
    person.does("approve", "r", "sign", "--as", "alice")
    ended = person.told("resume", "r")
    assert (ended["status"], ended["plan_hash"]) == ("completed", started["plan_hash"])
    person.does("verify", "r")


def test_an_edited_source_is_another_run(person: "Person") -> None:
    person.write("registry.akm", 'tool hold { argv ["true"] }\n')
    source = person.write("work.akm", f'workflow work "Work" {{ {LATER} }}\n')
    person.does("run", "work.akm", "--id", "r", code=4)
    source.write_text('workflow work "Work" { step a: exec hold { on passed -> completed } }\n')
    assert "another plan" in person.does("run", "work.akm", "--id", "r", code=2).err


@pytest.mark.parametrize("words", [("run",), ("resume",), ("verify",), ("cancel",)])
def test_a_flipped_byte_of_the_stored_plan_is_named(person: "Person", words: tuple[str]) -> None:
    person.parked(LATER)
    flip(person, "plans", "data")
    assert "plan" in person.does(*words, "r", code=7).err


@pytest.mark.parametrize("sequence", [1, 2, 3])
def test_a_flipped_byte_of_an_event_is_named(person: "Person", sequence: int) -> None:
    person.parked(LATER)
    flip(person, "batches", "body", f"first = {sequence}")
    for words in (("resume", "r"), ("verify", "r"), ("log", "r"), ("export", "r"), ("digest", "r")):
        assert f"event {sequence}" in person.does(*words, code=7).err


def test_an_ended_run_is_proved_before_it_is_reported(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "r")
    flip(person, "batches", "body", "first = 3")
    told = person.told("resume", "r", code=7)
    assert told["error"]["exit"] == 7
    assert "event 3" in told["error"]["message"]


def test_a_flipped_byte_of_a_plan_file_is_refused_and_nothing_is_written(person: "Person") -> None:
    plan = person.here / person.plan(GOOD)
    data = bytearray(plan.read_bytes())
    data[data.index(b'"title"') + 10] ^= 1
    plan.write_bytes(data)
    assert plan.name in person.does("run", plan.name, code=7).err
    assert not (person.here / ".akm").exists()


def test_a_missing_event_is_named(person: "Person") -> None:
    person.parked(LATER)
    with closing(sqlite3.connect(person.here / ".akm" / "akm.db")) as database, database:
        database.execute("DELETE FROM batches WHERE first = 3")
    assert "event 3" in person.does("verify", "r", code=7).err


def test_a_file_that_is_no_database_is_damage(person: "Person") -> None:
    person.parked(LATER)
    (person.here / ".akm" / "akm.db").write_bytes(b"no database" * 1000)
    for words in (("list",), ("resume", "r")):
        person.does(*words, code=7)
