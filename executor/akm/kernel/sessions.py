"""Sessions: which long-lived process serves an attempt.

One worker (an agent, or a tool without one) has at most one session of a run at a time, for one scope: everything
that its process was started for. Work of another scope gets another session, with the next epoch.
"""

from akm.kernel import attempts
from akm.kernel.draft import Draft
from akm.kernel.machines import finals
from akm.kernel.observation import AttemptLost, SessionsClosed
from akm.kernel.state import RunState, Session
from akm.kernel.units import Unit
from akm_specs.canonical import Json, JsonObject, hash_json


def worker_of(unit: Unit) -> str:
    """Whose session serves `unit`."""
    return unit.agent or unit.tool_name


def serving(state: RunState, unit: Unit) -> str | None:
    """The session that serves `unit`, where its tool is one."""
    return state.sessions[worker_of(unit)].id if "session" in unit.tool else None


def attend(draft: Draft, unit: Unit) -> JsonObject:
    """Make sure that a session of the right scope is active for `unit`: its id and epoch; nothing without one."""
    if "session" not in unit.tool:
        return {}
    worker, scope = worker_of(unit), _scope(draft, unit)
    found = draft.state.sessions.get(worker)
    if found is not None and not _is_closed(found) and found.scope != scope:
        if found.status != "created":
            draft.move("session", found.id, "rotate")
        draft.move("session", found.id, "close", why="scope")
    found = draft.state.sessions.get(worker)
    if found is None or _is_closed(found):
        epoch = 1 if found is None else found.epoch + 1
        about: dict[str, Json] = {"run": draft.state.run, "worker": worker, "epoch": epoch, "scope": scope}
        draft.birth("session", f"{worker}@{epoch}", **about)
    found = draft.state.sessions[worker]
    if found.status != "active":
        draft.move("session", found.id, "activate")
    return {"session": found.id, "epoch": found.epoch}


def follow(draft: Draft) -> bool:
    """A session without work rests."""
    for session in draft.state.sessions.values():
        if session.status == "active" and not session.at_work:
            draft.move("session", session.id, "rest")
            return True
    return False


def begin_anew(draft: Draft) -> None:
    """A new driver has sessions of its own."""
    close_all(draft, "driver_gone")
    _rejoin(draft)


def _rejoin(draft: Draft) -> None:
    """What was meant for a session that is gone, and was never asked, goes to the next."""
    for session in draft.state.sessions.values():
        if _is_closed(session) and not draft.stopping:
            for each in _never_asked(draft.state, session):
                unit = draft.unit(draft.state.attempts[each].assignment)
                draft.fact("session.joined", each, **attend(draft, unit))


def _never_asked(state: RunState, session: Session) -> list[str]:
    """The attempts that a session that is gone was to serve. Of what was asked, the loss is recorded before."""
    left = (each for each in session.at_work if each in state.attempts)
    return sorted(each for each in left if state.attempts[each].status == "starting")


def close_all(draft: Draft, why: str) -> None:
    """None outlives the driver that started it, nor the run."""
    for session in draft.state.sessions.values():
        if not _is_closed(session):
            draft.move("session", session.id, "close", why=why)


def closed(draft: Draft, seen: SessionsClosed) -> None:
    """Sessions ended, and with them what they were asked."""
    for session in draft.state.sessions.values():
        if not _is_closed(session) and (seen.session is None or seen.session == session.id):
            draft.move("session", session.id, "close", why=seen.why)
    for end in seen.ends:
        if isinstance(end, AttemptLost):
            attempts.lost(draft, end)
        else:
            attempts.ended(draft, end)
    if seen.session is not None:
        _rejoin(draft)


def _is_closed(session: Session) -> bool:
    return session.status in finals("session")


def _scope(draft: Draft, unit: Unit) -> str:
    """Everything that a session's process is started for, and that it may touch."""
    agent = None if unit.agent is None else draft.plan["agents"][unit.agent]
    return hash_json(
        {
            "tool": unit.tool_name,
            "argv": unit.tool["argv"],
            "directory": unit.tool["directory"],
            "env": unit.tool["env"],
            "model": None if agent is None else agent["model"],
            "provider": None if agent is None else agent["provider"],
            "scope": unit.scope,
        }
    )
