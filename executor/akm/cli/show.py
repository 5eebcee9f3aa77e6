"""Commands that only read: list, status, log, export, digest, verify."""

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING

from akm.cli.family import Family, family_of
from akm.cli.next_step import describe, resume_command
from akm.cli.place import open_store
from akm.cli.reporting import UsageFault, emit
from akm.cli.spans import count
from akm.engine import divergence
from akm.engine.standing import Exit
from akm.journal.projections import RunRow
from akm.journal.store import ENDED, Store
from akm.kernel.event import Recorded, linked
from akm_specs.canonical import JsonObject

if TYPE_CHECKING:
    from akm.engine.verification import Report

#: How often `akm log --follow` looks for news, in seconds.
FOLLOW_POLL_S = 0.2


def list_runs(arguments: argparse.Namespace) -> int:
    """What is there, newest first."""
    store, limit = open_store(arguments), count(arguments.limit, "--limit")
    chosen = store.runs(arguments.status, limit)
    document = [
        {
            "run_id": row.run,
            "workflow": row.summary.get("workflow"),
            "status": row.status,
            "damaged": row.damaged,
            "step": row.summary.get("step"),
            "sequence": row.sequence,
            "created": row.created_utc,
            "updated": row.updated_utc,
        }
        for row in chosen
    ]
    width = max((len(row.run) for row in chosen), default=0)
    lines = [
        f"{row.run:<{width}}  {'damaged' if row.damaged else row.status:<17}  {row.summary.get('step') or '-'}"
        for row in chosen
    ]
    if len(chosen) == limit:
        more = store.count(arguments.status) - limit
        lines += [f"and {more} older ones: --limit N shows more"] if more else []
    emit(arguments, document, "\n".join(lines) or "no runs")
    return Exit.COMPLETED


def status(arguments: argparse.Namespace) -> int:
    """Where a run stands."""
    store = open_store(arguments)
    row = store.run(arguments.run)
    family = family_of(store, row)
    lines = describe(family)
    driver = _driver(store, row)
    if driver is not None:
        lines.insert(1, f"  driven    by {driver['holder']} (pid {driver['pid']} on {driver['host']})")
    diverged = None if row.status in ENDED else divergence.noted(store.directory / "runs" / row.run)
    if diverged is not None:
        lines[1:1] = [
            f"  diverged  {diverged['unit']}: {diverged['code']} at event {diverged['sequence']}",
            *(f"            {name} {diverged[name]}" for name in ("expected_hash", "found_hash", "plan_hash")),
        ]
    emit(arguments, {**_standing(family, driver), "divergence": diverged}, "\n".join(lines))
    return Exit.COMPLETED


def _standing(family: Family, driver: JsonObject | None) -> JsonObject:
    row = family.row
    return {
        "run_id": row.run,
        **row.summary,
        "workspace": row.workspace,
        "created": row.created_utc,
        "updated": row.updated_utc,
        "elapsed_ms": row.elapsed_ms,
        "driver": driver,
        "resume": resume_command(family),
    }


def _driver(store: Store, row: RunRow) -> JsonObject | None:
    lease = store.lease(row.run)
    if lease is None or row.status in ENDED or not store.is_driven(row.run):
        return None
    return {
        "holder": lease.holder,
        "host": lease.host,
        "pid": lease.process.pid,
        "token": lease.token,
        "expires": lease.expires_utc,
    }


def log(arguments: argparse.Namespace) -> int:
    """A run's events, a line each."""
    if arguments.follow and arguments.json:
        raise UsageFault(
            "--follow has no end that one JSON document could have: use akm export, or leave --json out"
        )
    store = open_store(arguments)
    if arguments.json:
        events = [one.exported() for one in linked(store.recorded(arguments.run))]
        emit(arguments, events, "")
        return Exit.COMPLETED
    last = _print_events(store, arguments.run, 0)
    while arguments.follow and store.run(arguments.run).status not in ENDED:
        time.sleep(FOLLOW_POLL_S)
        last = _print_events(store, arguments.run, last)
    _print_events(store, arguments.run, last)
    return Exit.COMPLETED


def _print_events(store: Store, run: str, after: int) -> int:
    for recorded in store.recorded(run, after):
        print(_line(recorded))
        after = recorded.sequence
    sys.stdout.flush()
    return after


def _line(recorded: Recorded) -> str:
    event = recorded.event
    move = f"{event.source or '·'} → {event.target}" if event.target else ""
    detail = json.dumps(event.data, ensure_ascii=False) if event.data else ""
    place = f"{recorded.sequence:>6}  {recorded.at.utc}"
    return f"{place}  {event.name:<24} {event.entity:<24} {move}  {detail[:160]}".rstrip()


def export(arguments: argparse.Namespace) -> int:
    """Events as JSON Lines; with --json one document that holds the plan's hash too."""
    store = open_store(arguments)
    events = (one.exported() for one in linked(store.recorded(arguments.run)))
    if arguments.json:
        summary = store.run(arguments.run).summary
        emit(arguments, {"run_id": arguments.run, "plan_hash": summary["plan_hash"], "events": list(events)}, "")
        return Exit.COMPLETED
    for event in events:
        print(json.dumps(event, ensure_ascii=False, sort_keys=True, separators=(",", ":")))
    return Exit.COMPLETED


def digest(arguments: argparse.Namespace) -> int:
    """The unit-graph digest."""
    from akm.kernel.digest import digest as unit_graph_digest

    found = unit_graph_digest(open_store(arguments).recorded(arguments.run))
    emit(arguments, {"run_id": arguments.run, "digest": found}, found)
    return Exit.COMPLETED


def verify(arguments: argparse.Namespace) -> int:
    """Replay the journal: chain, sequence, moves, invariants, projection, stored files; of one run or of all."""
    from akm.engine.verification import verify as verified

    store = open_store(arguments)
    if arguments.run is None:
        return _verify_all(arguments, store)
    report = verified(store, arguments.run)
    emit(arguments, _proof(arguments.run, report), "\n".join(_findings(arguments.run, report)))
    return Exit.INTEGRITY if report.violations else Exit.COMPLETED


def _verify_all(arguments: argparse.Namespace, store: Store) -> int:
    """Every run, and what belongs to none. What is wrong is told of each, whatever is wrong with another."""
    from akm.engine.verification import verify_all

    runs: list[JsonObject] = []
    lines: list[str] = []
    for verdict in verify_all(store):
        if verdict.report is None:
            runs.append({"run_id": verdict.run, "damage": verdict.damage})
            lines.append(str(verdict.damage))
        else:
            runs.append({**_proof(verdict.run, verdict.report), "damage": None})
            lines += _findings(verdict.run, verdict.report)
    problems = list(store.problems())
    sound = not problems and not any(run["damage"] or run["violations"] for run in runs)
    emit(arguments, {"runs": runs, "store": problems}, "\n".join((*lines, *problems)) or "no runs")
    return Exit.COMPLETED if sound else Exit.INTEGRITY


def _proof(run: str, report: "Report") -> JsonObject:
    return {
        "run_id": run,
        "events": report.events,
        "files": report.files,
        "invariants": list(report.checked),
        "violations": [
            {"invariant": found.name, "sequence": found.sequence, "message": found.message}
            for found in report.violations
        ],
    }


def _findings(run: str, report: "Report") -> list[str]:
    """What does not hold, or that everything does."""
    if not report.violations:
        return [f"run {run}: {report.events} events, {len(report.checked)} invariants hold"]
    return [f"run {run}, event {found.sequence}: {found.name}: {found.message}" for found in report.violations]
