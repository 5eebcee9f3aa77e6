"""The dispatch fence: intent before start, end before result before progress; no more at once than allowed."""

from akm.audit.chapters import Chapter, Work
from akm.audit.history import Entry, Found, History
from akm.audit.units import Unit, unit
from akm_specs.canonical import hash_json

_AT_WORK = frozenset({"dispatched", "executing", "reattaching", "result_recorded"})
_INTENT = ("attempt.create", "effect.create", "assignment.dispatch", "attempt.start")


def fence(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """The intent of each attempt is whole before it starts, and as the plan says."""
    for chapter in chapters:
        for work in chapter.works.values():
            planned = unit(history.plan, chapter, work)
            yield from _intents(history, work, planned)
            yield from _accounted(work)
    yield from _in_order(history)


def _in_order(history: History) -> Found:
    """Between the birth of an attempt and its start stand its effect and its dispatch, and nothing else."""
    for at, one in enumerate(history.entries):
        if one.name not in _INTENT or (one.name == "assignment.dispatch" and "child" in one.data):
            continue
        place = _INTENT.index(one.name)
        if at < place:
            yield one.sequence, f"{one.name} comes before the intent that it belongs to"
            continue
        found = tuple(each.name for each in history.entries[at - place : at - place + len(_INTENT)])
        if found != _INTENT:
            yield one.sequence, f"{one.name} of {one.entity} does not stand in a whole intent"
        elif place == 2 and one.data.get("attempt") != history.entries[at - 1].entity:
            yield one.sequence, f"{one.entity} is dispatched by an attempt that is not its newest"


def _intents(history: History, work: Work, planned: Unit) -> Found:
    key = hash_json({"run": history.run, "assignment": work.id, "effect": planned.tool_name})
    for one in work.entries:
        if one.name == "effect.create":
            if one.data["key"] != key:
                yield one.sequence, f"the idempotency key of {one.entity} is not that of its run, work and tool"
            if one.data["class"] != planned.effect:
                yield one.sequence, f"{one.entity} is {one.data['class']}, but the plan says {planned.effect}"
            if one.data["receipt_query"] != planned.tool["receipt"]:
                yield one.sequence, f"the receipt query of {one.entity} is not that of the plan"
        elif one.name == "assignment.accept" and planned.tool_name is not None:
            if (one.data.get("tool"), one.data.get("agent")) != (planned.tool_name, planned.agent):
                yield one.sequence, f"{one.entity} is accepted for another tool or agent than the plan's"
        elif one.name == "attempt.create" and one.data["began_ms"] > one.elapsed_ms:
            yield one.sequence, f"{one.entity} began after it was recorded"


def _accounted(work: Work) -> Found:
    """Its attempt and effect are settled before an assignment ends, is retried, or has a result."""
    attempt = effect = "none"
    for one in work.entries:
        if one.lifecycle == "attempt":
            if one.trigger == "create" and attempt not in ("none", "terminal"):
                yield one.sequence, f"an earlier attempt of {work.id} is still {attempt}"
            attempt = one.target or attempt
        elif one.lifecycle == "effect":
            effect = one.target or effect
        elif one.trigger in ("retry", "record_result", "settle", "cancel") and (
            attempt not in ("none", "terminal") or effect not in ("none", "settled")
        ):
            yield one.sequence, f"{one.name} comes while its attempt is {attempt} and its effect {effect}"


def progress(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """A step attempt ends, and begins another round, only when all of its work is terminal."""
    for chapter in chapters:
        standing: dict[str, str] = {}
        for one in chapter.entries:
            if one.lifecycle == "assignment":
                standing[one.entity] = one.target or ""
                yield from _room(history, chapter, one, standing)
            elif one is chapter.end or one.name == "gate.rejected" or "again" in one.data:
                left = sorted(entity for entity, state in standing.items() if state != "terminal")
                if left:
                    yield one.sequence, f"{one.name} comes while {', '.join(left)} are not terminal"


def _room(history: History, chapter: Chapter, one: Entry, standing: dict[str, str]) -> Found:
    if one.trigger != "dispatch":
        return
    step = chapter.step
    planned = step["parallel"]["value"] if step["kind"] in ("panel", "map") else 1
    planned = len(step["repositories"]) if step["kind"] == "deliver" else planned
    hosts = [each.data["parallel"] for each in history.entries[: one.sequence] if each.name == "host.seen"]
    allowed = min(planned, hosts[-1]) if hosts and hosts[-1] is not None else planned
    at_work = sum(state in _AT_WORK for state in standing.values())
    if at_work > allowed:
        yield one.sequence, f"{at_work} assignments of {chapter.id} are at work, and {allowed} may be"
