"""What a process costs under a supervisor, beside what it costs without: `python benchmarks/process_cost.py`.

Each round runs the same program in two ways, one after the other, so that both meet the same machine: by
`subprocess.run`, which keeps no record and survives nothing, and by our dispatch, which claims, captures, bounds,
masks and records. A round's ratio is the rate of the second to that of the first; the median of the rounds counts.
"""

import argparse
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from akm.dispatch.environment import tool_environment
from akm.dispatch.processes import Processes, ProcessRequest

PROGRAM = ("/bin/true",)


def bare_s(count: int) -> float:
    """How long `count` processes take without us, in seconds."""
    begun = time.perf_counter()
    for _ in range(count):
        subprocess.run(PROGRAM, capture_output=True, check=True)
    return time.perf_counter() - begun


def dispatched_s(processes: Processes, here: Path, count: int) -> float:
    """How long `count` processes take under a supervisor, one after the other, in seconds."""
    environment = tool_environment((), os.environ).variables
    begun = time.perf_counter()
    for number in range(count):
        work = f"bench {here.name} {number}"
        request = ProcessRequest(
            argv=PROGRAM,
            directory=here,
            stdin=None,
            environment=environment,
            secrets=(),
            timeout_ms=60_000,
            output_bytes_max=8 * 1024 * 1024,
            folder=here / str(number),
            work=work,
            token=work,
        )
        processes.start(work, request)
        ended = processes.wait(60)
        if ended is None or ended[1].exit_code != 0:
            raise SystemExit(f"{PROGRAM[0]} did not end well: {ended}")
    return time.perf_counter() - begun


def first_s(here: Path) -> float:
    """How long the first process takes, with the start of its supervisor, in seconds."""
    processes = Processes()
    took = dispatched_s(processes, here, 1)
    processes.close()
    return took


def main() -> None:
    """Measure, and print a line a way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200, help="processes a round and way")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        rooms = [Path(folder, name) for name in ("first", *map(str, range(arguments.rounds + 1)))]
        for room in rooms:
            room.mkdir()
        first = first_s(rooms[0])
        processes = Processes()
        dispatched_s(processes, rooms[1], 1)
        rounds = [(bare_s(arguments.count), dispatched_s(processes, room, arguments.count)) for room in rooms[2:]]
        processes.close()
    bare, ours = (statistics.median(column) / arguments.count * 1000 for column in zip(*rounds, strict=True))
    ratios = sorted(without / under for without, under in rounds)
    print(f"subprocess.run       {bare:7.3f} ms a process")
    print(f"under a supervisor   {ours:7.3f} ms a process")
    print(f"the first of them    {first * 1000:7.1f} ms, with the supervisor's own start")
    print(f"rate, as a ratio     {statistics.median(ratios):7.2f}    (from {ratios[0]:.2f} to {ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
