"""Evidence and pins, counted and hashed again from the results of the step attempt that owes them."""

from typing import Any

from akm.audit.chapters import Chapter, Work, success
from akm.audit.history import Entry, Found, History
from akm_specs.canonical import Json, hash_json


def evidence(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """What passes has captured what it owes: its own, or by declaration an earlier attempt's."""
    for chapter in chapters:
        owed = chapter.step.get("evidence", {})
        captured = {one.data["name"]: one for one in chapter.facts("evidence.captured")}
        if chapter.end is None or chapter.end.data["outcome"] != success(chapter.step):
            for one in captured.values():
                yield one.sequence, f"{chapter.id} did not pass, and captured {one.data['name']}"
            continue
        for name in sorted(owed.keys() ^ captured.keys()):
            yield chapter.end.sequence, f"{chapter.id} passed, and {name} is owed or captured alone"
        for name, one in captured.items():
            if name in owed:
                yield from _captured(chapter, name, owed[name], one)


def _captured(chapter: Chapter, name: str, owed: Any, one: Entry) -> Found:
    assert chapter.end is not None
    found = pieces(chapter, chapter.rounds, name, owed, chapter.end)
    if one.data["kind"] != owed["kind"]:
        yield one.sequence, f"{name} is captured as {one.data['kind']}, and owed as {owed['kind']}"
    if _enough(chapter, owed, found):
        expected: Any = (
            chapter.id,
            len(found),
            hash_json(found),
            _files(found) if owed["kind"] == "artifact" else {},
        )
    else:
        earlier = chapter.kept.get((chapter.step["name"], name))
        if earlier is None or "reusable" not in owed:
            yield one.sequence, f"{chapter.id} has not what {name} takes"
            return
        expected = (earlier["step_attempt"], earlier["count"], earlier["hash"], earlier["files"])
    if (one.data["step_attempt"], one.data["count"], one.data["hash"], one.data["files"]) != expected:
        yield one.sequence, f"{name} is captured otherwise than the results of {chapter.id} have it"


def _files(found: list[Json]) -> dict[str, str]:
    """The artifacts among what was found; a receipt may look like one, and is none."""
    return {each["path"]: each["sha256"] for each in found if isinstance(each, dict) and "sha256" in each}


def missing(chapter: Chapter, in_round: int, end: Entry) -> list[str]:
    """The evidence that the step attempt owes and has not, also not from an earlier attempt."""
    return [
        name
        for name, owed in chapter.step.get("evidence", {}).items()
        if not _enough(chapter, owed, pieces(chapter, in_round, name, owed, end))
        and not ("reusable" in owed and (chapter.step["name"], name) in chapter.kept)
    ]


def _enough(chapter: Chapter, owed: Any, found: list[Json]) -> bool:
    if len(found) < owed["minimum"]["value"]:
        return False
    producers = owed.get("producers")
    if producers is None:
        return True
    works = [work for work in chapter.made(chapter.rounds) if work.result is not None]
    agents = {_agent(chapter, work) for work in works if _result(work)["outcome"] == "passed"}
    refused = any(_result(work)["result_class"] == "producer_rejected" for work in works)
    wanted: int = producers["degraded" if refused else "minimum"]
    return len(agents & {*producers["eligible"]}) >= wanted


def _result(work: Work) -> Any:
    return work.result


def _agent(chapter: Chapter, work: Work) -> str | None:
    step = chapter.step
    found: str | None = step["seats"][int(work.part) - 1]["agent"] if step["kind"] == "panel" else step.get("agent")
    return found


def pieces(chapter: Chapter, in_round: int, name: str, owed: Any, end: Entry) -> list[Json]:
    """What there is of one evidence, in the order of the work."""
    step, kind = chapter.step, owed["kind"]
    proposed = chapter.facts("outcome.proposed")
    seen = {**(proposed[-1].data["data"] if proposed else {}), **end.data}
    if kind == "gate":
        judge = chapter.judged(in_round)
        if judge is not None and judge.result is not None:
            return [judge.result["output"]]
        own = step["kind"] in ("gate", "judge")
        return [{"outcome": "passed", "output": seen.get("output")}] if own else []
    if kind == "approval":
        return [{"by": seen.get("decided_by")}] if step["kind"] == "approval" else []
    if kind == "receipt" and step["kind"] == "wait":
        return [{"output": seen.get("output")}]
    if kind == "receipt" and step["kind"] == "deliver":
        shown = {
            one.data["repository"]: one.data["receipt"] for one in chapter.facts("repository_delivery.confirm")
        }
        return [shown[each] for each in step["repositories"] if each in shown]
    made = chapter.made(in_round)
    if kind == "result" and not made and step["kind"] not in ("map", "panel"):
        return [{"outcome": "passed"}]
    results = [work.result for work in made]
    return [
        each["evidence"][name]
        for each in results
        if each is not None and each["outcome"] == success(step) and name in each["evidence"]
    ]


def pins(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """A step that requires a pin starts, and passes, only after the pinned files were seen to hold."""
    for chapter in chapters:
        required = chapter.step.get("requires", ())
        looked = [(one.data["when"], one.sequence) for one in chapter.facts("pins.held")]
        there = all(any(_pins(history, step, name, chapter) for step in history.plan["steps"]) for name in required)
        if looked and (not required or not there):
            yield looked[0][1], f"{chapter.id} looks at pins that it does not require, or that were never captured"
        if not required:
            continue
        start, end = chapter.start, chapter.end
        if start is not None and not any(when == "start" and at < start.sequence for when, at in looked):
            yield start.sequence, f"{chapter.id} starts before its pins were looked at"
        passes = end is not None and end.data["outcome"] == success(chapter.step)
        if end is not None and passes and not any(when == "end" and at < end.sequence for when, at in looked):
            yield end.sequence, f"{chapter.id} passes before its pins were looked at"
        if end is not None and end.data.get("code") == "pin_missing" and there:
            yield end.sequence, f"{chapter.id} fails for a pin that was captured"


def _pins(history: History, step: Any, name: str, chapter: Chapter) -> bool:
    return "pin" in step.get("evidence", {}).get(name, {}) and (step["name"], name) in chapter.kept
