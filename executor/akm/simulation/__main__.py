"""The whole shell on a host that is made up: `python -m akm.simulation PLAN [--seed N] [--runs N]`.

Each seed is one run of the plan through engines that are cut off, stand still, meet full disks and reboots; the run
is cancelled, asked twice, and resolved by people. With `--every-place` the run of each seed is made once in peace,
and then once for each place at which an engine can be cut off, and must always come to the same. The same seed
gives the same run to the byte.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from akm.engine import plans
from akm.simulation.shell.trial import Failed, Tally, anything, every_place


def main() -> int:
    """Exit 0, or 1 when something that must hold did not; then it says how to see it again."""
    parser = argparse.ArgumentParser(
        prog="python -m akm.simulation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("plan", type=Path, help="a plan, or a source")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--runs", type=int, default=1, help="how many seeds")
    parser.add_argument(
        "--every-place", action="store_true", help="cut off once at each place, instead of by chance"
    )
    asked = parser.parse_args()
    try:
        frozen = plans.read(asked.plan)
    except (plans.PlanUnreadable, plans.PlanAltered, plans.SourceRefused) as refused:
        sys.stderr.write(f"{refused}\n")
        return 2
    tally, begun = Tally(), time.monotonic()
    trial, flag = (every_place, " --every-place") if asked.every_place else (anything, "")
    for seed in range(asked.seed, asked.seed + asked.runs):
        try:
            trial(frozen, asked.plan.parent, seed, tally)
        except Failed as failed:
            again = f"python -m akm.simulation {asked.plan} --seed {seed}{flag}"
            sys.stderr.write(f"{failed}\nsee it again: {again}\n")
            return 1
    told = {**tally.told(), "seconds": round(time.monotonic() - begun, 1)}
    sys.stdout.write(f"{json.dumps(told, indent=2)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
