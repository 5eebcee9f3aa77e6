"""What a host program is told of a run: where it stands, how a call ended, and each event."""

from dataclasses import dataclass
from typing import Any

from akm.engine.standing import Cause
from akm.journal.projections import RunRow
from akm.journal.store import ENDED, Store
from akm.kernel.digest import digest
from akm.kernel.event import Recorded
from akm_specs.canonical import JsonObject


@dataclass(frozen=True, slots=True)
class RunStatus:
    """Where a run stands.

    `status` is a state of the run's lifecycle (docs/reference/lifecycles.md). `waiting_for` says which decision,
    signal or moment it waits for, `uncertain` which effects a person has to resolve, `reason` why it ended.
    `outputs` is what each step made last, and `simulated` whether all of it is made up.
    """

    run_id: str
    workflow: str
    plan_hash: str
    status: str
    outcome: str | None
    step: str | None
    sequence: int
    outputs: JsonObject
    waiting_for: JsonObject | None
    uncertain: tuple[JsonObject, ...]
    reason: JsonObject | None
    simulated: bool

    @property
    def ended(self) -> bool:
        """Whether nothing of it will ever change again."""
        return self.status in ENDED


@dataclass(frozen=True, slots=True)
class RunResult(RunStatus):
    """Where a run stands after a call that drove it.

    `cause` is None when it has ended or is blocked, else why it parked. `digest` is the same for each run that did
    the same work (docs/reference/results.md).
    """

    cause: Cause | None = None
    digest: str = ""


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One event of a run's journal. `elapsed_ms` is by the run's own clock, `utc` for reading only."""

    sequence: int
    name: str
    entity: str
    source: str | None
    target: str | None
    data: JsonObject
    utc: str
    elapsed_ms: int


def status_of(store: Store, run: str) -> RunStatus:
    """Where `run` stands. Raises UnknownRun."""
    return RunStatus(**_fields(store, store.run(run)))


def result_of(store: Store, run: str, cause: Cause | None) -> RunResult:
    """Where `run` stands after a driver of it stopped for `cause`. Raises UnknownRun or Damaged."""
    row = store.run(run)
    return RunResult(**_fields(store, row), cause=cause, digest=digest(store.recorded(run)))


def event_of(recorded: Recorded) -> RunEvent:
    """A recorded event, without what proves it."""
    event, at = recorded.event, recorded.at
    return RunEvent(
        recorded.sequence, event.name, event.entity, event.source, event.target, event.data, at.utc, at.elapsed_ms
    )


def _fields(store: Store, row: RunRow) -> dict[str, Any]:
    summary = row.summary
    return {
        "run_id": row.run,
        "status": row.status,
        "sequence": row.sequence,
        **{name: summary[name] for name in _SUMMARISED},
        "uncertain": tuple(summary["uncertain"] or ()),
        "outputs": store.outputs(row),
    }


_SUMMARISED = ("workflow", "plan_hash", "outcome", "step", "waiting_for", "reason", "simulated")
