"""The session example when its engine is killed: the same in the end, and no session is left."""

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

EXAMPLE = Path(__file__).parents[3] / "specs" / "workflows" / "session"
START = ("run", "session.akm", "--id", "r")
KILLS = 6
#: Repeats the moments of an earlier session, which printed it.
SEED = "AKM_TEST_SEED"


def copied(person: "Person") -> "Person":
    """The person in a copy of the example, with its `python` on PATH."""
    shutil.copytree(EXAMPLE, person.here, ignore=shutil.ignore_patterns("__pycache__", ".akm"), dirs_exist_ok=True)
    person.environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{person.environment['PATH']}"
    return person


def finished(person: "Person") -> dict[str, Any]:
    """What has to be the same, whatever happened on the way."""
    ended = person.told(*START)
    return {name: ended[name] for name in ("status", "outcome", "outputs", "digest", "plan_hash")}


@pytest.fixture(scope="module")
def undisturbed(
    person_in: "Callable[[Path], Person]", tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[dict[str, Any], float]]:
    """The facts of a run that nobody kills, and how long it took in seconds."""
    person = copied(person_in(tmp_path_factory.mktemp("undisturbed") / "here"))
    began = time.monotonic()
    facts = finished(person)
    yield facts, time.monotonic() - began
    person.leaves()


def test_one_session_serves_both_steps(undisturbed: tuple[dict[str, Any], float], person: "Person") -> None:
    facts, _ = undisturbed
    assert facts["outputs"]["longest"]["meaning"] == "High water is low, half-way between the moons."
    copied(person).does(*START)
    served = {one["session"] for one in person.events("assignment.dispatch")}
    assert served == {"glossary@1"}
    assert [one["why"] for one in person.events("session.close")] == ["run_ended"]
    assert person.living() == []


def test_an_interrupted_run_leaves_no_session_and_goes_on_with_the_next(person: "Person") -> None:
    copied(person).does(*START, "--max-steps", "1", code=4)
    assert [one["why"] for one in person.events("session.close")] == ["parked"]
    assert person.living() == []
    person.does(*START)
    assert [one["epoch"] for one in person.events("session.create")] == [1, 2]


@pytest.mark.parametrize("kill", range(KILLS))
def test_a_run_with_a_session_survives_kills_at_random_moments(
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
    person.does("verify", "r")
    assert person.living() == []
