"""`evolve` for sessions: their lives, and which attempts each of them is at work on."""

from dataclasses import replace

from akm.kernel.event import BIRTH, Event
from akm.kernel.legality import IllegalEvent, target
from akm.kernel.machines import finals
from akm.kernel.state import RunState, Session
from akm_specs.plan import Plan


def session(plan: Plan, state: RunState, event: Event) -> None:
    """Apply an event of a session."""
    worker = event.entity.rpartition("@")[0]
    before = state.sessions.get(worker)
    if event.trigger == BIRTH:
        epoch = 1 if before is None else before.epoch + 1
        open_still = before is not None and before.status not in finals("session")
        if open_still or event.data["run"] != state.run or event.entity != f"{worker}@{epoch}":
            raise IllegalEvent(f"{event.name}: {event.entity} is not the next session of {worker} in {state.run}")
        after = Session(event.entity, epoch, event.data["scope"], target(event, None))
    else:
        if before is None or before.id != event.entity:
            raise IllegalEvent(f"{event.name}: there is no session {event.entity}")
        after = replace(before, status=target(event, before.status))
        if after.status == "idle" and after.at_work:
            raise IllegalEvent(f"{event.name}: {event.entity} is at work")
    state.sessions = {**state.sessions, worker: after}


def joins(state: RunState, event: Event, attempt: str) -> None:
    """`attempt` is served by the session that `event` names, of that epoch."""
    worker = event.data["session"].rpartition("@")[0]
    found = state.sessions.get(worker)
    if found is None or (found.id, found.epoch) != (event.data["session"], event.data["epoch"]):
        raise IllegalEvent(f"{event.name}: {event.data['session']} is no session of epoch {event.data['epoch']}")
    if found.status != "active":
        raise IllegalEvent(f"{event.name}: {found.id} is {found.status}")
    state.sessions = {**state.sessions, worker: replace(found, at_work=found.at_work | {attempt})}


def joined(plan: Plan, state: RunState, event: Event) -> None:
    """Apply that an attempt goes to another session than it was meant for."""
    if event.entity not in state.attempts or state.attempts[event.entity].status != "starting":
        raise IllegalEvent(f"{event.name}: {event.entity} is not waiting to be asked")
    joins(state, event, event.entity)


def leaves(state: RunState, attempt: str) -> None:
    """`attempt` is over."""
    for worker, found in state.sessions.items():
        if attempt in found.at_work:
            state.sessions = {**state.sessions, worker: replace(found, at_work=found.at_work - {attempt})}
