"""Feeds altered input to every door of the compiler and the executor: `python -m tests.assay.fuzz --minutes 30`.

No input may lead to a traceback, to an exit code that docs/reference/cli.md does not list, to no answer in time,
or to a result that is silently another one. A case is its target and its seed: `--target reply --seed 7 --cases
1` is it again.
"""

import argparse
import json
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from tests.assay import fuzz_commands, fuzz_executor, fuzz_sources
from tests.assay.faulty import Wrong
from tests.assay.recorded import record

#: One case: a chance, and a folder that is empty.
Case: TypeAlias = Callable[[random.Random, Path], str]
TARGETS: dict[str, Case] = {
    "source.akm": fuzz_sources.akm,
    "source.yaml": fuzz_sources.yaml,
    "source.md": fuzz_sources.markdown,
    "plan.bytes": fuzz_executor.plan_bytes,
    "plan.sealed": fuzz_executor.plan_sealed,
    "reply": fuzz_executor.reply,
    "tool.output": fuzz_executor.tool_output,
    "journal.database": fuzz_commands.journal_database,
    "journal.wal": fuzz_commands.journal_wal,
    "arguments.akm": fuzz_commands.arguments_akm,
    "arguments.akmc": fuzz_commands.arguments_akmc,
}
CASE_SECONDS_MAX = 60
SAYS = "Altered input, fed to every door: sources, plans, journals, replies, what tools print, arguments."


class Overdue(Exception):
    """A case has not come to its end in time."""


@dataclass(slots=True)
class Found:
    """What went wrong, and how often each target answered in which way."""

    answers: dict[str, Counter[str]] = field(default_factory=dict)
    wrong: list[dict[str, object]] = field(default_factory=list)

    @property
    def cases(self) -> int:
        """How many cases were tried."""
        return sum(each.total() for each in self.answers.values())


def try_case(target: str, seed: int, found: Found) -> None:
    """One case, counted by how it was answered."""
    try:
        with tempfile.TemporaryDirectory(prefix="akm-fuzz-") as folder, _in_time():
            answer = TARGETS[target](random.Random(f"{target} {seed}"), Path(folder))
    except Exception as error:
        answer = "WRONG"
        why = str(error) if isinstance(error, Wrong) else traceback.format_exc(limit=-8)
        found.wrong.append({"target": target, "seed": seed, "why": why})
    found.answers.setdefault(target, Counter())[answer] += 1


@contextmanager
def _in_time() -> Iterator[None]:
    def overdue(*_: object) -> None:
        raise Overdue(f"no answer after {CASE_SECONDS_MAX} s")

    before = signal.signal(signal.SIGALRM, overdue)
    signal.alarm(CASE_SECONDS_MAX)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main() -> int:
    """Try cases until the time or their number is used up, and write down what was found."""
    options = _options()
    targets, found = options.target or list(TARGETS), Found()
    began, seed = time.monotonic(), options.seed
    deadline = began + options.minutes * 60
    spent = dict.fromkeys(targets, 0.0)
    while spent and time.monotonic() < deadline:
        target = min(spent, key=lambda one: spent[one])  # each gets as much time as any other
        at, wrong = time.monotonic(), len(found.wrong)
        number = found.answers.get(target, Counter()).total()
        if options.cases is not None and number >= options.cases:
            del spent[target]
            continue
        try_case(target, seed + number, found)
        spent[target] += time.monotonic() - at
        for each in found.wrong[wrong:]:
            print(f"{each['target']} --seed {each['seed']}: {each['why']}", flush=True)
    _tell(options, found, time.monotonic() - began)
    return 1 if found.wrong else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.assay.fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--cases", type=int, help="at most so many of each target")
    parser.add_argument("--seed", type=int, default=1, help="the first case's seed; each next one has the next")
    parser.add_argument("--target", action="append", choices=TARGETS, help="only this one; may be repeated")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the numbers there, as JSON")
    return parser.parse_args()


def _tell(options: argparse.Namespace, found: Found, seconds: float) -> None:
    answers = {target: dict(sorted(each.items())) for target, each in sorted(found.answers.items())}
    print(json.dumps(answers, indent=2))
    print(f"{found.cases} cases in {seconds / 60:.1f} minutes, {len(found.wrong)} wrong")
    if options.record is not None:
        campaign = {
            "targets": options.target or list(TARGETS),
            "seed": options.seed,
            "minutes": round(seconds / 60, 1),
            "cases": found.cases,
            "answers": answers,
            "wrong": found.wrong,
        }
        record(options.record, SAYS, "python -m tests.assay.fuzz --minutes 30", "campaigns", campaign)


if __name__ == "__main__":
    sys.exit(main())
