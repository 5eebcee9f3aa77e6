"""Verifying a run as it is stored: everything is proved from its bytes, nothing is changed."""

from dataclasses import dataclass

from akm.engine import bonds
from akm.journal.store import Store
from akm.kernel.event import Recorded
from akm.kernel.invariants import INVARIANTS, History, Violation, check


@dataclass(frozen=True, slots=True)
class Report:
    """How much was looked at, and what does not hold."""

    events: int
    files: int
    checked: tuple[str, ...]
    violations: tuple[Violation, ...]


def verify(store: Store, run: str) -> Report:
    """Replay `run`. Raises UnknownRun, and Damaged at the first byte that is not what was written."""
    with store.snapshot():
        return _verified(store, run)


def _verified(store: Store, run: str) -> Report:
    opened = store.load(run)
    events = tuple(store.recorded(run))
    projection = store.run(run).summary
    found = check(History(opened.plan, events, projection))
    if store.run(run).status != opened.state.status:
        shown = store.run(run).status
        message = f"the projection shows {shown}, the events say {opened.state.status}"
        found = (*found, Violation("projection_powerless", 0, message))
    found = (*found, *bonds.broken(store, opened, events))
    files = [sha256 for recorded in events for sha256 in _files(recorded)]
    for sha256 in files:
        store.blob(sha256)
    return Report(len(events), len(files), tuple(INVARIANTS), found)


def _files(recorded: Recorded) -> tuple[str, ...]:
    """The hashes of the files that a result keeps."""
    if recorded.event.name != "assignment.record_result":
        return ()
    kept = recorded.event.data["result"]["evidence"].get("files", {})
    return tuple(file["sha256"] for file in kept.values())
