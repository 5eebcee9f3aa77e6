"""`python -m akm.audit`: two files in, a verdict out, and every fault of a file by name."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from akm.audit.check import audit
from akm.audit.history import NotAnExport, entry, read_export
from akm.kernel.decide import created, decide
from akm.kernel.event import Event, Instant, Recorded, linked
from akm.kernel.evolve import evolve
from akm.kernel.observation import CancelAsked, Prepared, Ticked
from akm.kernel.state import RunState
from akm_specs.canonical import seal, unseal
from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.source import Source

REGISTRY = """tool nothing { argv ["true"], effect read_only }"""
TEXT = """workflow pause "Waits" {
  step rest: wait 5s { on passed -> completed }
}
"""


def pause() -> tuple[Plan, bytes, str]:
    plan = compile_workflow(Source("absent/pause.akm", TEXT), Source("absent/registry.akm", REGISTRY)).plan
    data, sealed = seal(plan)
    return plan, data, sealed


def exported(plan: Plan, plan_hash: str, *, cancel: bool = False) -> list[dict[str, Any]]:
    """A whole run, as `akm export` writes it."""
    first = created("r", plan, plan_hash, {}, simulated=False)
    state: RunState = evolve(plan, None, first)
    events: list[tuple[int, Event]] = [(0, first)]
    end = CancelAsked(20, 1, "alice", "enough") if cancel else Ticked(6_000)
    for observation in (Ticked(0), Prepared(10, ()), end):
        for event in decide(plan, state, observation):
            events.append((observation.at_ms, event))
            state = evolve(plan, state, event)
    history = [
        Recorded("r", sequence, Instant("2026-01-01T00:00:00Z", at_ms), 1, event)
        for sequence, (at_ms, event) in enumerate(events, start=1)
    ]
    return [one.exported() for one in linked(history)]


def asked(folder: Path, lines: list[dict[str, Any]], plan: bytes) -> subprocess.CompletedProcess[str]:
    export, frozen = folder / "r.jsonl", folder / "pause.plan.json"
    export.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    frozen.write_bytes(plan)
    command = [sys.executable, "-m", "akm.audit", str(export), str(frozen)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def test_a_legal_history_is_said_to_be_one(tmp_path: Path) -> None:
    plan, data, sealed = pause()
    lines = exported(plan, sealed)
    assert lines[-1]["event"] == "run.complete"
    found = asked(tmp_path, lines, data)
    assert (found.returncode, found.stdout) == (0, f"run r: {len(lines)} events, a legal history\n")


def test_an_altered_event_is_named_with_its_check(tmp_path: Path) -> None:
    plan, data, sealed = pause()
    lines = exported(plan, sealed)
    lines[4]["utc"] = "2027-01-01T00:00:00Z"
    found = asked(tmp_path, lines, data)
    assert (found.returncode, found.stdout) == (7, "event 5: chain: its content does not have its hash\n")


def test_a_plan_that_is_not_that_of_the_run_is_refused() -> None:
    plan, _, sealed = pause()
    entries = tuple(entry(line) for line in exported(plan, sealed))
    assert {each.name for each in audit(plan, "0" * 64, entries)} == {"beginning"}


def test_a_plan_that_was_altered_is_not_read(tmp_path: Path) -> None:
    plan, data, sealed = pause()
    found = asked(tmp_path, exported(plan, sealed), data.replace(b"Waits", b"Sleeps"))
    assert (found.returncode, found.stdout) == (2, "")
    assert found.stderr.startswith("cannot be read: the document states hash")


def test_a_history_that_ends_too_early_in_the_step_is_refused_by_what_it_means(tmp_path: Path) -> None:
    """The chain is whole and every move is listed; only the plan says that five seconds had to pass."""
    plan, data, sealed = pause()
    lines = [{**line, "elapsed_ms": min(line["elapsed_ms"], 4_000)} for line in exported(plan, sealed)]
    entries = rechained(lines)
    assert [each.name for each in audit(plan, unseal(data)[1], entries)] == ["outcomes"]


def test_a_run_that_was_cancelled_is_legal_and_one_that_merely_says_so_is_not() -> None:
    plan, _, sealed = pause()
    lines = exported(plan, sealed, cancel=True)
    assert lines[-1]["event"] == "run.cancel"
    assert audit(plan, sealed, rechained(lines)) == ()
    unasked = [line for line in lines if line["event"] != "cancel.requested"]
    assert {each.name for each in audit(plan, sealed, rechained(unasked))} & {"ends", "ways"}


def rechained(lines: list[dict[str, Any]]) -> Any:
    """The same events in a chain of their own."""
    history: list[Recorded] = []
    for sequence, line in enumerate(lines, start=1):
        event = Event(line["event"], line["entity"], line["source"], line["target"], line["data"])
        at = Instant(line["utc"], line["elapsed_ms"])
        history.append(Recorded("r", sequence, at, line["token"], event))
    return tuple(entry(one.exported()) for one in linked(history))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([], "the export is empty"),
        (["{"], "line 1"),
        (["[]"], "line 1: it is no JSON object"),
        (['{"run": "r"}'], "line 1: an event has other members"),
    ],
)
def test_what_is_no_export_is_refused_by_line(lines: list[str], says: str) -> None:
    with pytest.raises(NotAnExport, match=says):
        read_export(lines)
