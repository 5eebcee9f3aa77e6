"""The handbook example (child workflows) when its engine is killed: every run of it the same in the end."""

import os
import random
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.executor.cli.conftest import Person

EXAMPLE = Path(__file__).parents[3] / "specs" / "workflows" / "handbook"
START = ("run", "handbook.akm", "--id", "r")
KILLS = 4
#: Repeats the moments of an earlier session, which printed it.
SEED = "AKM_TEST_SEED"


def copied(person: "Person") -> "Person":
    """The person in a copy of the example, with its `python` on PATH."""
    left_out = shutil.ignore_patterns("__pycache__", ".akm", "bundles")
    shutil.copytree(EXAMPLE, person.here, ignore=left_out, dirs_exist_ok=True)
    person.environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{person.environment['PATH']}"
    return person


def finished(person: "Person") -> dict[str, Any]:
    """What has to be the same, whatever happened on the way: of the parent, and of each child by its id."""
    ended = person.told(*START)
    runs = {row["run_id"]: row["status"] for row in person.told("list")}
    digests = {run: person.told("digest", run)["digest"] for run in sorted(runs)}
    return {"outputs": ended["outputs"], "runs": runs, "digests": digests}


@pytest.fixture(scope="module")
def undisturbed(
    person_in: "Callable[[Path], Person]", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, Any], float]]:
    """The facts of a run that nobody kills, and how long it took in seconds."""
    person = copied(person_in(tmp_path_factory.mktemp("undisturbed") / "here"))
    began = time.monotonic()
    person.does(*START)
    took_s = time.monotonic() - began
    yield finished(person), took_s
    person.leaves()


def test_an_undisturbed_handbook_has_a_child_for_each_bundle(
    undisturbed: tuple[dict[str, Any], float],
) -> None:
    facts, _ = undisturbed
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
    person: "Person", undisturbed: tuple[dict[str, Any], float], kill: int
) -> None:
    facts, within_s = undisturbed
    seed = os.environ.get(SEED) or str(secrets.randbits(32))
    print(f"{SEED}={seed}")
    moment = random.Random(f"{seed} {kill}")
    copied(person)
    for _ in range(2):
        engine = person.begins(*START)
        time.sleep(moment.uniform(0, within_s))
        engine.kill()
        engine.wait()
    assert finished(person) == facts
    for run in facts["runs"]:
        person.does("verify", run)
    assert person.living() == []
