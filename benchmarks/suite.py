"""akm beside its peers: the same work, a commit on the disk for each step, in one run on one machine.

    python benchmarks/suite.py [--times 5] [--only akm --only "the limit"] [--out benchmarks/results]

Installs each peer into an environment of its own, measures the disk's limit in between, and writes
`table.md` and `chart.svg`. Contenders take turns, so that a slow minute of the machine hits all of them.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from contenders import CONTENDERS, Contender, NotInstalled, interpreter
from measure import SCENARIOS, Failed, Scenario, measure
from report import Measured, chart, table

TIMES_DEFAULT = 5


def main() -> None:
    asked = _arguments()
    with tempfile.TemporaryDirectory(prefix="akm-bench-", dir=asked.folder) as folder:
        pythons, skipped = _installed(_chosen(asked.only), asked.environments)
        measured = [
            found
            for scenario in SCENARIOS
            if not asked.scenario or scenario.name in asked.scenario
            for found in _scenario(scenario, pythons, asked.times, Path(folder))
        ]
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "table.md").write_text(table(measured, skipped), encoding="utf-8")
    (asked.out / "chart.svg").write_text(chart(measured), encoding="utf-8")
    print(table(measured, skipped))


def _arguments() -> argparse.Namespace:
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=TIMES_DEFAULT)
    parser.add_argument("--only", action="append", default=[], help="a contender's name; may be repeated")
    parser.add_argument("--scenario", action="append", default=[], help="a scenario's name; may be repeated")
    parser.add_argument("--out", type=Path, default=here / "results")
    parser.add_argument("--environments", type=Path, default=here / ".environments")
    parser.add_argument(
        "--folder", type=Path, default=None, help="where stores are made: the disk that is measured"
    )
    return parser.parse_args()


def _chosen(only: list[str]) -> list[Contender]:
    return [each for each in CONTENDERS if not only or each.name in only]


def _installed(contenders: list[Contender], environments: Path) -> tuple[dict[Contender, Path], dict[str, str]]:
    pythons: dict[Contender, Path] = {}
    skipped: dict[str, str] = {}
    for contender in contenders:
        try:
            pythons[contender] = interpreter(contender, environments)
        except NotInstalled as error:
            skipped[contender.name] = str(error)
    return pythons, skipped


def _scenario(scenario: Scenario, pythons: dict[Contender, Path], times: int, folder: Path) -> list[Measured]:
    values: dict[Contender, list[float]] = {contender: [] for contender in pythons}
    why: dict[Contender, str] = {}
    for turn in range(times):
        for contender, python in pythons.items():
            if contender in why:
                continue
            print(f"{scenario.name} {turn + 1}/{times}: {contender.name}", file=sys.stderr)
            try:
                values[contender].append(measure(contender, python, scenario, folder / "store"))
            except Failed as error:
                why[contender] = str(error)
    return [
        Measured(contender.name, scenario, tuple(found) if contender not in why else (), why.get(contender, ""))
        for contender, found in values.items()
    ]


if __name__ == "__main__":
    main()
