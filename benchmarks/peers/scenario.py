"""What every peer is asked to do, and how it answers: one JSON object on standard output.

A peer is a program with this command line. It does the same work as all others: a step that returns a small
number, durable before the next one starts.

    PEER sequential --count N   one run of N steps, one after another
    PEER runs --count R         R runs of ten steps each, in one process
    PEER units --count N        one run with N units of work at once
    PEER resumable --count N    like sequential, with a line in steps.log for each step that is done;
                                started again after a kill, it goes on
    PEER open --count 1         import what is needed and open the store
"""

import argparse
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

STEPS_A_RUN = 10

Scenario = Callable[[Path, int], None]


def note_step(folder: Path, number: int) -> None:
    """Tells the suite, in the file that it watches, that step `number` was done just now."""
    with (folder / "steps.log").open("a") as log:
        log.write(f"{number} {time.time_ns()}\n")


def answer(scenarios: Mapping[str, Scenario]) -> None:
    """Does what the command line asks for and prints how long that took, in seconds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("scenario", choices=sorted(scenarios))
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--folder", type=Path, required=True)
    asked = parser.parse_args()
    os.chdir(asked.folder)
    started = time.perf_counter()
    scenarios[asked.scenario](asked.folder, asked.count)
    print(json.dumps({"seconds": time.perf_counter() - started}), flush=True)
