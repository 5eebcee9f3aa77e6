"""Decisions and signals: who may, when, once; and what becomes of time that passes."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

SIGN = """
  step sign: approval {
    by [alice, bob], timeout 1h
    on passed -> completed, on rejected -> failed, on expired -> cancelled
  }
"""
GO = """
  step first: approval {
    by alice, timeout 1h, on passed -> go, on rejected -> failed, on expired -> failed
  }
  step go: wait signal go {
    timeout 1h, output { n: int }, on passed -> completed, on expired -> cancelled
  }
"""


@pytest.mark.parametrize(("word", "code"), [("approve", 0), ("reject", 1)])
def test_a_decision_is_taken_by_the_next_driver(person: "Person", word: str, code: int) -> None:
    person.parked(SIGN)
    told = person.told(word, "r", "sign", "--as", "bob", "--reason", "looked at it")
    assert told["run_id"] == "r"
    assert told["resume"] == "akm resume r"
    assert person.told("status", "r")["status"] == "waiting"
    person.does("resume", "r", code=code)
    (decided,) = person.events("decision.recorded")
    assert (decided["by"], decided["reason"], decided["approve"]) == ("bob", "looked at it", word == "approve")


def test_who_may_not_decide_is_told_who_may(person: "Person") -> None:
    person.parked(SIGN)
    refused = person.does("approve", "r", "sign", "--as", "mallory", code=2)
    assert "mallory may not" in refused.err
    assert "alice or bob" in refused.err
    person.does("resume", "r", code=4)


@pytest.mark.parametrize("step", ["first", "absent"])
def test_a_decision_on_another_step_is_refused(person: "Person", step: str) -> None:
    person.parked(SIGN)
    assert "waits for a decision on sign" in person.does("approve", "r", step, "--as", "alice", code=2).err


def test_the_same_decision_twice_is_one(person: "Person") -> None:
    person.parked(SIGN)
    assert person.told("approve", "r", "sign", "--as", "alice")["repeated"] is False
    assert person.told("approve", "r", "sign", "--as", "alice")["repeated"] is True
    person.does("resume", "r")
    assert person.told("approve", "r", "sign", "--as", "alice")["repeated"] is True
    assert len(person.events("decision.recorded")) == 1


def test_the_first_of_two_decisions_stands(person: "Person") -> None:
    person.parked(SIGN)
    person.does("approve", "r", "sign", "--as", "alice")
    assert "alice has approved" in person.does("reject", "r", "sign", "--as", "alice", code=2).err
    assert "alice has approved" in person.does("approve", "r", "sign", "--as", "bob", code=2).err
    assert person.told("resume", "r")["status"] == "completed"


def test_a_decision_after_the_end_is_refused(person: "Person") -> None:
    person.parked(SIGN)
    person.does("cancel", "r", code=3)
    person.does("approve", "r", "sign", "--as", "alice", code=2)


def test_an_approval_expires(person: "Person") -> None:
    person.parked(SIGN.replace("1h", "200ms"))
    person.until(lambda: person.akm("resume", "r").code == 3)
    assert person.told("status", "r")["outcome"] == "expired"


def test_a_signal_is_delivered_with_its_data(person: "Person") -> None:
    person.parked(GO)
    person.does("approve", "r", "first", "--as", "alice")
    person.does("resume", "r", code=4)
    told = person.told("signal", "r", "go", "--data", '{"n": 3}')
    assert (told["signal"], told["resume"]) == ("go", "akm resume r")
    assert person.told("resume", "r")["outputs"]["go"] == {"n": 3}


def test_an_early_signal_is_kept_for_its_step(person: "Person") -> None:
    person.parked(GO)
    person.does("signal", "r", "go", "--data", '{"n": 3}')
    person.does("resume", "r", code=4)
    person.does("approve", "r", "first", "--as", "alice")
    assert person.told("resume", "r")["outputs"]["go"] == {"n": 3}


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("go", "--data", '{"n": "three"}'), "does not fit"),
        (("go",), "does not fit"),
        (("gone",), "this plan knows: go"),
        (("go", "--data", "{n: 3}"), "JSON"),
        (("go", "--data", '{"n": NaN}'), "JSON"),
        (("go", "--data", '{"n": 12345678901234567890}'), "cannot be recorded"),
    ],
)
def test_a_signal_that_no_wait_can_take_is_refused(person: "Person", words: tuple[str, ...], named: str) -> None:
    person.parked(GO)
    assert named in person.does("signal", "r", *words, code=2).err
    person.does("resume", "r", code=4)
    assert person.events("signal.received") == []


def test_a_key_makes_a_repeated_signal_count_once(person: "Person") -> None:
    person.parked(GO)
    words = ("signal", "r", "go", "--data", '{"n": 3}', "--key", "k1")
    assert person.told(*words)["repeated"] is False
    assert person.told(*words)["repeated"] is True
    person.does("signal", "r", "go", "--data", '{"n": 4}', "--key", "k1", code=2)
    person.does("resume", "r", code=4)
    assert [signal["data"] for signal in person.events("signal.received")] == [{"n": 3}]


def test_a_wait_for_a_signal_expires(person: "Person") -> None:
    plan = person.plan("step go: wait signal go { timeout 200ms, on passed -> completed, on expired -> cancelled }")
    assert person.told("run", plan, "--wait", code=3)["outcome"] == "expired"


def test_a_span_passes_while_nobody_drives(person: "Person") -> None:
    person.parked("step nap: wait 200ms { on passed -> completed }")
    person.until(lambda: person.akm("resume", "r").code == 0)
    assert person.told("status", "r")["outcome"] == "passed"


@pytest.mark.parametrize(
    "words",
    [
        ("approve", "r", "sign", "--as", "alice"),
        ("signal", "r", "go"),
        ("cancel", "r"),
        ("resolve", "r", "a#1/1", "--action", "mark-failed", "--as", "alice", "--reason", "why"),
        ("status", "r"),
        ("log", "r"),
        ("export", "r"),
        ("digest", "r"),
        ("verify", "r"),
        ("resume", "r"),
    ],
)
def test_a_run_that_is_not_there_is_named_and_no_store_is_made(person: "Person", words: tuple[str, ...]) -> None:
    assert "no store" in person.does(*words, code=2).err
    assert not (person.here / ".akm").exists()
    person.does("run", person.plan(SIGN), "--id", "other", code=4)
    assert "no run 'r'" in person.does(*words, code=2).err


def test_a_text_that_is_no_unicode_is_refused(person: "Person") -> None:
    person.parked(SIGN)
    text = "\udcff"  # as Python hands on the byte FF of an argument
    for words in (
        ("signal", "r", text),
        ("signal", "r", "go", "--key", text),
        ("approve", "r", "sign", "--as", "alice", "--reason", text),
        ("approve", "r", "sign", "--as", text),
        ("approve", "r", text, "--as", "alice"),
        ("cancel", "r", "--reason", text),
        ("status", text),
    ):
        refused = person.does(*words, "--json", code=2)
        assert refused.document["error"]["exit"] == 2
