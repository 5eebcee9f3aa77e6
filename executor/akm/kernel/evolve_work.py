"""`evolve` for the work of a step attempt: its assignments, their physical attempts, and the effects of these."""

from collections.abc import Mapping
from dataclasses import replace

from akm.kernel import evolve_sessions, machines
from akm.kernel.event import BIRTH, Event
from akm.kernel.legality import IllegalEvent, fresh, known, target
from akm.kernel.state import Assignment, Attempt, Counters, Effect, Result, RunState
from akm.kernel.units import judge_id, next_id, unit_of
from akm_specs.plan import Plan

#: Where an assignment waits to be dispatched.
_READY = frozenset({"created", "accepted", "retry_pending"})


def assignment(plan: Plan, state: RunState, event: Event) -> None:
    """Change `state` by an event of an assignment."""
    if event.trigger == BIRTH:
        _born_assignment(state, event)
        return
    data = event.data
    before = known(state.assignments, event)
    changes: dict[str, object] = {"status": target(event, before.status)}
    spent: Mapping[str, int] = {}
    if event.trigger == "retry":
        changes["lost"] = before.lost + (data["reason"] == "lost")
        changes["granted"] = before.granted + (data["reason"] == "resolved")
        spent = data
        if data["reason"] == "resolved":
            state.counters = replace(state.counters, granted=state.counters.granted + 1)
    elif event.trigger == "record_result":
        changes["result"] = Result(**data["result"])
        spent = data["result"]
        state.counters = _nested(state.counters, data.get("nested"))
    elif event.trigger == "dispatch" and "session" in data:
        evolve_sessions.joins(state, event, data["attempt"])
    after = replace(before, **changes)  # type: ignore[arg-type]  # each by its own name
    if event.trigger == "retry" or after.status in machines.finals("assignment"):
        _check_accounted(state, event, f"{after.id}/{after.attempts}")
    state.assignments = state.assignments.set(after.id, after)
    state.counters = _metered(state.counters, spent)
    state.open -= after.status in machines.finals("assignment")
    state.ready = _listed(state.ready, after.id, after.status in _READY)
    state.uncertain = _listed(state.uncertain, after.id, after.status == "blocked_uncertain")


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
    if not judges:
        state.active = replace(active, made=active.made + 1)
    state.assignments = state.assignments.set(born.id, born)
    state.counters = replace(state.counters, units=state.counters.units + 1)
    state.open += 1
    state.ready = (*state.ready, born.id)


def _metered(counters: Counters, spent: Mapping[str, int]) -> Counters:
    """What a result says that it spent, or an end that is retried."""
    tokens, cost = spent.get("tokens", 0), spent.get("cost_microdollars", 0)
    if not tokens and not cost:
        return counters
    return replace(counters, tokens=counters.tokens + tokens, cost_microdollars=counters.cost_microdollars + cost)


def _nested(counters: Counters, spent: Mapping[str, int] | None) -> Counters:
    """What a child run came to counts as ours, beside what its result says."""
    if spent is None:
        return counters
    return replace(
        counters,
        nested_units=counters.nested_units + spent["units"],
        agent_time_ms=counters.agent_time_ms + spent["agent_time_ms"],
        unmetered=counters.unmetered + spent["unmetered"],
    )


def attempt(plan: Plan, state: RunState, event: Event) -> None:
    """Change `state` by an event of a physical attempt."""
    if event.trigger == BIRTH:
        _born_attempt(plan, state, event)
        return
    before = known(state.attempts, event)
    after = replace(before, status=target(event, before.status))
    state.attempts = state.attempts.set(after.id, after)
    if event.trigger == "end" and state.sessions:
        evolve_sessions.leaves(state, after.id)
    counters = state.counters
    if event.trigger == "settle" and "took_ms" in event.data:
        state.counters = replace(
            counters,
            agents=counters.agents - 1,
            agents_began_ms=counters.agents_began_ms - before.began_ms,
            agent_time_ms=counters.agent_time_ms + event.data["took_ms"],
            unmetered=counters.unmetered + (not event.data.get("metered", False)),
        )


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
    counters = replace(state.counters, attempts=state.counters.attempts + 1)
    if unit_of(plan, owner.id).agent is not None:
        began = counters.agents_began_ms + born.began_ms
        counters = replace(counters, agents=counters.agents + 1, agents_began_ms=began)
    state.attempts = state.attempts.set(born.id, born)
    state.assignments = state.assignments.set(owner.id, replace(owner, attempts=number))
    state.counters = counters


def effect(plan: Plan, state: RunState, event: Event) -> None:
    """Change `state` by an event of an effect."""
    data = event.data
    if event.trigger == BIRTH:
        acting = state.attempts.get(event.entity)
        if acting is None:
            raise IllegalEvent(f"{event.name}: there is no attempt {event.entity}")
        status = fresh(state.effects, event)
        born = Effect(event.entity, acting.assignment, data["class"], data["key"], status)
        state.effects = state.effects.set(born.id, born)
        return
    before = known(state.effects, event)
    after = replace(before, status=target(event, before.status))
    if event.trigger == "observe":
        after = replace(after, observed=data)
    elif event.trigger == "block":
        after = replace(after, blocked=data)
    state.effects = state.effects.set(after.id, after)
