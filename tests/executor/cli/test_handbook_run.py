"""The handbook example (child workflows) when its engine is killed: every run of it the same in the end."""

import random
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Calm, Person

EXAMPLE = ("handbook", "bundles")
START = ("run", "handbook.akm", "--id", "r")
KILLS = 4


def finished(person: "Person") -> dict[str, Any]:
    """What has to be the same, whatever happened on the way: of the parent, and of each child by its id."""
    ended = person.told(*START)
    runs = {row["run_id"]: row["status"] for row in person.told("list")}
    digests = {run: person.told("digest", run)["digest"] for run in sorted(runs)}
    return {"outputs": ended["outputs"], "runs": runs, "digests": digests}


def test_an_undisturbed_handbook_has_a_child_for_each_bundle(
    undisturbed: "Calm",
) -> None:
    facts = undisturbed.facts
    assert list(facts["runs"].values()) == ["completed"] * 3
    assert sorted(run.rpartition("-")[0] for run in facts["runs"] if run != "r") == ["notes-1", "site-1"]
    assert facts["outputs"]["contents"]["files"] == [
        "site/contact.html",
        "site/index.html",
        "notes/releases.txt",
        "notes/reviews.txt",
    ]


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_handbook_and_its_children_survive_kills_at_random_moments(
    person: "Person", undisturbed: "Calm", seed: str, kill: int
) -> None:
    moment = random.Random(f"{seed} {kill}")
    person.copies(*EXAMPLE)
    for _ in range(2):
        person.kills(person.begins(*START), moment.uniform(0, undisturbed.took_s))
    assert finished(person) == undisturbed.facts
    for run in undisturbed.facts["runs"]:
        person.does("verify", run)
    assert person.living() == []
