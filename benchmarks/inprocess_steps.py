"""What a step costs whose tool is a function, beside one durable commit: `python benchmarks/inprocess_steps.py`.

Each round commits single rows to a fresh SQLite file with the journal's settings, and drives a run of as many steps
in a row, each of which calls a function that returns at once. A round's ratio is the rate of the second to that of
the first; the median of the rounds counts. With `--profile` it says where the time of one run goes.
"""

import argparse
import cProfile
import pstats
import sqlite3
import statistics
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import akm

#: The module of the tool, which is imported from the folder of the run.
TOOLS = "def step():\n    return None\n"
REGISTRY = 'tool step { python "inprocess_steps_tools:step", effect read_only }\n'


def commits_s(here: Path, count: int) -> float:
    """How long `count` commits of one row take, in seconds."""
    with closing(sqlite3.connect(here / "bare.db", isolation_level=None)) as connection:
        for pragma in ("journal_mode = WAL", "synchronous = FULL"):
            connection.execute(f"PRAGMA {pragma}").fetchall()
        connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, body TEXT)")
        begun = time.perf_counter()
        for number in range(count):
            connection.execute("INSERT INTO rows VALUES (?, ?)", (number, "x" * 200))
        return time.perf_counter() - begun


def workflow(count: int) -> str:
    """A workflow of `count` steps in a row."""
    steps = "".join(
        f"  step s{at}: exec step {{ on passed -> {f's{at + 1}' if at + 1 < count else 'completed'} }}\n"
        for at in range(count)
    )
    return f'workflow steps "Steps in a row" {{\n  limits {{ transitions {count} }}\n{steps}}}\n'


def steps_s(here: Path, plan: Path) -> float:
    """How long one run takes, in seconds, with its opening."""
    begun = time.perf_counter()
    found = akm.run(plan, store=here / ".akm")
    took = time.perf_counter() - begun
    assert found.status == "completed", found
    return took


def measure(count: int, rounds: int, profile: bool) -> None:
    """Print the rates of both, and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        sys.path.insert(0, folder)
        (here / "inprocess_steps_tools.py").write_text(TOOLS, encoding="utf-8")
        (here / "registry.akm").write_text(REGISTRY, encoding="utf-8")
        (here / "steps.akm").write_text(workflow(count), encoding="utf-8")
        plan = compiled(here / "steps.akm")
        steps_s(here, plan)  # everything is loaded
        pairs = []
        for number in range(rounds):
            (here / str(number)).mkdir()
            pairs.append((commits_s(here / str(number), count), steps_s(here / str(number), plan)))
        if profile:
            told(here, plan)
    bare, ours = (statistics.median(one) for one in zip(*pairs, strict=True))
    print(f"single-row commits  {count / bare:10.0f} a second")
    print(f"steps in a row      {count / ours:10.0f} a second")
    print(f"rate, as a ratio    {statistics.median(a / b for a, b in pairs):10.2f}")


def compiled(source: Path) -> Path:
    """The frozen plan of `source`."""
    from akmc.pipeline import compile_workflow, registry_beside
    from akmc.source import Source

    plan = source.with_suffix(".plan.json")
    plan.write_bytes(compile_workflow(Source.read(str(source)), registry_beside(str(source))).data)
    return plan


def told(here: Path, plan: Path) -> None:
    """Where the time of a run's driver goes."""
    from akm.engine import driver

    profiler = cProfile.Profile()
    drive = driver.Driver.drive
    driver.Driver.drive = lambda self: profiler.runcall(drive, self)
    steps_s(here, plan)
    driver.Driver.drive = drive
    pstats.Stats(profiler).sort_stats("tottime").print_stats(30)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="steps in a run")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    measure(given.count, given.rounds, given.profile)
