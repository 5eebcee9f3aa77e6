"""The whole shell on a simulated host: whatever happens to engine, disk and machine, what must hold holds.

The long form is `python -m akm.simulation PLAN --runs 10000`, and with `--every-place`.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from akm.engine.plans import FrozenPlan, read
from akm.journal.store import Store
from akm.kernel.event import linked
from akm.simulation.shell.run import RUN, ShellRun
from akm.simulation.shell.trial import Failed, Tally, anything, every_place

ROOT = Path(__file__).parents[2]
HAZARDS = Path(__file__).parent / "hazards"
EXAMPLES = ROOT / "specs" / "workflows"
#: Every example whose tools are processes; a session's would be started for real.
PLANS = tuple(
    sorted(path for path in EXAMPLES.glob("*/*.akm") if path.stem not in ("registry", "session"))
    if EXAMPLES.is_dir()
    else ()
)
#: Hard cases that so many runs of the plan with every hazard come by.
RUNS = 40
SOMETIMES = {
    *("LeaseLost", "StoreBusy", "StoreFull", "assignment.retry", "attempt.lose", "attempt.reattach", "reboot"),
    *(
        "cut after a claim",
        "cut after a start",
        "cut after an append",
        "cut before a start",
        "cut before an append",
    ),
    *("effect.block", "resolution.recorded", "rival", "sent at the last moment", "stalled before a start"),
    *("stalled before an append", "stalled after an append"),
}

Kept = Callable[[int], list[str]]


@pytest.fixture(scope="module")
def hazards() -> FrozenPlan:
    """The plan with every hazard."""
    return read(HAZARDS / "hazards.akm")


@pytest.mark.parametrize("source", PLANS, ids=lambda path: path.stem)
def test_wherever_its_engine_is_cut_off_an_example_comes_to_the_same(source: Path) -> None:
    tally = Tally()
    every_place(read(source), source.parent, 0, tally)
    assert tally.cuts == tally.equal > 0


def test_wherever_its_engine_is_cut_off_a_run_with_every_hazard_comes_to_the_same(hazards: FrozenPlan) -> None:
    tally = Tally()
    every_place(hazards, HAZARDS, 1, tally)
    assert tally.cuts == tally.equal > 0
    assert {"attempt.reattach", "cut after a start"} <= set(tally.met)


def test_whatever_happens_what_must_hold_holds_and_the_hard_cases_are_met(hazards: FrozenPlan) -> None:
    tally = Tally()
    for seed in range(RUNS):
        anything(hazards, HAZARDS, seed, tally)
    assert not SOMETIMES - set(tally.met), tally.told()


@pytest.fixture
def kept(hazards: FrozenPlan, monkeypatch: pytest.MonkeyPatch) -> Kept:
    """The exported history of the run of a seed."""
    prove = ShellRun._prove
    lines: list[str] = []

    def exported(self: ShellRun) -> None:
        with closing(Store(self.directory, create=False, time=self.host)) as store:
            lines.extend(json.dumps(one.exported(), sort_keys=True) for one in linked(store.recorded(RUN)))
        prove(self)

    def of(seed: int) -> list[str]:
        lines.clear()
        anything(hazards, HAZARDS, seed, Tally())
        return list(lines)

    monkeypatch.setattr(ShellRun, "_prove", exported)
    return of


def test_the_same_seed_gives_the_same_history_to_the_byte_and_another_does_not(kept: Kept) -> None:
    assert kept(5) == kept(5)
    assert kept(5) != kept(6)


def test_what_does_not_hold_is_told_with_the_seed_that_shows_it(
    hazards: FrozenPlan, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Any, store: Store, run: str) -> list[str]:
        return ["something"]

    monkeypatch.setattr(ShellRun, "_problems_of", broken)
    with pytest.raises(Failed, match="seed 7: Broken: something"):
        anything(hazards, HAZARDS, 7, Tally())


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        (sys.executable, "-m", "akm.simulation", *words), capture_output=True, text=True, timeout=300, check=False
    )


def test_the_command_tells_what_its_runs_came_by() -> None:
    done = command(str(HAZARDS / "short.akm"), "--runs", "2", "--every-place")
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert (told["cuts"], told["equal_digests"]) == (told["runs"] - 2, told["runs"] - 2)


def test_the_command_refuses_what_is_no_plan(tmp_path: Path) -> None:
    done = command(str(tmp_path / "missing.akm"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing.akm" in done.stderr
    assert "Traceback" not in done.stderr
