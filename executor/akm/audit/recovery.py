"""What follows when an end is lost, uncertain or cut short: decided by class, by proof, or by a person's word."""

from akm.audit.chapters import ENDINGS, Chapter, Work
from akm.audit.history import Entry, Found, History
from akm.audit.units import Unit, unit

_ACTIONS = frozenset({"mark-completed", "confirm-absent", "compensated", "mark-failed", "cancel"})
_REFERENCED = frozenset({"mark-completed", "compensated"})
_AGAIN = frozenset({"confirm-absent", "compensated"})
_CONTAINED = frozenset({"read_only", "external_idempotent", "workspace_mutation"})


def retries(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Work is done again only as policy allows, after a proof of absence, or as a person resolved."""
    for chapter in chapters:
        for work in chapter.works.values():
            yield from _retries(work, unit(history.plan, chapter, work))


def _retries(work: Work, planned: Unit) -> Found:
    made = lost = granted = 0
    for one in work.entries:
        made += one.name == "attempt.create"
        if one.name != "assignment.retry":
            continue
        reason, attempt = one.data["reason"], f"{work.id}/{made}"
        own = [each for each in work.entries if each.entity == attempt and each.sequence < one.sequence]
        if one.data["attempt"] != attempt:
            yield one.sequence, f"{one.data['attempt']} is not the newest attempt of {work.id}"
        if reason == "lost":
            if lost >= planned.dispatch["recoveries"]["value"]:
                yield one.sequence, f"{work.id} has no recovery left for a lost attempt"
            if not _was_lost(own) or not (planned.repeatable or _absent(own, planned)):
                yield one.sequence, f"{attempt} is repeated without having been lost, or without proof of absence"
        elif reason == "resolved":
            if not any(each.source == "blocked_uncertain" for each in own if each.lifecycle == "effect"):
                yield one.sequence, f"{attempt} is repeated as resolved, and was not uncertain"
        elif reason not in planned.dispatch["retry_on"]:
            yield one.sequence, f"the plan does not retry {work.id} on {reason}"
        elif made - lost - granted >= planned.dispatch["attempts"]["value"]:
            yield one.sequence, f"{work.id} has no attempt left by policy"
        elif not _accounted_for(own, reason):
            yield one.sequence, f"{attempt} is repeated on {reason} before its effect was accounted for"
        lost += reason == "lost"
        granted += reason == "resolved"


def _was_lost(own: list[Entry]) -> bool:
    return any(one.name == "attempt.settle" and one.data["end"] == "lost" for one in own)


def _absent(own: list[Entry], planned: Unit) -> bool:
    """Whether it is proven that nothing was done: the receipt query says so, or the workspace is as it was."""
    seen = [one.data for one in own if one.name == "effect.observe"]
    denied = any(one.get("found") is False and one.get("by") == "receipt_query" for one in seen)
    return denied or (planned.effect == "workspace_mutation" and any(one.get("by") == "workspace" for one in seen))


def _accounted_for(own: list[Entry], reason: str) -> bool:
    end = next((one.data["end"] for one in own if one.name == "attempt.settle"), None)
    return end == ("never_started" if reason == "spawn_failed" else "observed")


def ways_out(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """How each attempt ends fits what was seen of it, and the class of its effect."""
    for chapter in chapters:
        for work in chapter.works.values():
            planned = unit(history.plan, chapter, work)
            for one in work.entries:
                if one.name == "attempt.settle":
                    own = [each for each in work.entries if each.entity == one.entity]
                    yield from _way_out(history, chapter, planned, one, own)


def _way_out(history: History, chapter: Chapter, planned: Unit, end: Entry, own: list[Entry]) -> Found:
    earlier = [each for each in own if each.sequence < end.sequence]
    names = {each.name for each in earlier}
    how = end.data["end"]
    if how == "lost" and ("attempt.lose" not in names or not (planned.repeatable or _absent(earlier, planned))):
        yield end.sequence, f"{end.entity} is given up as lost, which its class does not allow"
    if how == "never_started":
        if names & {"attempt.execute", "effect.dispatch"}:
            yield end.sequence, f"{end.entity} never started, and yet it did"
        if not any(each.name == "effect.settle" and each.data.get("proof") == how for each in own):
            yield end.sequence, f"{end.entity} never started, and its effect does not say so"
    if how == "resolved" and not any(each.source == "blocked_uncertain" for each in own):
        yield end.sequence, f"{end.entity} is resolved, and was not uncertain"
    if how == "stopped" and (
        planned.effect not in _CONTAINED or not _stopping(history, chapter, end) or planned.tool_name == "git"
    ):
        yield end.sequence, f"{end.entity} is settled as stopped, and nothing allows that"
    if how == "observed" and "effect.observe" not in names:
        yield end.sequence, f"{end.entity} was observed to end, and its effect was not observed"
    if how not in ("observed", "lost", "stopped", "resolved", "never_started"):
        yield end.sequence, f"{end.entity} ends by {how}, which there is not"


def _stopping(history: History, chapter: Chapter, end: Entry) -> bool:
    decided = any(one.sequence < end.sequence for one in chapter.facts("panel.decided"))
    return decided or any(one.name in ENDINGS for one in history.entries[: end.sequence])


def resolutions(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """What is uncertain is left only by a resolution, with what its action needs, once, and to what it leads to."""
    blocked: set[str] = set()
    given: dict[str, Entry] = {}
    for one in history.entries:
        if one.name == "effect.block":
            blocked.add(one.entity)
        elif one.name == "resolution.recorded":
            yield from _given(one, blocked)
            given[one.entity] = one
        elif one.source == "blocked_uncertain" and one.lifecycle in ("effect", "attempt", "assignment"):
            yield from _leaving(one, given)
            if one.lifecycle == "effect":
                blocked.discard(one.entity)


def _given(one: Entry, blocked: set[str]) -> Found:
    action = one.data["action"]
    if one.entity not in blocked:
        yield one.sequence, f"a resolution of {one.entity}, which is not uncertain"
    if action not in _ACTIONS:
        yield one.sequence, f"{action} is no resolution"
    if action in _REFERENCED and not one.data["reference"]:
        yield one.sequence, f"{action} needs a reference"


def _leaving(one: Entry, given: dict[str, Entry]) -> Found:
    asked = next((each for effect, each in given.items() if effect.rpartition("/")[0] == one.entity), None)
    if one.lifecycle == "assignment":
        asked = next((e for effect, e in reversed(given.items()) if effect.rpartition("/")[0] == one.entity), None)
    else:
        asked = given.get(one.entity)
    if asked is None:
        yield one.sequence, f"{one.entity} leaves blocked_uncertain without a resolution"
        return
    action = asked.data["action"]
    if one.lifecycle == "effect" and one.data.get("resolution") != asked.data["number"]:
        yield one.sequence, f"{one.name} of {one.entity} names another resolution"
    if one.name == "effect.observe" and action != "mark-completed":
        yield one.sequence, f"{action} observes nothing"
    if one.name == "assignment.retry" and action not in _AGAIN:
        yield one.sequence, f"{action} allows no further attempt"
    if one.name == "assignment.record_result":
        wanted = {"mark-completed": ("passed", "completed"), "mark-failed": ("failed",), "cancel": ("cancelled",)}
        if one.data["result"]["outcome"] not in wanted.get(action, ()):
            yield one.sequence, f"{action} does not lead to {one.data['result']['outcome']}"
