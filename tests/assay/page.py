"""The page of what was measured: `python -m tests.assay.page` makes docs/verification.md of the records."""

import json
from collections.abc import Iterator
from typing import Any

from tests.assay.recorded import CHECKOUT

RECORDS = CHECKOUT / "docs" / "verification"
PAGE = CHECKOUT / "docs" / "verification.md"
HEAD = """# What was verified

Each number was written down by the program that measured it, into `docs/verification/`; this page is made of those
records by `python -m tests.assay.page`. What each check is stands in [verification](reference/verification.md),
[simulation](reference/simulation.md), [history checker](reference/audit.md) and
[conformance](reference/conformance.md). The suite runs a short form of each.
"""
LIMITS = """
## What is not covered

- Sessions, functions of a host program and worktrees are not on the simulated host. They have tests with real
  processes.
- The disk is SQLite's: what it does with a sector that was half written is not simulated. A log (`akm.db-wal`) that
  was cut or damaged is read as far as it is whole, which is an earlier moment of the store; nothing there says that
  there was a later one.
- Mutation was sampled, and its goal of 95 of 100 is not reached. Only the rooms `kernel` and `reply` were asked.
- Branches: the kernel has a few that no test takes, the history checker more. What supervisors do is not seen
  by the measurement.
- SPIN explores two steps with at most two losses of the host. Children, panels and deliveries are not in its model.
- macOS was not run.
"""


def page() -> str:
    """The page, of the newest entry of each record."""
    return "\n".join((HEAD, *_simulation(), *_planted(), *_spin(), *_fuzz(), *_mutation(), *_coverage(), LIMITS))


def _entries(name: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    document = json.loads((RECORDS / f"{name}.json").read_text(encoding="utf-8"))
    (entries,) = (value for key, value in document.items() if key not in ("says", "command"))
    return document, entries


def _begin(title: str, document: dict[str, Any], commit: str) -> str:
    return f"## {title}\n\n{document['says']} `{document['command']}`, at `{commit}`.\n"


def _simulation() -> Iterator[str]:
    document, entries = _entries("simulation")
    numbers, met = entries[-1]["numbers"], entries[-1]["numbers"]["met"]
    every, chance = numbers["every place"], numbers["chance"]
    yield _begin("The whole shell, simulated", document, entries[-1]["commit"])
    yield "| | |\n|---|---|"
    yield f"| plans | {numbers['plans']} |"
    yield f"| engines cut off once, at every place of a run | {every['cuts']:,} |"
    yield f"| of these, runs with the digest of the calm one | {every['equal']:,} |"
    yield f"| runs by chance | {chance['runs']:,} |"
    yield f"| engines cut off in them | {chance['cuts']:,} |"
    yield f"| places that they came by | {chance['places']:,} |"
    yield f"| runs a minute, in one process | {numbers['runs a minute']:,} |"
    cases = ", ".join(
        f"{name} {count:,}" for name, count in met.items() if not name.startswith(("cut ", "stalled "))
    )
    yield f"\nHard cases that the runs by chance met: {cases}.\n"


def _planted() -> Iterator[str]:
    document, entries = _entries("planted")
    yield _begin("Planted bugs", document, entries[-1]["commit"])
    yield "| Promise that is broken | Found by | Seeds |\n|---|---|---|"
    for each in entries[-1]["numbers"]:
        yield f"| {each['promise']} | {each['trial']} | {each['seeds'] or 'not found'} |"
    yield ""


def _spin() -> Iterator[str]:
    document, entries = _entries("spin")
    yield _begin("A second model", document, entries[-1]["commit"])
    yield "| Class of the effects | States (kernel) | States (SPIN) | The same standings |\n|---|---|---|---|"
    for name, found in entries[-1]["numbers"].items():
        same = "yes" if found["the same standings"] else "no"
        yield f"| {name} | {found['kernel']} | {found['spin']} | {same} |"
    yield ""


def _fuzz() -> Iterator[str]:
    document, entries = _entries("fuzz")
    yield _begin("Altered input", document, entries[-1]["commit"])
    yield "| At | Minutes | Cases | Answered wrongly |\n|---|---|---|---|"
    for each in entries:
        numbers = each["numbers"]
        wrong = sum(answers.get("WRONG", 0) for answers in numbers["answers"].values())
        yield f"| `{each['commit']}` | {numbers['minutes']} | {numbers['cases']:,} | {wrong} |"
    yield "\nWhat was answered wrongly was mended, and is a test now.\n"


def _mutation() -> Iterator[str]:
    document, entries = _entries("mutation")
    yield _begin("Small faults", document, entries[-1]["commit"])
    yield "| Room | Mutants that there are | Tried | Noticed |\n|---|---|---|---|"
    for each in entries:
        numbers = each["numbers"]
        noticed = numbers["killed"] + numbers["hangs"]
        yield f"| {numbers['room']} | {numbers['mutants']:,} | {numbers['tried']} | {noticed} |"
    yield "\nEach survivor stands in the record, with a reason where one is known. The goal is 95 of 100.\n"


def _coverage() -> Iterator[str]:
    document, entries = _entries("coverage")
    yield _begin("Branches", document, entries[-1]["commit"])
    yield "| Room | Statements and branches taken |\n|---|---|"
    for room, numbers in entries[-1]["numbers"].items():
        yield f"| `{room}` | {numbers['percent']} % |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
