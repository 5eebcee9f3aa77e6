"""Caring for the store from a terminal: verify all of it, list what is damaged, remove what is over."""

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

GOOD = "step a: exec good { on passed -> completed }"
SIGNED = """
  step sign: approval {
    by alice, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed
  }
"""


def alter(person: "Person", statement: str) -> None:
    with closing(sqlite3.connect(person.here / ".akm" / "akm.db")) as database, database:
        database.execute(statement)


def three_runs(person: "Person") -> None:
    plan = person.plan(GOOD)
    for run in ("r", "s", "t"):
        person.does("run", plan, "--id", run)


def test_a_damaged_run_hides_no_other(person: "Person") -> None:
    three_runs(person)
    alter(person, "UPDATE batches SET hash = 'x' WHERE run = 's' AND last = (SELECT sequence FROM runs LIMIT 1)")
    shown = {row["run_id"]: row["damaged"] for row in person.told("list")}
    assert shown == {"r": False, "s": True, "t": False}
    assert person.does("list").out.count("damaged") == 1
    found = person.told("verify", code=7)
    assert {run["run_id"]: run["damage"] is None for run in found["runs"]} == {"r": True, "s": False, "t": True}
    assert "run s, event" in person.does("verify", code=7).out
    person.does("verify", "r")
    person.does("verify", "s", code=7)


def test_what_belongs_to_no_run_is_proved_too(person: "Person") -> None:
    three_runs(person)
    assert person.told("verify")["store"] == []
    alter(person, "INSERT INTO blobs VALUES ('0', 'x')")
    assert person.told("verify", code=7)["store"] == ["blob 0: its content has another hash"]


def test_gc_asks_and_where_nobody_answers_it_refuses(person: "Person") -> None:
    three_runs(person)
    person.does("gc", "--older-than", "0s", code=2)
    assert set(person.told("gc", "--older-than", "0s", "--dry-run")["would_remove"]) == {"r", "s", "t"}
    assert person.told("gc", "--yes")["removed"] == []  # nothing is 30 days old
    assert len(person.told("list")) == 3
    gone = person.told("gc", "--older-than", "0s", "--yes")
    assert (len(gone["removed"]), gone["plans"], gone["folders"]) == (3, 1, 3)
    assert person.told("list") == []
    person.does("verify")


def test_gc_leaves_a_run_that_waits_and_one_whose_outcome_is_uncertain(person: "Person") -> None:
    person.blocked()
    person.does("run", person.plan(SIGNED, name="signed"), "--id", "waits", code=4)
    assert person.told("gc", "--older-than", "0s", "--yes")["removed"] == []
    assert {row["run_id"] for row in person.told("list")} == {"r", "waits"}


def test_a_list_shows_the_newest_and_says_how_many_are_older(person: "Person") -> None:
    three_runs(person)
    assert [row["run_id"] for row in person.told("list", "--limit", "2")] == ["t", "s"]
    assert "and 1 older" in person.does("list", "--limit", "2").out
    person.does("list", "--limit", "none", code=2)


def test_the_outbox_is_shown_and_only_a_person_with_a_reason_releases(person: "Person") -> None:
    three_runs(person)
    found = person.told("outbox", "--project", "lamps")
    assert found["project"] == "lamps"
    assert set(found["states"]) == {"outbox_pending"}
    person.does("outbox", "--release", "r", "1", code=2)
    refused = person.does("outbox", "--release", "r", "1", "--as", "alice", "--reason", "again", code=2)
    assert "only a rejected row" in refused.err
