"""An example of each step kind, killed at random moments: the same in the end, and nothing is left."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

KINDS = ("exec", "agent", "gate", "approval", "wait", "route", "signal", "panel", "map", "judge")
#: What a run that has parked is waiting for.
ANSWERS = {
    "approval": ("approve", "r", "ask", "--as", "alice"),
    "signal": ("signal", "r", "open", "--data", '{"until": "noon"}', "--key", "once"),
}
#: A run of these examples takes less than this, in seconds, on a quiet machine.
TAKES_S = 1.0
KILLS = 2


def start(kind: str) -> tuple[str, ...]:
    return ("run", f"{kind}.akm", "--id", "r", "--wait") if kind == "wait" else ("run", f"{kind}.akm", "--id", "r")


def finished(person: "Person", kind: str) -> dict[str, Any]:
    """The run, driven to its end; whatever it waits for comes."""
    if kind in ANSWERS:
        person.does(*start(kind), code=4)
        person.does(*ANSWERS[kind])
    return person.finishes(*start(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_survives_kills_at_random_moments(
    person: "Person", person_in: "Callable[[Path], Person]", tmp_path: Path, seed: str, kind: str
) -> None:
    calm = person_in(tmp_path / "calm")
    calm.copies("kinds")
    expected = finished(calm, kind)
    assert expected["status"] == "completed"
    moment = random.Random(f"{seed} {kind}")
    person.copies("kinds")
    for _ in range(KILLS):
        person.kills(person.begins(*start(kind)), moment.uniform(0, TAKES_S))
    assert finished(person, kind) == expected
    person.does("verify", "r")
    assert person.living() == []
