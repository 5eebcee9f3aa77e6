"""The review example (map, panel, agent with a gate, judge) when its engine is killed: the same in the end."""

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Calm, Person

EXAMPLE = ("review",)
START = ("run", "review.akm", "--id", "r")
KILLS = 6


def finished(person: "Person") -> dict[str, Any]:
    """The example's run, driven to its end."""
    return person.finishes(*START)


def test_an_undisturbed_review_does_one_unit_for_each_text_critic_round_and_judge(
    undisturbed: "Calm", person: "Person"
) -> None:
    facts = undisturbed.facts
    assert facts["status"] == "completed"
    assert [each["words"] for each in facts["outputs"]["measure"]] == [18, 36, 13]
    assert "Recommendation" in facts["outputs"]["report"]["report"]
    person.copies(*EXAMPLE)
    person.does(*START)
    log = person.told("log", "r")
    made = [one["entity"] for one in log if one["event"] == "assignment.create"]
    assert [one for one in made if one.startswith("report")] == [
        "report#1",
        "report.gate#1",
        "report#1~2",
        "report.gate#1~2",
    ]
    assert len(made) == 3 + 3 + 4 + 1


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_review_survives_kills_at_random_moments(
    person: "Person", undisturbed: "Calm", seed: str, kill: int
) -> None:
    moment = random.Random(f"{seed} {kill}")
    person.copies(*EXAMPLE)
    for _ in range(2):
        person.kills(person.begins(*START), moment.uniform(0, undisturbed.took_s))
    assert finished(person) == undisturbed.facts
    person.does("verify", "r")
    assert person.living() == []
