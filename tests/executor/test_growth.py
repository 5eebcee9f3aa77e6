"""Cost grows in line with work. Counted, not timed: what SQLite executes, and the bytes that are kept."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from akm.journal import snapshots
from akm.journal.store import Store
from akm.kernel.observation import Arrived, AttemptEnded
from akm_specs.canonical import canonical

#: What takes n times the work may cost n to this power, at most.
EXPONENT_MAX = 1.15
#: A sequential step leaves no more than this on the disk, in bytes; source: docs/performance.md.
BYTES_A_STEP_MAX = 4_096


@dataclass
class Cost:
    """What was done in one store."""

    instructions: int = 0
    statements: int = 0
    bytes: int = 0


@pytest.fixture
def counted(tmp_path: Path, frozen_of: Callable[..., Any], ledger_type: Any) -> Callable[..., Cost]:
    """The cost of what is done to the run of a workflow's inside."""

    def cost_of(steps: str, work: Callable[[Any], None], **parameters: Any) -> Cost:
        store = Store(tmp_path / f"store-{len(list(tmp_path.iterdir()))}", create=True)
        found, connection = Cost(), store._database._connection

        def instruction() -> int:
            found.instructions += 1
            return 0

        def statement(text: str) -> None:
            found.statements += 1

        connection.set_progress_handler(instruction, 10)
        connection.set_trace_callback(statement)
        work(ledger_type(store, frozen_of(steps)).prepared())
        connection.set_progress_handler(None, 10)
        connection.set_trace_callback(None)
        store.close()
        found.bytes = (store.directory / "akm.db").stat().st_size
        return found

    return cost_of


def grown(few: Cost, many: Cost, times: int) -> dict[str, float]:
    """The power of the work that each cost grows with."""
    return {
        name: math.log(getattr(many, name) / getattr(few, name)) / math.log(times)
        for name in ("instructions", "statements", "bytes")
    }


def chain(count: int) -> str:
    return "".join(
        f"  step s{at}: exec read {{ on passed -> {f's{at + 1}' if at + 1 < count else 'completed'} }}\n"
        for at in range(count)
    )


def test_steps_in_a_row_cost_in_line_with_their_number(counted: Callable[..., Cost]) -> None:
    def work(count: int) -> Callable[[Any], None]:
        def ends(ledger: Any) -> None:
            for at in range(count):
                ledger.ends(f"s{at}#1/1")

        return ends

    few, many = counted(chain(30), work(30)), counted(chain(240), work(240))
    assert max(grown(few, many, 8).values()) < EXPONENT_MAX, (few, many)
    assert (many.bytes - few.bytes) / 210 < BYTES_A_STEP_MAX
    assert (many.statements - few.statements) / 210 <= 12


UNITS = """
  step list: exec read { output { items: list max 2000 of int }, on passed -> all }
  step all: map item in list.output.items { run tool read, parallel 64, on passed -> completed }
"""


def test_units_of_a_map_cost_in_line_with_their_number(counted: Callable[..., Cost]) -> None:
    def work(count: int) -> Callable[[Any], None]:
        return lambda ledger: worked(ledger, count)

    def worked(ledger: Any, count: int) -> None:
        stdout = canonical({"items": list(range(count))})
        ledger.tell(AttemptEnded(ledger.at_ms, "list#1/1", 0, stdout=stdout))
        while working := [one for one in ledger.run.state.attempts.values() if one.status == "starting"]:
            ends = tuple(AttemptEnded(ledger.at_ms, one.id, 0) for one in working[:32])
            ledger.tell(Arrived(ledger.at_ms, ends))

    few, many = counted(UNITS, work(100)), counted(UNITS, work(800))
    assert max(grown(few, many, 8).values()) < EXPONENT_MAX, (few, many)


def test_runs_of_a_store_cost_in_line_with_their_number(tmp_path: Path, ledger_type: Any, frozen_of: Any) -> None:
    frozen, costs = frozen_of(chain(2)), []
    for count in (20, 160):
        store, taken = Store(tmp_path / f"store-{count}", create=True), 0

        def instruction() -> int:
            nonlocal taken
            taken += 1
            return 0

        store._database._connection.set_progress_handler(instruction, 10)
        for number in range(count):
            ledger_type(store, frozen, f"r{number}").prepared().ends("s0#1/1").ends("s1#1/1")
        store._database._connection.set_progress_handler(None, 10)
        store.close()
        costs.append(Cost(taken, 1, (store.directory / "akm.db").stat().st_size))
    few, many = costs
    assert max(grown(few, many, 8).values()) < EXPONENT_MAX, costs


def test_a_driver_reads_no_more_events_of_a_run_eight_times_as_long(
    tmp_path: Path, ledger_type: Any, frozen_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is folded when a run is taken up is bounded by the spacing of snapshots, not by the run's length."""
    folded: list[int] = []
    for count in (30, 240):
        store = Store(tmp_path / f"store-{count}", create=True)
        ledger = ledger_type(store, frozen_of(chain(count))).prepared()
        for at in range(count - 1):
            ledger.ends(f"s{at}#1/1")
        taken, found = 0, snapshots.read(store._database, "r")
        opened = store.take_up("r")
        taken = opened.state.sequence - (0 if found is None else found.state.sequence)
        folded.append(taken)
        store.close()
    assert folded[1] <= snapshots.SPACING_BYTES // 50
    assert folded[1] < 8 * folded[0] / 2
