"""The session example when its engine is killed: the same in the end, and no session is left."""

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Calm, Person

EXAMPLE = ("session",)
START = ("run", "session.akm", "--id", "r")
KILLS = 6


def finished(person: "Person") -> dict[str, Any]:
    """The example's run, driven to its end."""
    return person.finishes(*START)


def test_one_session_serves_both_steps(undisturbed: "Calm", person: "Person") -> None:
    facts = undisturbed.facts
    assert facts["outputs"]["longest"]["meaning"] == "High water is low, half-way between the moons."
    person.copies(*EXAMPLE)
    person.does(*START)
    served = {one["session"] for one in person.events("assignment.dispatch")}
    assert served == {"glossary@1"}
    assert [one["why"] for one in person.events("session.close")] == ["run_ended"]
    assert person.living() == []


def test_an_interrupted_run_leaves_no_session_and_goes_on_with_the_next(person: "Person") -> None:
    person.copies(*EXAMPLE)
    person.does(*START, "--max-steps", "1", code=4)
    assert [one["why"] for one in person.events("session.close")] == ["parked"]
    assert person.living() == []
    person.does(*START)
    assert [one["epoch"] for one in person.events("session.create")] == [1, 2]


def test_an_agent_whose_session_answers_too_late_has_timed_out(person: "Person") -> None:
    registry = """tool mute { argv ["sleep", "600"], session, effect read_only, timeout 1s }
agent ann { tool mute }
"""
    plan = person.plan('step think: agent ann { prompt "Think.", on passed -> completed }', registry)
    person.does("run", plan, "--id", "r", code=1)
    (result,) = (one["result"] for one in person.events("assignment.record_result"))
    assert result["outcome"] == "timed_out"
    assert person.living() == []


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_run_with_a_session_survives_kills_at_random_moments(
    person: "Person", undisturbed: "Calm", seed: str, kill: int
) -> None:
    moment = random.Random(f"{seed} {kill}")
    person.copies(*EXAMPLE)
    for _ in range(2):
        person.kills(person.begins(*START), moment.uniform(0, undisturbed.took_s))
    assert finished(person) == undisturbed.facts
    person.does("verify", "r")
    assert person.living() == []
