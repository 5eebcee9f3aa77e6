"""Sessions: one worker, one run, one scope; and nobody is served by one that is not active."""

from typing import Any

from akm.audit.chapters import Chapter
from akm.audit.history import Entry, Found, History
from akm.audit.units import Unit, unit
from akm_specs.canonical import hash_json


def sessions(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Epochs rise by one, and each dispatch to a session is one to the active session of its worker and scope."""
    planned = {
        work.id: unit(history.plan, chapter, work) for chapter in chapters for work in chapter.works.values()
    }
    born: dict[str, Entry] = {}
    standing: dict[str, str | None] = {}
    epochs: dict[str, int] = {}
    for one in history.entries:
        if one.lifecycle == "session" and one.target is not None:
            standing[one.entity] = one.target
        if one.name == "session.create":
            worker = one.data["worker"]
            epochs[worker] = epochs.get(worker, 0) + 1
            named = (one.data["epoch"], one.entity, one.data["run"])
            if named != (epochs[worker], f"{worker}@{epochs[worker]}", history.run):
                yield one.sequence, f"{one.entity} is not the next session of {worker} in this run"
            born[one.entity] = one
        elif one.name == "session.joined" or (one.name == "assignment.dispatch" and "child" not in one.data):
            served = planned[one.entity.rpartition("/")[0] if one.name == "session.joined" else one.entity]
            problem = _problem(history.plan, one, served, born, standing)
            if problem is not None:
                yield one.sequence, f"{one.entity} {problem}"


def _problem(
    plan: Any, one: Entry, served: Unit, born: dict[str, Entry], standing: dict[str, str | None]
) -> str | None:
    session = one.data.get("session")
    if ("session" in served.tool) != (session is not None):
        return "is served by a session against its tool, or by none"
    if session is None:
        return None
    if session not in born or standing[session] != "active":
        return f"is served by {session}, which is not active"
    about = born[session].data
    if (about["worker"], about["epoch"]) != (served.agent or served.tool_name, one.data.get("epoch")):
        return f"is served by {session}, the session of another worker or epoch"
    return None if about["scope"] == _scope(plan, served) else f"is served by {session}, which has another scope"


def _scope(plan: Any, served: Unit) -> str:
    """The hash of everything that a session's process is started for."""
    agent = plan["agents"][served.agent] if served.agent is not None else {"model": None, "provider": None}
    tool = {name: served.tool[name] for name in ("argv", "directory", "env")}
    who = {"model": agent["model"], "provider": agent["provider"]}
    return hash_json({**tool, **who, "tool": served.tool_name, "scope": served.scope})
