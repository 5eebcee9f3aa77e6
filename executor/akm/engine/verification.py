"""Verifying a run as it is stored: everything is proved from its bytes, nothing is changed."""

from collections.abc import Iterator
from dataclasses import dataclass

from akm.engine import bonds
from akm.journal.faults import Damaged, StoreDamaged
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
    with store.moment():
        return _verified(store, run)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What verifying one run of many came to: a report, or the damage that kept it from being made."""

    run: str
    report: Report | None
    damage: str | None

    @property
    def sound(self) -> bool:
        """Whether everything holds."""
        return self.report is not None and not self.report.violations


def verify_all(store: Store) -> Iterator[Verdict]:
    """Replay every run; one that is damaged hides no other. Raises StoreDamaged only where no run can be found."""
    for run in store.all_runs():
        try:
            yield Verdict(run, verify(store, run), None)
        except (Damaged, StoreDamaged) as damage:
            yield Verdict(run, None, str(damage))


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
    store.prove_inbox(run)
    found = (*found, *(Violation("rows_proved", sequence, message) for sequence, message in store.unproved(run)))
    return Report(len(events), len(files), tuple(INVARIANTS), found)


def _files(recorded: Recorded) -> tuple[str, ...]:
    """The hashes of the files that a result keeps."""
    if recorded.event.name != "assignment.record_result":
        return ()
    kept = recorded.event.data["result"]["evidence"].get("files", {})
    return tuple(file["sha256"] for file in kept.values())
