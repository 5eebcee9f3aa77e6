"""Trials of one plan: a calm run, the same run cut off at every place, and runs in which anything may happen."""

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from akm.engine.plans import FrozenPlan
from akm.kernel.scopes import secrets_of_steps
from akm.simulation.campaign import made_parameters
from akm.simulation.shell.faults import Faults
from akm.simulation.shell.run import Meddling, ShellRun
from akm.simulation.world import World
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan

#: How likely an engine is cut off at each place that it comes by, where chance decides.
CUT_RATE = 0.04


@dataclass(slots=True)
class Tally:
    """What trials came by: runs, places at which an engine can be cut off, cuts, and digests that were equal."""

    runs: int = 0
    places: int = 0
    cuts: int = 0
    equal: int = 0
    met: Counter[str] = field(default_factory=Counter)

    def add(self, run: ShellRun) -> None:
        """One more."""
        self.runs += 1
        self.places += run.faults.places
        self.cuts += run.faults.cuts
        self.met += run.met + run.faults.met

    def told(self) -> JsonObject:
        """The same as JSON, with how often each hard case was met."""
        return {
            "runs": self.runs,
            "places": self.places,
            "cuts": self.cuts,
            "equal_digests": self.equal,
            "met": dict(sorted(self.met.items())),
        }


class Failed(Exception):
    """Something that must always hold did not; the message says with which seed and at which place."""


def calm(frozen: FrozenPlan, source: Path, seed: int, tally: Tally) -> tuple[str, int]:
    """A run without any fault: its digest, and how many places it comes by. Raises Failed."""
    return _tried(frozen, source, seed, Faults(), _meddling(seed), tally)


def every_place(frozen: FrozenPlan, source: Path, seed: int, tally: Tally) -> None:
    """The run of `seed`, cut off once at each of its places: it always comes to the same. Raises Failed."""
    wanted, places = calm(frozen, source, seed, tally)
    for at in range(1, places + 1):
        found, _ = _tried(frozen, source, seed, Faults(at=at), _meddling(seed), tally, f", cut off at place {at}")
        if found != wanted:
            raise Failed(f"seed {seed}, cut off at place {at}: the digest is {found}, and in peace {wanted}")
        tally.equal += 1


def anything(frozen: FrozenPlan, source: Path, seed: int, tally: Tally) -> None:
    """A run in which whatever can happen may. Raises Failed."""
    chance = random.Random(f"{seed} faults")  # noqa: S311  # no secret: a seed gives it again
    meddling = _meddling(seed)
    meddling.cancel_rate, meddling.repeat_rate = chance.choice((0.0, 0.0, 0.02)), 0.3
    meddling.rival_rate = 0.05
    meddling.stalls, meddling.reboot_rate = chance.random() < 0.5, chance.choice((0.0, 0.2))
    meddling.silent_rate, meddling.late_rate = chance.choice((0.0, 0.3)), chance.choice((0.0, 0.05))
    _tried(frozen, source, seed, Faults(chance=chance, rate=CUT_RATE), meddling, tally)


def _meddling(seed: int) -> Meddling:
    return Meddling(random.Random(f"{seed} meddling"))  # noqa: S311  # as above


def _tried(
    frozen: FrozenPlan, source: Path, seed: int, faults: Faults, meddling: Meddling, tally: Tally, how: str = ""
) -> tuple[str, int]:
    with _places(source) as (workspace, directory):
        parameters = made_parameters(frozen.plan, seed)
        world = World(frozen.plan, str(seed))
        ambient = _ambient(frozen.plan, directory.parent / "programs")
        run = ShellRun(frozen, parameters, workspace, directory, ambient, world, faults, meddling)
        try:
            found = run.drive()
        except Exception as broken:  # whatever it is: an engine raises nothing that `akm run` would not tell
            raise Failed(f"seed {seed}{how}: {type(broken).__name__}: {broken}") from broken
        tally.add(run)
        return found, faults.places


@contextmanager
def _places(source: Path) -> Iterator[tuple[Path, Path]]:
    """A workspace like `source`, and a directory for a store."""
    with tempfile.TemporaryDirectory(prefix="akm-simulation-") as folder:
        workspace = Path(folder) / "workspace"
        shutil.copytree(source, workspace, ignore=shutil.ignore_patterns(".akm", ".git", "__pycache__"))
        yield workspace, Path(folder) / "store"


def _ambient(plan: Plan, programs: Path) -> dict[str, str]:
    """An environment in which every program and every variable is there that `plan` or a child of it names."""
    programs.mkdir()
    ambient = {"PATH": str(programs)}
    for one in (plan, *plan.get("children", {}).values()):
        for tool in one["tools"].values():
            ambient |= dict.fromkeys(tool["env"], "simulated")
            for argv in (tool["argv"], tool["receipt"]):
                if argv and "/" not in argv[0]:
                    _make(programs / argv[0])
        ambient |= {variable: "simulated" for _, variable in secrets_of_steps(one)}
    _make(programs / "git")
    return ambient


def _make(program: Path) -> None:
    program.write_text("#!/bin/false\n", encoding="ascii")
    program.chmod(0o700)
