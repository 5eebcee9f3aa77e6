"""`decide`: what an observation makes happen, as events.

Each observation has one handler, which records what was learnt; then `progress.advance` carries the run
on until only the outside world can. Nothing is emitted for what the run cannot use any more.
"""

from collections.abc import Callable
from typing import Any

from akm.kernel import (
    attempts,
    deliveries,
    inbox,
    parenting,
    pins,
    progress,
    receipts,
    resolution,
    sessions,
    step_end,
)
from akm.kernel.decision import Decision
from akm.kernel.draft import Draft, HardStop
from akm.kernel.event import BIRTH, Event
from akm.kernel.machines import finals, initial
from akm.kernel.observation import (
    Arrived,
    ArtifactsChecked,
    AttemptEnded,
    AttemptLost,
    AttemptReattached,
    CancelAsked,
    ChildEnded,
    ChildSeen,
    CommandUnread,
    DecisionGiven,
    HostSeen,
    Observation,
    PinsChecked,
    Prepared,
    ReceiptAnswered,
    RepositoriesSeen,
    ResolutionGiven,
    SessionsClosed,
    SignalGiven,
    Ticked,
    UsageSeen,
)
from akm.kernel.state import Parent, RunState
from akm.kernel.steps import parallel
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan


def decide(plan: Plan, state: RunState, observation: Observation) -> tuple[Event, ...]:
    """The events that `observation` leads to; none when it changes nothing."""
    return decided(plan, state, observation).events


def decided(plan: Plan, state: RunState, observation: Observation) -> Decision:
    """As `decide`, with the state that the events lead to."""
    draft = Draft(plan, state, observation.at_ms)
    if state.status in finals("run"):
        return draft.decision()
    try:
        _HANDLERS[type(observation)](draft, observation)
    except HardStop as reached:
        progress.stop(draft, reached)
    if not isinstance(observation, CommandUnread):  # recorded only: the end that it was too late for follows
        progress.advance(draft)
    return draft.decision()


def created(
    run: str,
    plan: Plan,
    plan_hash: str,
    parameters: JsonObject,
    *,
    simulated: bool,
    script: str | None = None,
    parent: Parent | None = None,
) -> Event:
    """A run's first event; `parent` says whose child it is, `script` what stands in for its tools."""
    data: JsonObject = {
        "workflow": plan["workflow"],
        "plan_hash": plan_hash,
        "parameters": parameters,
        "simulated": simulated,
    }
    if script is not None:
        data["script"] = script
    if parent is not None:
        data["parent"] = {"run": parent.run, "assignment": parent.assignment, "share": parent.share}
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
    due = active is not None and active.id == observed.step_attempt and active.proposed is None
    if due and active is not None and active.status == "running":
        step_end.propose_gate(draft, holds=not observed.missing, seen={"missing": list(observed.missing)})


def _host_seen(draft: Draft, seen: HostSeen) -> None:
    """A new driver: recorded only where it narrows the plan, or is not what it was. Its sessions are its own."""
    sessions.begin_anew(draft)
    widest = max(parallel(step) for step in draft.plan["steps"])
    narrows = seen.parallel if seen.parallel < widest else None
    if narrows != draft.state.host_parallel:
        draft.fact("host.seen", draft.state.run, parallel=narrows)


def _arrived(draft: Draft, arrived: Arrived) -> None:
    """Each for itself: a ceiling that one reaches keeps no other from being recorded."""
    for each in arrived.observations:
        try:
            _HANDLERS[type(each)](draft, each)
        except HardStop as reached:
            progress.stop(draft, reached)


_HANDLERS: dict[type, Callable[[Draft, Any], None]] = {
    Ticked: _ticked,
    Arrived: _arrived,
    HostSeen: _host_seen,
    ChildSeen: parenting.seen,
    ChildEnded: parenting.ended,
    PinsChecked: pins.checked,
    RepositoriesSeen: deliveries.seen,
    SessionsClosed: sessions.closed,
    Prepared: _prepared,
    AttemptEnded: attempts.ended,
    UsageSeen: attempts.used,
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
