"""What only reads: list, status, log, export, digest, verify; help, and where the store is found."""

import json
import stat
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

GOOD = "step a: exec good { on passed -> completed }"
SIGN = """
  step a: exec say { output { n: int }, on passed -> sign }
  step sign: approval {
    by [alice, bob], reads a.output, timeout 1h
    on passed -> completed, on rejected -> failed, on expired -> cancelled
  }
"""
COMMANDS = (
    *("run", "resume", "list", "status", "log", "verify", "digest", "export"),
    *("approve", "reject", "signal", "cancel", "resolve"),
)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(person: "Person", command: str) -> None:
    shown = person.does(command, "--help").out
    assert f"Example: akm {command}" in shown
    assert "--store DIR" in shown
    assert "--json" in shown


def test_help_names_every_command(person: "Person") -> None:
    shown = person.does("--help").out
    assert not [command for command in COMMANDS if f"    {command} " not in shown]


@pytest.mark.parametrize("words", [("status",), ("status", "a", "b"), ("run",), ("fly",), ("list", "--wrong")])
def test_wrong_usage_exits_2(person: "Person", words: tuple[str, ...]) -> None:
    refused = person.does(*words, code=2)
    assert refused.out == ""
    assert "usage" in refused.err


def test_list_shows_the_newest_run_first(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "first")
    person.does("run", person.plan(SIGN), "--id", "second", code=4)
    rows = person.told("list")
    assert [(row["run_id"], row["status"]) for row in rows] == [("second", "waiting"), ("first", "completed")]
    assert [row["run_id"] for row in person.told("list", "--status", "completed")] == ["first"]
    assert [line.split() for line in person.does("list").out.splitlines()] == [
        ["second", "waiting", "sign"],
        ["first", "completed", "a"],
    ]


def test_status_shows_who_may_decide_and_on_what(person: "Person") -> None:
    person.parked(SIGN)
    told = person.told("status", "r")
    assert told["waiting_for"]["by"] == ["alice", "bob"]
    assert told["outputs"] == {"a": {"n": 7}}
    assert told["resume"] == "akm resume r"
    shown = person.does("status", "r").out
    assert "alice or bob" in shown
    assert '{"n": 7}' in shown


def test_status_names_the_process_that_drives(person: "Person") -> None:
    engine = person.holds("step a: exec hold { on passed -> completed }")
    assert person.told("status", "r")["driver"]["pid"] == engine.pid
    assert f"pid {engine.pid} on " in person.does("status", "r").out


def test_log_has_a_line_an_event(person: "Person") -> None:
    person.parked(SIGN)
    lines = person.does("log", "r").out.splitlines()
    events = person.told("log", "r")
    assert [int(line.split()[0]) for line in lines] == [event["sequence"] for event in events]
    assert [line.split()[2] for line in lines] == [event["event"] for event in events]


def test_log_follows_a_run_to_its_end(person: "Person") -> None:
    person.parked(SIGN)
    reader = person.begins("log", "r", "--follow")
    person.does("approve", "r", "sign", "--as", "bob")
    person.does("resume", "r")
    out, _ = reader.communicate(timeout=60)
    assert reader.returncode == 0
    assert out == person.does("log", "r").out


def test_log_that_follows_has_no_one_document(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "r")
    person.does("log", "r", "--follow", "--json", code=2)


def test_export_is_the_history_as_lines(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "r")
    lines = [json.loads(line) for line in person.does("export", "r").out.splitlines()]
    assert lines == person.told("log", "r")
    assert [line["previous"] for line in lines[1:]] == [line["hash"] for line in lines[:-1]]
    document = person.told("export", "r")
    assert document["events"] == lines
    assert document["plan_hash"] == person.told("status", "r")["plan_hash"]


def test_the_digest_is_that_of_what_was_done(person: "Person") -> None:
    plan = person.plan(GOOD)
    digests = {person.told("run", plan, "--id", run)["digest"] for run in ("one", "two")}
    assert len(digests) == 1
    assert person.told("digest", "one") == {"run_id": "one", "digest": digests.pop()}


def test_verify_says_what_it_proved(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "r")
    told = person.told("verify", "r")
    assert told["events"] == len(person.told("log", "r"))
    assert told["violations"] == []
    assert told["invariants"]
    assert f"{told['events']} events" in person.does("verify", "r").out


def test_looking_changes_nothing(person: "Person") -> None:
    person.parked(SIGN)
    before = person.told("log", "r")
    for words in (("list",), ("status", "r"), ("verify", "r"), ("digest", "r"), ("export", "r")):
        person.does(*words)
    assert person.told("log", "r") == before


# where the store is


def test_the_nearest_store_upwards_is_used(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "r")
    below = person.here / "a" / "b"
    below.mkdir(parents=True)
    assert person.akm("status", "r", cwd=below).code == 0


def test_without_a_store_it_is_made_in_the_git_root(person: "Person") -> None:
    plan = person.here / person.plan(GOOD)
    below = person.here / "a"
    below.mkdir()
    assert person.akm("run", str(plan), cwd=below).code == 0
    assert (person.here / ".akm" / "akm.db").exists()


def test_the_environment_names_a_store_and_the_option_wins(person: "Person") -> None:
    plan = person.plan(GOOD)
    assert person.akm("run", plan, "--id", "r", AKM_STORE="named").code == 0
    assert (person.here / "named" / "akm.db").exists()
    assert person.akm("status", "r", AKM_STORE="named").code == 0
    assert person.akm("status", "r", "--store", "other", AKM_STORE="named").code == 2
    assert person.akm("status", "r", "--store", "named", AKM_STORE="other").code == 0
    assert not (person.here / ".akm").exists()


def test_the_store_is_readable_by_its_owner_alone(person: "Person") -> None:
    person.does("run", person.plan(GOOD), "--id", "r")
    found = [person.here / ".akm", *(person.here / ".akm").rglob("*")]
    assert len(found) > 3
    assert not [path for path in found if stat.S_IMODE(path.stat().st_mode) & 0o077]
