"""`evolve`: the only reader of what events mean, and so the only maker of states; `fold` does it for many.

A move must be in its lifecycle's table and start where the entity stands; an id is used once. Whatever
does not fit raises, and nothing has changed.
"""

from collections.abc import Callable
from copy import copy
from typing import TypeAlias

from immutables import Map

from akm.kernel import evolve_delivery, evolve_sessions, evolve_work, machines
from akm.kernel.event import BIRTH, Event
from akm.kernel.legality import IllegalEvent, target
from akm.kernel.state import Ending, Evidence, Parent, Passage, Proposal, RunState, Signal, StepAttempt, WorkList
from akm.kernel.steps import passes, step_named
from akm.kernel.units import Refused, work_list
from akm_specs.plan import TERMINALS, Plan

__all__ = ["FACTS", "IllegalEvent", "evolve", "fold"]


def evolve(plan: Plan, state: RunState | None, event: Event) -> RunState:
    """The state after `event`. Raises IllegalEvent, or machines.IllegalMove for a move that no table lists."""
    return fold(plan, None if state is None else copy(state), event)


def fold(plan: Plan, state: RunState | None, event: Event) -> RunState:
    """As `evolve`, of a state that nobody else holds: it is changed in place, and useless once this has raised."""
    if state is None:
        return _born_run(event)
    if state.status in machines.finals("run"):
        raise IllegalEvent(f"run {state.run} is {state.status}; nothing follows, not even {event.name}")
    if event.data.get("simulated", False) is not state.simulated:
        raise IllegalEvent(f"{event.name}: simulated and real records do not mix in one run")
    handler = _FACTS.get(event.name) if event.is_fact else _LIFECYCLES.get(event.lifecycle)
    if handler is None:
        raise IllegalEvent(f"{event.name} is no event of a run")
    handler(plan, state, event)
    state.sequence += 1
    return state


# run ------------------------------------------------------------------------------------------------


def _born_run(event: Event) -> RunState:
    if event.name != "run.create":
        raise IllegalEvent(f"a run begins with run.create, not with {event.name}")
    return RunState(
        run=event.entity,
        status=target(event, None),
        sequence=1,
        plan_hash=event.data["plan_hash"],
        parameters=event.data["parameters"],
        simulated=event.data.get("simulated", False),
        script=event.data.get("script"),
        parent=Parent(**event.data["parent"]) if "parent" in event.data else None,
    )


def _run(plan: Plan, state: RunState, event: Event) -> None:
    if event.entity != state.run:
        raise IllegalEvent(f"{event.name}: this is run {state.run}, not {event.entity}")
    status = target(event, state.status)
    if event.trigger == "start":
        state.next_step = plan["steps"][0]["name"]
    if status in machines.finals("run"):
        _check_end(state, event, status)
    state.status = status
    state.reason = event.data.get("reason", state.reason)


def _check_end(state: RunState, event: Event, status: str) -> None:
    """A run ends as a transition selected, as a cancel request or a budget ends it, or failed in preparation."""
    if state.active is not None and state.active.status not in machines.finals("step_attempt"):
        raise IllegalEvent(f"{event.name}: step attempt {state.active.id} is still {state.active.status}")
    ending = state.ending.terminal if state.ending else None
    unprepared = status == "failed" and state.status == "preparing"
    if status not in (state.selected, ending) and not unprepared:
        raise IllegalEvent(f"{event.name}: no transition selected {status}, and nothing else ends the run so")


# step attempt ---------------------------------------------------------------------------------------


def _step_attempt(plan: Plan, state: RunState, event: Event) -> None:
    if event.trigger == BIRTH:
        _born_step_attempt(state, event)
        return
    active = state.active
    if active is None or active.id != event.entity:
        raise IllegalEvent(f"{event.name}: {event.entity} is not the active step attempt")
    status = target(event, active.status)
    if status in machines.finals("step_attempt"):
        _end_step_attempt(plan, state, active, event)
    active = state.own_active()
    if event.trigger == "start":
        active.work = _work(plan, state, active, event)
    elif event.trigger == "wait":
        active.due_ms, active.shown = event.data.get("due_ms"), event.data.get("shown")
    active.status = status


def _work(plan: Plan, state: RunState, starting: StepAttempt, event: Event) -> WorkList:
    """What the step attempt that starts has to have done."""
    found = work_list(plan, state, step_named(plan, starting.step))
    if isinstance(found, Refused):
        raise IllegalEvent(f"{event.name}: {found.message}")
    return found


def _end_step_attempt(plan: Plan, state: RunState, active: StepAttempt, event: Event) -> None:
    """A step attempt ends only once all of its work is accounted for."""
    if state.open:
        raise IllegalEvent(f"{event.name}: {state.open} assignments of {active.id} are not terminal")
    step, outcome = active.step, event.data["outcome"]
    passed = passes(step_named(plan, step), outcome)
    state.own_active().outcome = outcome
    state.outputs = state.outputs.set(step, event.data.get("output"))
    state.passages = state.passages.set(step, Passage(state.passages[step].entered, outcome, passed))
    state.last_outcome = outcome


def _born_step_attempt(state: RunState, event: Event) -> None:
    step, number = event.data["step"], event.data["number"]
    if state.active is not None:
        raise IllegalEvent(f"{event.name}: {state.active.id} is active; one step attempt is at a time")
    if state.next_step != step:
        raise IllegalEvent(f"{event.name}: no transition leads to {step!r}")
    if number != state.counters.entries.get(step, 0) + 1 or event.entity != f"{step}#{number}":
        raise IllegalEvent(f"{event.name}: {event.entity} is not the next attempt of step {step!r}")
    born = StepAttempt(event.entity, step, number, target(event, None), event.data["entered_ms"])
    born.owner = state.owner
    state.active = born
    state.next_step = None
    state.last_step = step
    counters = state.own_counters()
    counters.entered += 1
    counters.entries = counters.entries.set(step, number)
    if step in state.outputs:
        state.outputs = state.outputs.delete(step)
    state.passages = state.passages.set(step, Passage(counters.entered))


# facts ----------------------------------------------------------------------------------------------


def _transition_taken(plan: Plan, state: RunState, event: Event) -> None:
    active, data = state.active, event.data
    if active is None or active.id != event.entity or active.outcome != data["outcome"]:
        raise IllegalEvent(f"{event.name}: {event.entity} did not just end with {data['outcome']!r}")
    target = data["target"]
    declared = step_named(plan, active.step)["transitions"].get(data["outcome"])
    if declared is None or declared["target"] != target or data["step"] != active.step:
        raise IllegalEvent(f"{event.name}: the plan has no transition from {active.step} to {target!r}")
    ends = target in TERMINALS
    edge = f"{active.step} {data['outcome']}"
    counters = state.own_counters()
    counters.transitions += 1
    counters.edges = counters.edges.set(edge, counters.edges.get(edge, 0) + 1)
    state.active = None
    state.assignments = Map()
    state.attempts = Map()
    state.effects = Map()
    state.selected = target if ends else None
    state.next_step = None if ends else target


def _ending(plan: Plan, state: RunState, event: Event) -> None:
    cancelled = event.name == "cancel.requested"
    if state.ending is not None:
        if cancelled:
            raise IllegalEvent(f"{event.name}: the run is to end as {state.ending.terminal} already")
        return
    code, message = event.data["code"], event.data["message"]
    state.ending = Ending("cancelled" if cancelled else "failed", code, message)


def _own_active(state: RunState, event: Event) -> StepAttempt:
    """The active step attempt, which `event` is about, to be changed."""
    if state.active is None or state.active.id != event.entity:
        raise IllegalEvent(f"{event.name}: {event.entity} is not the active step attempt")
    return state.own_active()


def _outcome_proposed(plan: Plan, state: RunState, event: Event) -> None:
    _own_active(state, event).proposed = Proposal(event.data["outcome"], event.data["data"])


def _panel_decided(plan: Plan, state: RunState, event: Event) -> None:
    _own_active(state, event).decided = True


def _gate_rejected(plan: Plan, state: RunState, event: Event) -> None:
    """Another round: what is done from here on is new work, with the feedback attached."""
    active = _own_active(state, event)
    if state.open:
        raise IllegalEvent(f"{event.name}: {state.open} assignments of {active.id} are not terminal")
    active.loop += 1
    active.feedback = event.data["feedback"]
    active.made = 0
    active.proposed = None


def _pins_held(plan: Plan, state: RunState, event: Event) -> None:
    _own_active(state, event).pins_held = event.data["when"]


def _evidence_captured(plan: Plan, state: RunState, event: Event) -> None:
    active, data = _own_active(state, event), event.data
    found = Evidence(data["step_attempt"], data["count"], data["hash"], data["files"])
    state.evidence = state.evidence.set(f"{active.step} {data['name']}", found)


def _host_seen(plan: Plan, state: RunState, event: Event) -> None:
    state.host_parallel = event.data["parallel"]


def _signal_received(plan: Plan, state: RunState, event: Event) -> None:
    signal = Signal(event.data["number"], event.data["name"], event.data["data"])
    state.signals = (*state.signals, signal)


def _signal_left(plan: Plan, state: RunState, event: Event) -> None:
    number = event.data["number"]
    left = tuple(signal for signal in state.signals if signal.number != number)
    if len(left) == len(state.signals):
        raise IllegalEvent(f"{event.name}: signal {number} is not in the mailbox")
    state.signals = left


def _unchanged(plan: Plan, state: RunState, event: Event) -> None:
    """What is recorded for people alone."""


Handler: TypeAlias = Callable[[Plan, RunState, Event], None]

_LIFECYCLES: dict[str, Handler] = {
    "run": _run,
    "step_attempt": _step_attempt,
    "assignment": evolve_work.assignment,
    "attempt": evolve_work.attempt,
    "effect": evolve_work.effect,
    "delivery": evolve_delivery.delivery,
    "repository_delivery": evolve_delivery.share,
    "session": evolve_sessions.session,
}

_FACTS: dict[str, Handler] = {
    "transition.taken": _transition_taken,
    "cancel.requested": _ending,
    "budget.exhausted": _ending,
    "property.violated": _ending,
    "gate.refused": _ending,
    "gate.rejected": _gate_rejected,
    "outcome.proposed": _outcome_proposed,
    "panel.decided": _panel_decided,
    "pins.held": _pins_held,
    "evidence.captured": _evidence_captured,
    "host.seen": _host_seen,
    "session.joined": evolve_sessions.joined,
    "usage.seen": evolve_work.used,
    "signal.received": _signal_received,
    "signal.consumed": _signal_left,
    "signal.unconsumed": _signal_left,
    "signal.refused": _unchanged,
    "decision.recorded": _unchanged,
    "decision.refused": _unchanged,
    "resolution.recorded": _unchanged,
    "resolution.refused": _unchanged,
    "command.unread": _unchanged,
}

#: The facts: what is recorded beside the moves.
FACTS = frozenset(_FACTS)
