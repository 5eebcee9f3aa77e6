"""What compiling costs: fresh processes and a warm one, a long source, and a folder of many.

    python benchmarks/compile_cost.py [--rounds N]

Prints medians and spreads in milliseconds, each beside an empty Python program of the same run, and the goal where
there is one. Times depend on the machine; their ratios to the empty program much less.
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from akmc.pipeline import compile_workflow
from akmc.source import Source

STEPS = 256
#: Lines of the long source.
LINES = 10_000
#: Sources of the folder that is linted.
FILES = 1_000

REGISTRY = """\
tool build { argv ["make", "build"] }
tool check { argv ["make", "check"], effect read_only }
tool model { argv ["model"], effect read_only }
agent coder { tool model }
group leads [alice, bob]
"""

#: Four steps that lead from one to the next; `{at}` and the numbers after it are theirs.
STRETCH = """\
  step s{at}: exec build {{
    timeout 5m
    output {{ name: string, count: int 0..9 }}
    on passed -> s{at1}
  }}
  step s{at1}: agent coder {{
    prompt "Look at the report and mend what it names."
    reads s{at}.output
    output {{ summary: string }}
    attempts 3
    on passed -> s{at2}
  }}
  step s{at2}: gate check {{
    attempts 3
    on passed -> s{at3}
    on failed -> s{at1} max 2
  }}
  step s{at3}: approval {{
    by leads
    timeout 24h
    on passed -> {then}
    on rejected -> failed
    on expired -> cancelled
  }}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """Something to measure. `goal_ms` is what a machine of two cores should need at most."""

    name: str
    goal_ms: int | None
    run: Callable[[], object]


def workflow(steps: int, lines: int = 0) -> str:
    """A workflow of so many steps of four kinds; comments make it `lines` long."""
    stretches = [
        STRETCH.format(
            at=at, at1=at + 1, at2=at + 2, at3=at + 3, then=f"s{at + 4}" if at + 4 < steps else "completed"
        )
        for at in range(0, steps, 4)
    ]
    text = "".join(stretches)
    said = "  # what the next steps are for, and why they come in this order\n"
    padding = said * (max(0, lines - text.count("\n") - 3) // len(stretches))
    body = "".join(padding + stretch for stretch in stretches)
    return f'workflow large "A large workflow" {{\n  limits {{ transitions 1000 }}\n{body}}}\n'


def command(*words: str) -> Callable[[], object]:
    """A fresh process of this Python."""
    return lambda: subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)


def cases(folder: Path) -> Iterator[Case]:
    """Everything that is measured; the files that it needs are made in `folder`."""
    (folder / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    for name, text in (("large", workflow(STEPS)), ("long", workflow(STEPS, LINES)), ("small", workflow(4))):
        (folder / f"{name}.akm").write_text(text, encoding="utf-8")
    many = folder / "many"
    many.mkdir()
    (many / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    for at in range(FILES):
        (many / f"w{at}.akm").write_text(workflow(4), encoding="utf-8")
    registry = Source.read(folder / "registry.akm")
    large, long = Source.read(folder / "large.akm"), Source.read(folder / "long.akm")
    compile_ = ("-m", "akmc", "compile")

    yield Case("an empty program", None, command("-c", "pass"))
    yield Case("4 steps, fresh", None, command(*compile_, str(folder / "small.akm")))
    yield Case(f"{STEPS} steps, fresh", 250, command(*compile_, str(folder / "large.akm")))
    yield Case(f"{STEPS} steps, warm", 60, lambda: compile_workflow(large, registry))
    yield Case(f"{LINES:,} lines, fresh", 2_000, command(*compile_, str(folder / "long.akm")))
    yield Case(f"{LINES:,} lines, warm", None, lambda: compile_workflow(long, registry))
    yield Case(f"lint of {FILES:,} files", 10_000, command("-m", "akmc", "lint", str(many)))


def milliseconds(run: Callable[[], object]) -> float:
    """How long one run takes."""
    start = time.perf_counter()
    run()
    return (time.perf_counter() - start) * 1000


def main() -> None:
    """Measures every case in turns, so that what slows the machine slows all of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7, help="how often each case is measured; default: 7")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as made:
        measured = [(case, [milliseconds(case.run)]) for case in cases(Path(made))]  # a round to warm up
        for _ in range(rounds):
            for case, times in measured:
                times.append(milliseconds(case.run))
    empty = statistics.median(measured[0][1][1:])
    print(f"{'':24}{'median':>9}{'least':>9}{'most':>9}{'x empty':>9}{'goal':>9}   (ms)")
    for case, (_, *times) in measured:
        middle = statistics.median(times)
        goal = "" if case.goal_ms is None else f"{case.goal_ms:,}"
        print(f"{case.name:24}{middle:9.1f}{min(times):9.1f}{max(times):9.1f}{middle / empty:9.1f}{goal:>9}")


if __name__ == "__main__":
    main()
