"""Measuring one contender in one scenario, once: a fresh folder, a fresh process."""

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from contenders import Contender

#: A contender that needs longer for one measurement is said to have failed in it.
PATIENCE_S = 600


class Failed(Exception):
    """A contender did not do what it was asked for."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """`unit` is what the number counts; `more_is_better` tells rates from times and sizes."""

    name: str
    title: str
    unit: str
    count: int
    more_is_better: bool = True
    work_a_count: int = 1


SCENARIOS = (
    Scenario("sequential", "1,000 sequential steps", "steps/s", 1_000),
    Scenario("runs", "100 runs of 10 steps", "steps/s", 100, work_a_count=10),
    Scenario("units", "1,000 units at once", "units/s", 1_000),
    Scenario(
        "resume", "killed at step 1,000 of 2,000: start to the next new step", "s", 2_000, more_is_better=False
    ),
    Scenario("open", "import and open", "ms", 1, more_is_better=False),
    Scenario("bytes", "on disk", "bytes/step", 1_000, more_is_better=False),
)


def measure(contender: Contender, python: Path, scenario: Scenario, folder: Path) -> float:
    """One measurement, in the scenario's unit. Raises Failed."""
    with _fresh(folder):
        match scenario.name:
            case "resume":
                return _resumed(contender, python, scenario.count, folder)
            case "open":
                before = time.perf_counter()
                _run(contender.command(python, "open", 1, folder))
                return (time.perf_counter() - before) * 1000
            case "bytes":
                _run(contender.command(python, "sequential", scenario.count, folder))
                return _size(folder) / scenario.count
            case _:
                seconds = _run(contender.command(python, scenario.name, scenario.count, folder))
                return scenario.count * scenario.work_a_count / seconds


@contextmanager
def _fresh(folder: Path) -> Iterator[None]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> float:
    """The seconds that the contender says its work took, without its start."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired as error:
        raise Failed(f"no end after {PATIENCE_S} s") from error
    if done.returncode != 0 or not done.stdout.strip():
        raise Failed((done.stderr.strip().splitlines() or ["no output"])[-1])
    return float(json.loads(done.stdout.strip().splitlines()[-1])["seconds"])


def _resumed(contender: Contender, python: Path, count: int, folder: Path) -> float:
    """Kill it half way, start it again, and see when the first step comes that was not there before."""
    command = contender.command(python, "resumable", count, folder)
    first = _started(command)
    _await_steps(first, folder, count // 2)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    done = max(_steps(folder))
    before = time.time_ns()
    second = _started(command)
    try:
        _await_steps(second, folder, done + 2)
        new = min(at for number, at in _steps(folder).items() if number > done)
        return (new - before) / 1e9
    finally:
        os.killpg(second.pid, signal.SIGKILL)
        second.wait()


def _started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)


def _await_steps(process: subprocess.Popen[bytes], folder: Path, wanted: int) -> None:
    limit = time.monotonic() + PATIENCE_S
    while len(_steps(folder)) < wanted:
        if process.poll() is not None or time.monotonic() > limit:
            raise Failed(f"only {len(_steps(folder))} of {wanted} steps came")
        time.sleep(0.002)


def _steps(folder: Path) -> dict[int, int]:
    """When each step was done last, in ns, by its number."""
    log = folder / "steps.log"
    lines = log.read_text().splitlines() if log.exists() else []
    return {int(number): int(at) for number, _, at in (line.partition(" ") for line in lines) if at}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
