"""What the simulated shell comes by: `python -m tests.assay.simulation --runs 300 --record FILE`.

Every example and the plan with every hazard, first cut off at every place, then by chance.
"""

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.assay.recorded import CHECKOUT, record

from akm.engine.plans import read
from akm.simulation.shell.trial import Tally, anything, every_place

SAYS = "Runs of the real engine on a host that is made up, cut off at every place and by chance."
HAZARDS = CHECKOUT / "tests" / "simulation" / "hazards" / "hazards.akm"


def plans() -> list[Path]:
    """Every example whose tools are processes, and the plan with every hazard."""
    examples = (CHECKOUT / "specs" / "workflows").glob("*/*.akm")
    return [*sorted(path for path in examples if path.stem not in ("registry", "session")), HAZARDS]


def measured(runs: int, seeds: int) -> dict[str, Any]:
    """The numbers, summed over all plans. Raises `trial.Failed` with the seed of whatever does not hold."""
    places, chance = Tally(), Tally()
    begun = time.monotonic()
    for source in plans():
        frozen = read(source)
        for seed in range(seeds):
            every_place(frozen, source.parent, seed, places)
        for seed in range(runs):
            anything(frozen, source.parent, seed, chance)
    met = Counter(chance.met)
    return {
        "plans": len(plans()),
        "every place": {"seeds a plan": seeds, "runs": places.runs, "cuts": places.cuts, "equal": places.equal},
        "chance": {"seeds a plan": runs, "runs": chance.runs, "cuts": chance.cuts, "places": chance.places},
        "met": dict(sorted(met.items())),
        "runs a minute": round(60 * (places.runs + chance.runs) / (time.monotonic() - begun)),
    }


def main() -> int:
    """Measure, tell, and write down."""
    parser = argparse.ArgumentParser(prog="python -m tests.assay.simulation", description=__doc__)
    parser.add_argument("--runs", type=int, default=100, help="seeds of each plan, by chance")
    parser.add_argument("--seeds", type=int, default=2, help="seeds of each plan, cut off at every place")
    parser.add_argument("--record", type=Path, metavar="FILE")
    options = parser.parse_args()
    found = measured(options.runs, options.seeds)
    print(found)
    if options.record is not None:
        record(options.record, SAYS, "python -m tests.assay.simulation", "campaigns", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
