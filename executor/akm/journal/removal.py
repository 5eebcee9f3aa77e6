"""Removing what is over: ended runs by age, and plans, files and folders that no run needs any more.

What is removed is looked at again in the very transaction that removes it. A folder goes last: after a crash in the
middle a run is there whole, or is gone, and the next removal takes up what is left of its folder.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from akm.journal.database import Database
from akm.journal.outbox import UNSENT
from akm_specs.plan import TERMINALS

#: Runs that one transaction removes: enough to be quick, few enough that no driver waits long.
BATCH_RUNS = 50

#: Begins the name of a folder that is being removed. No run id begins like this.
_GOING = ".going-"


@dataclass(frozen=True, slots=True)
class Removed:
    """What one removal freed."""

    runs: tuple[str, ...]
    plans: int
    blobs: int
    folders: int


def removable(database: Database, before_utc: str) -> Iterator[str]:
    """The runs that ended before a moment, and of which nothing is uncertain, unread or still to be sent.

    A child goes after its parent, and so is not among them while that is there.
    """
    rows = database.rows(f"{_ENDED} AND updated_utc < ? ORDER BY updated_utc, run", (*TERMINALS, before_utc))
    return (run for run, summary in rows if _settled(summary))


def remove(database: Database, directory: Path, runs: Sequence[str], before_utc: str) -> Removed:
    """Remove those of `runs` that may still go, and then whatever nothing needs any more. Raises OSError."""
    gone: list[str] = []
    children = _children(database)
    left = list(runs)
    while left:
        batch, left = left[:BATCH_RUNS], left[BATCH_RUNS:]
        with database.write():
            going = [run for run in batch if _may_go(database, run, before_utc)]
            for run in going:
                for table in ("outbox", "blob_uses", "events", "batches", "snapshots", "inbox", "leases", "runs"):
                    database.put(f"DELETE FROM {table} WHERE run = ?", (run,))  # noqa: S608  # a name of ours
        gone += going
        left += [child for run in going for child in children.get(run, ())]
    with database.write():
        plans = database.put("DELETE FROM plans WHERE hash NOT IN (SELECT plan_hash FROM runs)", ())
        blobs = database.put("DELETE FROM blobs WHERE hash NOT IN (SELECT hash FROM blob_uses)", ())
    folders = _remove_folders(database, directory / "runs")
    database.shrink()
    return Removed(tuple(gone), plans, blobs, folders)


def _children(database: Database) -> dict[str, list[str]]:
    """The children of each run that has any."""
    found: dict[str, list[str]] = {}
    for run, parent in database.rows(_BOUND):
        found.setdefault(parent, []).append(run)
    return found


def _may_go(database: Database, run: str, before_utc: str) -> bool:
    row = database.row(f"{_ENDED} AND updated_utc < ? AND run = ?", (*TERMINALS, before_utc, run))
    return row is not None and _settled(row[1])


def _settled(summary: object) -> bool:
    """Whether nothing is uncertain; a damaged summary says nothing, and so keeps its run."""
    try:
        found = json.loads(summary) if isinstance(summary, str) else None
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("uncertain") == []


def _remove_folders(database: Database, runs: Path) -> int:
    """Each folder without a run. It is renamed while no run can be made, so that a new run of its id is not hit."""
    if not runs.is_dir():
        return 0
    for folder in runs.iterdir():
        if not folder.name.startswith(_GOING) and not _known(database, folder.name):
            with database.write():
                if not _known(database, folder.name):
                    folder.rename(runs / f"{_GOING}{folder.name}")
    going = [folder for folder in runs.iterdir() if folder.name.startswith(_GOING)]
    for folder in going:
        shutil.rmtree(folder)
    return len(going)


def _known(database: Database, run: str) -> bool:
    return database.row("SELECT 1 FROM runs WHERE run = ?", (run,)) is not None


_PARENT = "CASE WHEN json_valid(summary) THEN json_extract(summary, '$.parent.run') END"
_BOUND = f"SELECT run, {_PARENT} FROM runs WHERE {_PARENT} IS NOT NULL"  # noqa: S608  # all ours
_UNSENT = ", ".join(f"'{state}'" for state in UNSENT)
_ENDED = (
    f"SELECT run, summary FROM runs WHERE status IN ({', '.join('?' * len(TERMINALS))})"  # noqa: S608  # all ours
    " AND NOT EXISTS (SELECT 1 FROM inbox WHERE inbox.run = runs.run AND taken IS NULL)"
    f" AND NOT EXISTS (SELECT 1 FROM outbox, home WHERE outbox.run = runs.run AND state IN ({_UNSENT})"
    " AND project IS NOT NULL)"
    f" AND NOT EXISTS (SELECT 1 FROM runs AS other WHERE other.run = {_PARENT.replace('summary', 'runs.summary')})"
)
