"""Commands that care for the store: gc and outbox."""

import argparse
import sys
from datetime import UTC, datetime, timedelta

from akm.cli.place import open_store
from akm.cli.reporting import UsageFault, emit
from akm.cli.spans import count, span_ms
from akm.engine.standing import Exit
from akm.journal.store import Store
from akm_specs.canonical import JsonObject


def gc(arguments: argparse.Namespace) -> int:
    """Remove what ended long ago, asking first."""
    store = open_store(arguments)
    before = _before(span_ms(arguments.older_than))
    runs = store.removable(before)
    if arguments.dry_run:
        lines = [f"would remove {run}" for run in runs]
        emit(arguments, {"would_remove": runs}, "\n".join(lines) or "nothing to remove")
        return Exit.COMPLETED
    if runs and not arguments.yes and not _agreed(len(runs), store):
        emit(arguments, {"removed": [], "plans": 0, "files": 0, "folders": 0}, "nothing was removed")
        return Exit.COMPLETED
    gone = store.remove(runs, before)
    document = {"removed": list(gone.runs), "plans": gone.plans, "files": gone.blobs, "folders": gone.folders}
    emit(arguments, document, f"removed {len(gone.runs)} runs, {gone.plans} plans, {gone.blobs} files")
    return Exit.COMPLETED


def _before(age_ms: int) -> str:
    """The moment that lies `age_ms` back, as the journal writes moments."""
    try:
        then = datetime.now(UTC) - timedelta(milliseconds=age_ms)
    except OverflowError as error:
        raise UsageFault("--older-than goes back further than the calendar") from error
    return then.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _agreed(runs: int, store: Store) -> bool:
    """Ask at the terminal. Raises UsageFault where nobody could answer."""
    if not sys.stdin.isatty():
        raise UsageFault(f"{runs} runs would be removed, and nobody can be asked here: say --yes, or --dry-run")
    print(f"Remove {runs} ended runs from {store.directory} for good? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline(16).strip().lower() in ("y", "yes")


def outbox(arguments: argparse.Namespace) -> int:
    """Show what is on its way to a hub; name the project; release what the hub refused."""
    box = open_store(arguments).outbox()
    if arguments.project is not None:
        box.join(arguments.project)
    if arguments.release is not None:
        if not arguments.by or not arguments.reason:
            raise UsageFault("--release needs --as NAME and --reason TEXT: it is an action of a person")
        run, number = arguments.release
        box.release(run, count(number, "--release"), arguments.by, arguments.reason)
    rejected: list[JsonObject] = [
        {"run_id": row.run, "sequence": row.sequence, "release": row.release, "note": row.note}
        for row in box.rows("rejected", count(arguments.limit, "--limit"))
    ]
    document = {"project": box.project, "states": box.counts(), "rejected": rejected}
    lines = [f"project {box.project or '-'}", *(f"{state:<15} {found}" for state, found in box.counts().items())]
    lines += [f"rejected: run {row['run_id']}, event {row['sequence']}: {row['note']}" for row in rejected]
    emit(arguments, document, "\n".join(lines))
    return Exit.COMPLETED
