"""`evolve`: the only function that makes a new state, and so the only reader of what events mean.

A move must be in its lifecycle's table and start where the entity stands; an id is used once. Whatever
does not fit raises, and nothing has changed.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias, TypeVar

from akm.kernel import machines
from akm.kernel.event import BIRTH, Event
from akm.kernel.state import (
    Assignment,
    Attempt,
    Counters,
    Effect,
    Ending,
    Result,
    RunState,
    Signal,
    StepAttempt,
)
from akm.kernel.steps import step_named
from akm_specs.plan import TERMINALS, Plan

Entity = TypeVar("Entity", Assignment, Attempt, Effect)


class IllegalEvent(Exception):
    """An event that does not fit the state: an unknown or repeated id, a wrong source state, an unknown name."""


def evolve(plan: Plan, state: RunState | None, event: Event) -> RunState:
    """The state after `event`. Raises IllegalEvent, or machines.IllegalMove for a move that no table lists."""
    if state is None:
        return _born_run(event)
    if state.status in machines.finals("run"):
        raise IllegalEvent(f"run {state.run} is {state.status}; nothing follows, not even {event.name}")
    handler = _FACTS.get(event.name) if event.is_fact else _LIFECYCLES.get(event.lifecycle)
    if handler is None:
        raise IllegalEvent(f"{event.name} is no event of a run")
    return replace(handler(plan, state, event), sequence=state.sequence + 1)


def _target(event: Event, source: str | None) -> str:
    """The state that the table gives, which the event must name rightly. `source` None: a birth."""
    if event.source != source:
        raise IllegalEvent(f"{event.name} {event.entity} starts from {event.source!r}, but the state is {source!r}")
    if source is None:
        found = machines.initial(event.lifecycle)
    else:
        found = machines.move(event.lifecycle, event.entity, source, event.trigger)
    if event.target != found:
        raise IllegalEvent(f"{event.name} {event.entity} names {event.target!r}; the table says {found!r}")
    return found


def _put(entities: Mapping[str, Entity], entity: Entity) -> dict[str, Entity]:
    return {**entities, entity.id: entity}


def _known(entities: Mapping[str, Entity], event: Event) -> Entity:
    entity = entities.get(event.entity)
    if entity is None:
        raise IllegalEvent(f"{event.name}: there is no {event.lifecycle} {event.entity}")
    return entity


def _fresh(entities: Mapping[str, Entity], event: Event) -> str:
    if event.entity in entities:
        raise IllegalEvent(f"{event.name}: the id {event.entity} is used already")
    return _target(event, None)


# run ------------------------------------------------------------------------------------------------


def _born_run(event: Event) -> RunState:
    if event.name != "run.create":
        raise IllegalEvent(f"a run begins with run.create, not with {event.name}")
    return RunState(
        run=event.entity,
        status=_target(event, None),
        sequence=1,
        plan_hash=event.data["plan_hash"],
        parameters=event.data["parameters"],
        simulated=event.data.get("simulated", False),
    )


def _run(plan: Plan, state: RunState, event: Event) -> RunState:
    if event.entity != state.run:
        raise IllegalEvent(f"{event.name}: this is run {state.run}, not {event.entity}")
    status = _target(event, state.status)
    if event.trigger == "start":
        return replace(state, status=status, next_step=plan["steps"][0]["name"])
    if status in machines.finals("run"):
        _check_end(state, event, status)
    return replace(state, status=status, reason=event.data.get("reason", state.reason))


def _check_end(state: RunState, event: Event, status: str) -> None:
    """A run ends as a transition selected, as a cancel request or a budget ends it, or failed in preparation."""
    if state.active is not None and state.active.status not in machines.finals("step_attempt"):
        raise IllegalEvent(f"{event.name}: step attempt {state.active.id} is still {state.active.status}")
    ending = state.ending.terminal if state.ending else None
    unprepared = status == "failed" and state.status == "preparing"
    if status not in (state.selected, ending) and not unprepared:
        raise IllegalEvent(f"{event.name}: no transition selected {status}, and nothing else ends the run so")


# step attempt ---------------------------------------------------------------------------------------


def _step_attempt(plan: Plan, state: RunState, event: Event) -> RunState:
    if event.trigger == BIRTH:
        return _born_step_attempt(state, event)
    active = state.active
    if active is None or active.id != event.entity:
        raise IllegalEvent(f"{event.name}: {event.entity} is not the active step attempt")
    data = event.data
    moved = replace(active, status=_target(event, active.status))
    if event.trigger == "wait":
        moved = replace(moved, due_ms=data["due_ms"], shown=data.get("shown"))
    if moved.status in machines.finals("step_attempt"):
        _check_settled(state, event)
        moved = replace(moved, outcome=data["outcome"])
        outputs = {**state.outputs, active.step: data.get("output")}
        return replace(state, active=moved, outputs=outputs, last_outcome=moved.outcome)
    return replace(state, active=moved)


def _check_settled(state: RunState, event: Event) -> None:
    """A step attempt ends only once all of its work is accounted for."""
    for lifecycle, entities in _work(state):
        for entity in entities.values():
            if entity.status not in machines.finals(lifecycle):
                raise IllegalEvent(f"{event.name}: {lifecycle} {entity.id} is still {entity.status}")


def _work(state: RunState) -> tuple[tuple[str, Mapping[str, Assignment | Attempt | Effect]], ...]:
    return (("assignment", state.assignments), ("attempt", state.attempts), ("effect", state.effects))


def _born_step_attempt(state: RunState, event: Event) -> RunState:
    step, number = event.data["step"], event.data["number"]
    if state.active is not None:
        raise IllegalEvent(f"{event.name}: {state.active.id} is active; one step attempt is at a time")
    if state.next_step != step:
        raise IllegalEvent(f"{event.name}: no transition leads to {step!r}")
    if number != state.counters.entries.get(step, 0) + 1 or event.entity != f"{step}#{number}":
        raise IllegalEvent(f"{event.name}: {event.entity} is not the next attempt of step {step!r}")
    entries = {**state.counters.entries, step: number}
    attempt = StepAttempt(event.entity, step, number, _target(event, None), event.data["entered_ms"])
    return replace(
        state,
        active=attempt,
        next_step=None,
        last_step=step,
        outputs={name: output for name, output in state.outputs.items() if name != step},
        counters=replace(state.counters, entries=entries),
    )


# assignment, attempt, effect ------------------------------------------------------------------------


def _assignment(plan: Plan, state: RunState, event: Event) -> RunState:
    data = event.data
    if event.trigger == BIRTH:
        if state.active is None or data["step_attempt"] != state.active.id:
            raise IllegalEvent(f"{event.name}: {data['step_attempt']} is not the active step attempt")
        status = _fresh(state.assignments, event)
        born = Assignment(event.entity, state.active.id, status, data["input_hash"])
        counters = replace(state.counters, units=state.counters.units + 1)
        return replace(state, assignments=_put(state.assignments, born), counters=counters)
    known = _known(state.assignments, event)
    moved = replace(known, status=_target(event, known.status))
    counters = state.counters
    if event.trigger == "retry":
        moved = replace(
            moved,
            lost=moved.lost + (data["reason"] == "lost"),
            granted=moved.granted + (data["reason"] == "resolved"),
        )
        counters = _metered(counters, data)
    elif event.trigger == "record_result":
        moved = replace(moved, result=Result(**data["result"]))
        counters = _metered(counters, data["result"])
    return replace(state, assignments=_put(state.assignments, moved), counters=counters)


def _metered(counters: Counters, spent: Mapping[str, int]) -> Counters:
    """What a result says that it spent, or an end that is retried."""
    return replace(
        counters,
        tokens=counters.tokens + spent.get("tokens", 0),
        cost_microdollars=counters.cost_microdollars + spent.get("cost_microdollars", 0),
    )


def _attempt(plan: Plan, state: RunState, event: Event) -> RunState:
    data = event.data
    if event.trigger != BIRTH:
        known = _known(state.attempts, event)
        moved = replace(known, status=_target(event, known.status))
        return replace(state, attempts=_put(state.attempts, moved))
    assignment = state.assignments.get(data["assignment"])
    if assignment is None or event.entity != f"{assignment.id}/{assignment.attempts + 1}":
        raise IllegalEvent(f"{event.name}: {event.entity} is not the next attempt of {data['assignment']}")
    if any(
        attempt.assignment == assignment.id and attempt.status != "terminal" for attempt in state.attempts.values()
    ):
        raise IllegalEvent(f"{event.name}: an earlier attempt of {assignment.id} is not terminal")
    number = assignment.attempts + 1
    born = Attempt(event.entity, assignment.id, number, _fresh(state.attempts, event))
    return replace(
        state,
        attempts=_put(state.attempts, born),
        assignments=_put(state.assignments, replace(assignment, attempts=number)),
    )


def _effect(plan: Plan, state: RunState, event: Event) -> RunState:
    data = event.data
    if event.trigger == BIRTH:
        attempt = state.attempts.get(event.entity)
        if attempt is None:
            raise IllegalEvent(f"{event.name}: there is no attempt {event.entity}")
        status = _fresh(state.effects, event)
        born = Effect(event.entity, attempt.assignment, data["class"], data["key"], status)
        return replace(state, effects=_put(state.effects, born))
    known = _known(state.effects, event)
    moved = replace(known, status=_target(event, known.status))
    if event.trigger == "observe":
        moved = replace(moved, observed=data)
    elif event.trigger == "block":
        moved = replace(moved, blocked=data)
    return replace(state, effects=_put(state.effects, moved))


# facts ----------------------------------------------------------------------------------------------


def _transition_taken(plan: Plan, state: RunState, event: Event) -> RunState:
    active, data = state.active, event.data
    if active is None or active.id != event.entity or active.outcome != data["outcome"]:
        raise IllegalEvent(f"{event.name}: {event.entity} did not just end with {data['outcome']!r}")
    edge = f"{active.step} {data['outcome']}"
    counters = replace(
        state.counters,
        transitions=state.counters.transitions + 1,
        edges={**state.counters.edges, edge: state.counters.edges.get(edge, 0) + 1},
    )
    target = data["target"]
    declared = step_named(plan, active.step)["transitions"].get(data["outcome"])
    if declared is None or declared["target"] != target or data["step"] != active.step:
        raise IllegalEvent(f"{event.name}: the plan has no transition from {active.step} to {target!r}")
    ends = target in TERMINALS
    return replace(
        state,
        counters=counters,
        active=None,
        assignments={},
        attempts={},
        effects={},
        selected=target if ends else None,
        next_step=None if ends else target,
    )


def _ending(plan: Plan, state: RunState, event: Event) -> RunState:
    if state.ending is not None:
        return state
    code, message = event.data["code"], event.data["message"]
    cancelled = event.name == "cancel.requested"
    return replace(state, ending=Ending("cancelled" if cancelled else "failed", code, message))


def _signal_received(plan: Plan, state: RunState, event: Event) -> RunState:
    signal = Signal(event.data["number"], event.data["name"], event.data["data"])
    return replace(state, signals=(*state.signals, signal))


def _signal_left(plan: Plan, state: RunState, event: Event) -> RunState:
    number = event.data["number"]
    left = tuple(signal for signal in state.signals if signal.number != number)
    if len(left) == len(state.signals):
        raise IllegalEvent(f"{event.name}: signal {number} is not in the mailbox")
    return replace(state, signals=left)


def _unchanged(plan: Plan, state: RunState, event: Event) -> RunState:
    return state


Handler: TypeAlias = Callable[[Plan, RunState, Event], RunState]

_LIFECYCLES: dict[str, Handler] = {
    "run": _run,
    "step_attempt": _step_attempt,
    "assignment": _assignment,
    "attempt": _attempt,
    "effect": _effect,
}

_FACTS: dict[str, Handler] = {
    "transition.taken": _transition_taken,
    "cancel.requested": _ending,
    "budget.exhausted": _ending,
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
