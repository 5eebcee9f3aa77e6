"""Which branches the suite takes, by room: `python -m tests.assay.coverage --record FILE`.

Runs the whole suite, or the tests that are named, with every process that they start. What a process did that was
killed is not known. Supervisors, and other processes that load nothing of their environment, are not seen at all:
of `akm.dispatch.supervisor` more is covered than these numbers say.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.assay.recorded import CHECKOUT, record

SAYS = "Statements and branches that the suite takes, by room, in every process that can be asked."


def measured(folder: Path, tests: list[str], workers: int) -> dict[str, dict[str, float]]:
    """Statements and branches by room. Tests that fail under measurement are told by pytest, and stop nothing."""
    environment = {**os.environ, "COVERAGE_FILE": str(folder / "data")}
    program = [sys.executable, "-m", "coverage"]
    run = [*program, "run", "-m", "pytest", "-q", "-n", str(workers), *tests]
    subprocess.run(run, cwd=CHECKOUT, env=environment, check=False)
    subprocess.run([*program, "combine", "-q"], cwd=CHECKOUT, env=environment, check=True)
    report = folder / "report.json"
    subprocess.run([*program, "json", "-q", "-o", str(report)], cwd=CHECKOUT, env=environment, check=True)
    return by_room(json.loads(report.read_text(encoding="utf-8"))["files"])


def by_room(files: dict[str, dict[str, dict[str, int]]]) -> dict[str, dict[str, float]]:
    """The numbers of each package, summed over its modules."""
    found: dict[str, dict[str, float]] = {}
    for name, file in files.items():
        parts = Path(name).parts
        top = next(at for at, part in enumerate(parts) if part in ("akm", "akmc", "akm_specs", "akm_grammar"))
        room = found.setdefault(".".join(parts[top : max(top + 1, min(top + 2, len(parts) - 1))]), {})
        for number in ("covered_lines", "num_statements", "covered_branches", "num_branches"):
            room[number] = room.get(number, 0) + file["summary"][number]
    for room in found.values():
        taken, all_ = (
            room["covered_lines"] + room["covered_branches"],
            room["num_statements"] + room["num_branches"],
        )
        room["percent"] = round(100 * taken / all_, 2) if all_ else 100.0
    return dict(sorted(found.items()))


def main() -> int:
    """Measure, tell, and write down."""
    parser = argparse.ArgumentParser(prog="python -m tests.assay.coverage", description=__doc__)
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="use this report of coverage.py instead of a run"
    )
    parser.add_argument("--of", metavar="COMMIT", help="the sources that the report is of, where not these")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("tests", nargs="*", help="the whole suite by default")
    options = parser.parse_args()
    if options.report is not None:
        rooms = by_room(json.loads(options.report.read_text(encoding="utf-8"))["files"])
    else:
        with tempfile.TemporaryDirectory(prefix="akm-coverage-") as folder:
            rooms = measured(Path(folder), options.tests, options.workers)
    for room, numbers in rooms.items():
        print(f"{room:24} {numbers['percent']:6.2f} %")
    if options.record is not None:
        record(options.record, SAYS, "python -m tests.assay.coverage", "measurements", rooms, options.of)
    return 0


if __name__ == "__main__":
    sys.exit(main())
