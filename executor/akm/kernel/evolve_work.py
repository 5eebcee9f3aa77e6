"""`evolve` for the work of a step attempt: its assignments, their physical attempts, and the effects of these."""

from collections.abc import Mapping

from akm.kernel import evolve_sessions, machines
from akm.kernel.event import BIRTH, Event
from akm.kernel.legality import IllegalEvent, fresh, known, target
from akm.kernel.state import Assignment, Attempt, Effect, Result, RunState
from akm.kernel.units import judge_id, next_id, unit_of
from akm_specs.plan import Plan

#: Where an assignment waits to be dispatched.
_READY = frozenset({"created", "accepted", "retry_pending"})


def assignment(plan: Plan, state: RunState, event: Event) -> None:
    """Change `state` by an event of an assignment."""
    trigger, data = event.trigger, event.data
    if trigger == BIRTH:
        _born_assignment(state, event)
        return
    found = known(state.assignments, event)
    before, status = found.status, target(event, found.status)
    one, ends = state.own_assignment(found), status in machines.finals("assignment")
    if trigger == "retry" or ends:
        _check_accounted(state, event, f"{one.id}/{one.attempts}")
    if trigger == "retry":
        one.lost += data["reason"] == "lost"
        if data["reason"] == "resolved":
            one.granted += 1
            state.own_counters().granted += 1
        _meter(state, one, data)
    elif trigger == "record_result":
        one.result = Result(**data["result"])
        _meter(state, one, data["result"])
        if "nested" in data:
            _meter_nested(state, data["nested"])
    elif trigger == "dispatch" and "session" in data:
        evolve_sessions.joins(state, event, data["attempt"])
    one.status = status
    state.open -= ends
    if before in _READY or status in _READY:
        state.ready = _listed(state.ready, one.id, status in _READY)
    if "blocked_uncertain" in (before, status):
        state.uncertain = _listed(state.uncertain, one.id, status == "blocked_uncertain")


def _check_accounted(state: RunState, event: Event, newest: str) -> None:
    """An assignment ends, or is tried again, only once what was done for it is accounted for."""
    for lifecycle, entity in (("attempt", state.attempts.get(newest)), ("effect", state.effects.get(newest))):
        if entity is not None and entity.status not in machines.finals(lifecycle):
            raise IllegalEvent(f"{event.name}: {lifecycle} {newest} is still {entity.status}")


def _listed(ids: tuple[str, ...], one: str, wanted: bool) -> tuple[str, ...]:
    """`ids` with `one` in it just when it is wanted."""
    if (one in ids) == wanted:
        return ids
    return (*ids, one) if wanted else tuple(each for each in ids if each != one)


def _born_assignment(state: RunState, event: Event) -> None:
    active, data = state.active, event.data
    if active is None or data["step_attempt"] != active.id:
        raise IllegalEvent(f"{event.name}: {data['step_attempt']} is not the active step attempt")
    status = fresh(state.assignments, event)
    judges = active.proposed is not None and event.entity == str(judge_id(state))
    if not judges and event.entity != str(next_id(state)):
        raise IllegalEvent(f"{event.name}: {event.entity} is not the next assignment of {active.id}")
    born = Assignment(event.entity, active.id, status, data["input_hash"], place=0 if judges else active.made)
    born.owner = state.owner
    if not judges:
        state.own_active().made += 1
    state.assignments = state.assignments.set(born.id, born)
    state.own_counters().units += 1
    state.open += 1
    state.ready = (*state.ready, born.id)


def _meter(state: RunState, worked: Assignment, spent: Mapping[str, int]) -> None:
    """Count what a result says that was spent, or an end that is retried, beyond what was said during the work."""
    tokens, cost = spent.get("tokens", 0), spent.get("cost_microdollars", 0)
    newest = state.attempts.get(f"{worked.id}/{worked.attempts}")
    if newest is not None:
        tokens, cost = max(0, tokens - newest.tokens), max(0, cost - newest.cost_microdollars)
    if tokens or cost:
        counters = state.own_counters()
        counters.tokens += tokens
        counters.cost_microdollars += cost


def _meter_nested(state: RunState, spent: Mapping[str, int]) -> None:
    """Count as ours what a child run came to, beside what its result says."""
    counters = state.own_counters()
    counters.nested_units += spent["units"]
    counters.agent_time_ms += spent["agent_time_ms"]
    counters.unmetered += spent["unmetered"]


def used(plan: Plan, state: RunState, event: Event) -> None:
    """Count what an attempt at work says that it has used so far, in all."""
    before, data = known(state.attempts, event), event.data
    tokens, cost = data["tokens"], data["cost_microdollars"]
    if before.status in machines.finals("attempt"):
        raise IllegalEvent(f"{event.name}: {before.id} is over")
    if tokens < before.tokens or cost < before.cost_microdollars:
        raise IllegalEvent(f"{event.name}: {before.id} has used more than that already")
    counters, one = state.own_counters(), state.own_attempt(before)
    counters.tokens += tokens - before.tokens
    counters.cost_microdollars += cost - before.cost_microdollars
    one.tokens, one.cost_microdollars = tokens, cost


def attempt(plan: Plan, state: RunState, event: Event) -> None:
    """Change `state` by an event of a physical attempt."""
    if event.trigger == BIRTH:
        _born_attempt(plan, state, event)
        return
    before = known(state.attempts, event)
    status = target(event, before.status)
    state.own_attempt(before).status = status
    if event.trigger == "end" and state.sessions:
        evolve_sessions.leaves(state, before.id)
    if event.trigger == "settle" and "took_ms" in event.data:
        counters = state.own_counters()
        counters.agents -= 1
        counters.agents_began_ms -= before.began_ms
        counters.agent_time_ms += event.data["took_ms"]
        counters.unmetered += not event.data.get("metered", False)


def _born_attempt(plan: Plan, state: RunState, event: Event) -> None:
    data = event.data
    owner = state.assignments.get(data["assignment"])
    if owner is None or event.entity != f"{owner.id}/{owner.attempts + 1}":
        raise IllegalEvent(f"{event.name}: {event.entity} is not the next attempt of {data['assignment']}")
    earlier = state.attempts.get(f"{owner.id}/{owner.attempts}")
    if earlier is not None and earlier.status not in machines.finals("attempt"):
        raise IllegalEvent(f"{event.name}: an earlier attempt of {owner.id} is not terminal")
    number = owner.attempts + 1
    born = Attempt(event.entity, owner.id, number, fresh(state.attempts, event), data["began_ms"])
    born.owner = state.owner
    state.attempts = state.attempts.set(born.id, born)
    state.own_assignment(owner).attempts = number
    counters = state.own_counters()
    counters.attempts += 1
    if unit_of(plan, owner.id).agent is not None:
        counters.agents += 1
        counters.agents_began_ms += born.began_ms


def effect(plan: Plan, state: RunState, event: Event) -> None:
    """Change `state` by an event of an effect."""
    data = event.data
    if event.trigger == BIRTH:
        acting = state.attempts.get(event.entity)
        if acting is None:
            raise IllegalEvent(f"{event.name}: there is no attempt {event.entity}")
        status = fresh(state.effects, event)
        born = Effect(event.entity, acting.assignment, data["class"], data["key"], status)
        born.owner = state.owner
        state.effects = state.effects.set(born.id, born)
        return
    before = known(state.effects, event)
    status = target(event, before.status)
    one = state.own_effect(before)
    one.status = status
    if event.trigger == "observe":
        one.observed = data
    elif event.trigger == "block":
        one.blocked = data
