"""`akm resolve`: a person settles what nobody could prove, by name, with a reason, and once."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

WHO = ("--as", "alice", "--reason", "asked the bank")


def test_an_uncertain_effect_blocks_the_run_and_is_shown_with_what_can_be_done(person: "Person") -> None:
    effect = person.blocked()
    told = person.told("resume", "r", code=5)
    assert told["status"] == "blocked_uncertain"
    assert told["resume"].startswith(f"akm resolve r {effect} --action ")
    shown = person.does("status", "r").out
    assert "mark-completed" in shown
    assert effect in shown
    assert not (person.here / "began").exists(), "nothing was replayed"


@pytest.mark.parametrize(
    ("words", "code", "status"),
    [
        (("mark-completed", "--ref", "TX-17"), 0, "completed"),
        (("mark-failed",), 1, "failed"),
        (("cancel", "--ref", "TX-17"), 3, "cancelled"),
        (("cancel",), 5, "blocked_uncertain"),
    ],
)
def test_an_action_settles_it(person: "Person", words: tuple[str, ...], code: int, status: str) -> None:
    effect = person.blocked()
    told = person.told("resolve", "r", effect, "--action", *words, *WHO)
    assert (told["effect"], told["action"], told["resume"]) == (effect, words[0], "akm resume r")
    assert person.told("resume", "r", code=code)["status"] == status
    (recorded,) = person.events("resolution.recorded")
    assert (recorded["by"], recorded["reason"]) == ("alice", "asked the bank")
    assert not (person.here / "began").exists()
    person.does("verify", "r")


@pytest.mark.parametrize("words", [("confirm-absent",), ("compensated", "--ref", "REFUND-3")])
def test_what_did_not_happen_is_done_by_a_new_attempt(person: "Person", words: tuple[str, ...]) -> None:
    effect = person.blocked()
    person.lets_go()
    person.does("resolve", "r", effect, "--action", *words, *WHO)
    assert person.told("resume", "r")["status"] == "completed"
    assert (person.here / "began").read_text() == "began\n"
    person.does("verify", "r")


@pytest.mark.parametrize("action", ["mark-completed", "compensated"])
def test_an_action_that_needs_a_reference_is_refused_without(person: "Person", action: str) -> None:
    effect = person.blocked()
    assert "needs --ref" in person.does("resolve", "r", effect, "--action", action, *WHO, code=2).err
    person.does("resume", "r", code=5)


@pytest.mark.parametrize(
    "words",
    [
        ("--action", "mark-failed", "--as", "alice"),
        ("--action", "mark-failed", "--reason", "why"),
        ("--as", "alice", "--reason", "why"),
        ("--action", "forget", *WHO),
    ],
)
def test_who_why_and_what_are_required(person: "Person", words: tuple[str, ...]) -> None:
    person.does("resolve", "r", "pay#1/1", *words, code=2)


def test_an_effect_that_is_not_uncertain_is_refused_and_the_uncertain_ones_are_named(person: "Person") -> None:
    effect = person.blocked()
    refused = person.does("resolve", "r", "pay#9/9", "--action", "mark-failed", *WHO, code=2)
    assert f"uncertain: {effect}" in refused.err


def test_a_settled_effect_is_not_settled_again(person: "Person") -> None:
    effect = person.blocked()
    person.does("resolve", "r", effect, "--action", "mark-failed", *WHO)
    person.does("resume", "r", code=1)
    person.does("resolve", "r", effect, "--action", "mark-completed", "--ref", "TX-17", *WHO, code=2)
    assert len(person.events("resolution.recorded")) == 1


def test_of_two_resolutions_the_first_stands(person: "Person") -> None:
    effect = person.blocked()
    person.does("resolve", "r", effect, "--action", "mark-completed", "--ref", "TX-17", *WHO)
    person.akm("resolve", "r", effect, "--action", "mark-failed", *WHO)
    assert person.told("resume", "r")["status"] == "completed"
    assert len(person.events("resolution.recorded")) == 1
    person.does("verify", "r")
