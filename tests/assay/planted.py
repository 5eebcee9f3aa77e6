"""After how many seeds each planted bug is found: `python -m tests.assay.planted --record FILE`."""

import argparse
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.assay.recorded import record
from tests.simulation.test_planted import HAZARDS, PLANTED, RUNS_MAX, Planted, planted, simulated

from akmc.pipeline import compile_workflow, registry_beside
from akmc.source import Source

SAYS = "Edits of the engine's source, each of which breaks one promise, and the first seed from 0 on that finds it."


def first_seed(bug: Planted, folder: Path) -> int | None:
    """The first seed by which the bug is found; None where no seed that is allowed finds it."""
    name, flags = ("short", ("--every-place",)) if bug.trial == "every place" else ("hazards", ())
    source = str(HAZARDS / f"{name}.akm")
    plan = folder / f"{name}.plan.json"
    plan.write_bytes(compile_workflow(Source.read(source), registry_beside(source)).data)
    told = simulated(plan, planted(bug, folder), "--runs", str(RUNS_MAX), *flags)
    found = re.search(r"--seed (\d+)", told.stderr)
    return None if found is None else int(found[1])


def main() -> int:
    """Measure, tell, and write down."""
    parser = argparse.ArgumentParser(prog="python -m tests.assay.planted", description=__doc__)
    parser.add_argument("--record", type=Path, metavar="FILE")
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    for bug in PLANTED:
        with tempfile.TemporaryDirectory(prefix="akm-planted-") as folder:
            seed = first_seed(bug, Path(folder))
        found.append({"promise": bug.promise, "trial": bug.trial, "seeds": None if seed is None else seed + 1})
        print(found[-1], flush=True)
    if options.record is not None:
        record(options.record, SAYS, "python -m tests.assay.planted", "bugs", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
