"""`decide`: what an observation makes happen, as events.

Each observation has one handler, which records what was learnt; then `progress.advance` carries the run
on until only the outside world can. Nothing is emitted for what the run cannot use any more.
"""

from collections.abc import Callable
from typing import Any

from akm.kernel import attempts, inbox, progress, receipts, resolution
from akm.kernel.draft import BudgetReached, Draft
from akm.kernel.event import BIRTH, Event
from akm.kernel.machines import initial
from akm.kernel.observation import (
    ArtifactsChecked,
    AttemptEnded,
    AttemptLost,
    AttemptReattached,
    CancelAsked,
    CommandUnread,
    DecisionGiven,
    Observation,
    Prepared,
    ReceiptAnswered,
    ResolutionGiven,
    SignalGiven,
    Ticked,
)
from akm.kernel.state import RunState
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan


def decide(plan: Plan, state: RunState, observation: Observation) -> tuple[Event, ...]:
    """The events that `observation` leads to; none when it changes nothing."""
    draft = Draft(plan, state, observation.at_ms)
    if state.status in ("completed", "failed", "cancelled"):
        return ()
    try:
        _HANDLERS[type(observation)](draft, observation)
    except BudgetReached as reached:
        progress.exhaust(draft, reached.exceeded)
    if not isinstance(observation, CommandUnread):  # recorded only: the end that it was too late for follows
        progress.advance(draft)
    return tuple(draft.events)


def created(run: str, plan: Plan, plan_hash: str, parameters: JsonObject, *, simulated: bool) -> Event:
    """A run's first event."""
    data = {
        "workflow": plan["workflow"],
        "plan_hash": plan_hash,
        "parameters": parameters,
        "simulated": simulated,
    }
    return Event(f"run.{BIRTH}", run, None, initial("run"), data)


def _ticked(draft: Draft, observed: Ticked) -> None:
    """Time alone: `advance` looks at the deadlines."""


def _prepared(draft: Draft, observed: Prepared) -> None:
    if draft.state.status != "preparing":
        return
    if observed.problems:
        problems = list(observed.problems)
        draft.run(
            "fail", reason={"code": "preparation_failed", "message": "; ".join(problems), "problems": problems}
        )
    else:
        draft.run("start")


def _artifacts_checked(draft: Draft, observed: ArtifactsChecked) -> None:
    active = draft.state.active
    if active is not None and active.id == observed.step_attempt and active.status == "running":
        progress.end_gate(draft, holds=not observed.missing, seen={"missing": list(observed.missing)})


_HANDLERS: dict[type, Callable[[Draft, Any], None]] = {
    Ticked: _ticked,
    Prepared: _prepared,
    AttemptEnded: attempts.ended,
    AttemptReattached: attempts.reattached,
    AttemptLost: attempts.lost,
    ReceiptAnswered: receipts.answered,
    ArtifactsChecked: _artifacts_checked,
    DecisionGiven: inbox.decision_given,
    SignalGiven: inbox.signal_given,
    CancelAsked: inbox.cancel_asked,
    ResolutionGiven: resolution.given,
    CommandUnread: inbox.command_unread,
}
