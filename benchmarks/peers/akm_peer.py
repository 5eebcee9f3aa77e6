"""akm with Python functions as tools. Each step's intent is on the disk before it begins, and its result after.

A plan has at most 256 steps and 1,000 transitions. A thousand steps in a row are 250 that are gone through four
times; two thousand in a row are the items of a map, one at a time.
"""

import asyncio
import sys
from pathlib import Path

from scenario import STEPS_A_RUN, answer

import akm
from akmc.pipeline import compile_workflow, registry_beside
from akmc.source import Source

STEPS_A_ROUND = 250
TOOLS = """
from pathlib import Path
from scenario import note_step

rounds = 0

def step():
    return None

def last(given):
    global rounds
    rounds += 1
    if rounds < given["rounds"]:
        raise RuntimeError("once more")

def unit(given):
    return None

def noted_unit(given):
    note_step(Path.cwd(), given["item"])
"""
REGISTRY = """
tool step  { python "bench_tools:step", effect read_only }
tool last  { python "bench_tools:last", effect read_only }
tool unit  { python "bench_tools:unit", effect read_only }
tool noted { python "bench_tools:noted_unit", effect read_only }
"""
UNITS = """
workflow units "Units" {
  param numbers: list max 10000 of int
  step all: map number in params.numbers { run tool TOOL, parallel PARALLEL, on passed -> completed }
}
"""


def prepared(folder: Path, name: str, text: str) -> Path:
    sys.path.insert(0, str(folder))
    (folder / "bench_tools.py").write_text(TOOLS, encoding="utf-8")
    (folder / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    source = folder / f"{name}.akm"
    source.write_text(text, encoding="utf-8")
    return source


def compiled(source: Path) -> Path:
    """The plan of `source`, as `akmc compile` writes it."""
    plan = source.with_suffix(".plan.json")
    plan.write_bytes(compile_workflow(Source.read(str(source)), registry_beside(str(source))).data)
    return plan


def chain(steps: int, rounds: int) -> str:
    """A workflow of `steps` steps in a row, gone through `rounds` times."""
    middle = "".join(
        f"  step s{at}: exec step {{ attempts {rounds}, on passed -> s{at + 1} }}\n" for at in range(steps - 1)
    )
    again = f"on failed -> s0 max {rounds - 1}, " if rounds > 1 else ""
    clauses = f"attempts {rounds}, with {{ rounds: {rounds} }}, {again}on passed -> completed"
    end = f"  step s{steps - 1}: exec last {{ {clauses} }}\n"
    return f'workflow chain "A chain" {{\n  limits {{ transitions {steps * rounds} }}\n{middle}{end}}}\n'


def sequential(folder: Path, count: int) -> None:
    rounds = max(1, count // STEPS_A_ROUND)
    found = akm.run(prepared(folder, "chain", chain(count // rounds, rounds)), store=folder / ".akm")
    assert found.status == "completed", found


def runs(folder: Path, count: int) -> None:
    plan = compiled(prepared(folder, "chain", chain(STEPS_A_RUN, 1)))

    async def together() -> None:
        async with akm.Engine(store=folder / ".akm") as engine:
            begun = [await engine.start(plan, run_id=f"run-{number}") for number in range(count)]
            for each in begun:
                found = await each.end()
                assert found.status == "completed", found

    asyncio.run(together())


def of_units(folder: Path, count: int, tool: str, parallel: int) -> None:
    source = prepared(folder, "units", UNITS.replace("TOOL", tool).replace("PARALLEL", str(parallel)))
    given = {"numbers": list(range(count))}
    found = akm.run(source, given, store=folder / ".akm", run_id="one")
    assert found.status == "completed", found


def units(folder: Path, count: int) -> None:
    of_units(folder, count, "unit", 64)


def resumable(folder: Path, count: int) -> None:
    if not (folder / ".akm").exists():
        of_units(folder, count, "noted", 1)
        return

    async def resumed() -> None:
        sys.path.insert(0, str(folder))
        async with akm.Engine(store=folder / ".akm") as engine:
            await (await engine.resume("one")).end()

    asyncio.run(resumed())


def opening(folder: Path, count: int) -> None:
    async def opened() -> None:
        async with akm.Engine(store=folder / ".akm"):
            pass

    asyncio.run(opened())


if __name__ == "__main__":
    answer({"sequential": sequential, "runs": runs, "units": units, "resumable": resumable, "open": opening})
