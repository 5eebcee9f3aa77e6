"""Making runs and looking at them: an id names one run, whoever asks first."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm.journal.faults import RunExists, UnknownRun
from akm.journal.lease import this_process
from akm.journal.store import Store

ONE_STEP = "step one: exec read { on passed -> completed }"
CREATE = """
import sys
from pathlib import Path
from akm.clock import HostTime, RunClock
from akm.engine.plans import read
from akm.journal.append import Entry
from akm.journal.lease import this_process
from akm.journal.store import Store
from akm.kernel.decide import created
from akm.kernel.decision import held

frozen, clock = read(Path(sys.argv[2])), RunClock(HostTime())
birth = created("r", frozen.plan, frozen.hash, {}, simulated=False)
entry = Entry(held(frozen.plan, None, (birth,), 0), clock.instant(0), clock.sample(0))
sys.stdin.readline()
made = Store(Path(sys.argv[1]), create=True).create_run(frozen.plan, frozen.data, "/", this_process(), entry)
print("made" if made.lease else "found")
"""


def test_many_processes_that_make_the_same_run_make_one(tmp_path: Path, frozen_of: Callable[..., Any]) -> None:
    plan = tmp_path / "plan.json"
    plan.write_bytes(frozen_of(ONE_STEP).data)
    argv = [sys.executable, "-c", CREATE, str(tmp_path / "store"), str(plan)]
    pipe = subprocess.PIPE
    racers = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(8)]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    said = [racer.communicate(timeout=60) for racer in racers]
    assert sorted(said) == [("found\n", "")] * 7 + [("made\n", "")]
    store = Store(tmp_path / "store", create=False)
    assert [one.event.name for one in store.recorded("r")] == ["run.create"]
    store.close()


def test_the_same_run_again_is_found_and_nothing_is_written_or_claimed(
    ledger_of: Callable[..., Any], store: Store, frozen_of: Callable[..., Any]
) -> None:
    ledger, frozen = ledger_of(ONE_STEP), frozen_of(ONE_STEP)
    found = store.create_run(frozen.plan, frozen.data, "/nowhere", this_process(), ledger.birth)
    assert (found.lease, found.run) == (None, ledger.run)
    record = store.lease("r")
    assert record is not None
    assert record.token == ledger.lease.token


@pytest.mark.parametrize(
    ("steps", "value", "workspace"),
    [
        ("step other: exec read { on passed -> completed }", "x", "/nowhere"),
        (ONE_STEP, "y", "/nowhere"),
        (ONE_STEP, "x", "/elsewhere"),
    ],
)
def test_an_id_is_not_given_to_another_plan_parameters_or_workspace(
    ledger_of: Callable[..., Any],
    store: Store,
    frozen_of: Callable[..., Any],
    steps: str,
    value: str,
    workspace: str,
) -> None:
    ledger, frozen = ledger_of(ONE_STEP), frozen_of(steps)
    birth = ledger.birth_of(frozen, "r", {"value": value})
    with pytest.raises(RunExists, match="choose another --id"):
        store.create_run(frozen.plan, frozen.data, workspace, this_process(), birth)
    assert store.load("r") == ledger.run


def test_runs_are_shown_from_their_projections_without_a_replay(
    ledger_of: Callable[..., Any], store: Store
) -> None:
    ledger_of(ONE_STEP).ends("one#1/1")
    ledger_of(ONE_STEP, run="other")
    assert {(row.run, row.status) for row in store.runs()} == {("r", "completed"), ("other", "running")}
    assert store.run("other").summary == next(row.summary for row in store.runs() if row.run == "other")
    assert store.run("r").workspace == "/nowhere"


def test_runs_of_the_same_plan_share_it(
    ledger_of: Callable[..., Any], store: Store, frozen_of: Callable[..., Any]
) -> None:
    ledger_of(ONE_STEP)
    ledger_of(ONE_STEP, run="other")
    assert store.plan("r") == store.plan("other") == frozen_of(ONE_STEP).plan


def test_a_log_goes_on_after_what_was_read(ledger_of: Callable[..., Any], store: Store) -> None:
    ledger = ledger_of(ONE_STEP)
    first = list(store.recorded("r"))
    ledger.ends("one#1/1")
    assert first + list(store.recorded("r", after=first[-1].sequence)) == list(store.recorded("r"))
    assert list(store.recorded("r", after=ledger.run.state.sequence)) == []


@pytest.mark.parametrize("ask", ["load", "run", "recorded", "plan"])
def test_an_unknown_run_is_told_and_where_to_look(store: Store, ask: str) -> None:
    with pytest.raises(UnknownRun, match="akm list"):
        getattr(store, ask)("r")


def test_the_lease_of_an_unknown_run_is_not_taken(store: Store) -> None:
    with pytest.raises(UnknownRun, match="akm list"):
        store.claim("r", this_process())
    assert (store.lease("r"), store.is_driven("r")) == (None, False)


def test_a_reserved_id_is_given_to_a_run_that_answers_its_request_and_to_no_other(
    ledger_of: Callable[..., Any], store: Store, frozen_of: Callable[..., Any], tmp_path: Path
) -> None:
    frozen, birth = frozen_of(ONE_STEP), ledger_of(ONE_STEP).birth
    other = Store(tmp_path / "other", create=True)
    requests = other.requests()
    requests.queue("k", {"workflow": "told"})
    requests.offer("k")
    requests.accept("k", "r")
    for request in (None, "another"):
        with pytest.raises(RunExists, match="reserved for request 'k'"):
            other.create_run(frozen.plan, frozen.data, "/nowhere", this_process(), birth, request)
    assert other.runs() == []
    assert other.create_run(frozen.plan, frozen.data, "/nowhere", this_process(), birth, "k").lease is not None
    other.close()
