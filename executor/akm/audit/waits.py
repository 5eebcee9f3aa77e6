"""Decisions and signals: counted once, from who may, for what was shown, and in time."""

from akm.audit.chapters import ENDINGS, Chapter
from akm.audit.history import Entry, Found, History
from akm.audit.lives import states
from akm.audit.values import attached
from akm_specs.canonical import JsonObject, hash_json
from akm_specs.types import violation

_NUMBERED = ("signal.received", "signal.refused", "decision.recorded", "decision.refused", "resolution.recorded")


def decisions(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """An approval is decided once, by one who may, for exactly what was shown."""
    parameters = history.entries[0].data["parameters"]
    for chapter in chapters:
        approves = chapter.step["kind"] == "approval"
        recorded = chapter.facts("decision.recorded")
        if approves and chapter.wait is not None:
            yield from _shown(history, parameters, chapter, chapter.wait)
        for late in recorded[1:]:
            yield late.sequence, f"{chapter.id} was decided already"
        for one in recorded:
            problem = _decision_problem(history, chapter, one) if approves else "it is no approval"
            if problem is not None:
                yield one.sequence, f"a decision on {chapter.id} counts, and {problem}"
        end = chapter.end
        if approves and recorded and end is not None and chapter.taken is not None:
            decided_by = end.data.get("decided_by")
            if end.data["outcome"] != "failed" and decided_by != recorded[0].data["by"]:
                yield end.sequence, f"{chapter.id} names {decided_by} as who decided"


def _shown(history: History, parameters: JsonObject, chapter: Chapter, wait: Entry) -> Found:
    reads = attached(parameters, chapter, chapter.step["reads"])
    bound = hash_json({"plan_hash": history.plan_hash, "step_attempt": chapter.id, "reads": reads})
    if wait.data.get("shown") != bound:
        yield wait.sequence, f"what {chapter.id} shows is not what its decision is bound to"


def _decision_problem(history: History, chapter: Chapter, one: Entry) -> str | None:
    wait = chapter.wait
    if wait is None or wait.sequence > one.sequence:
        return "it was not waited for"
    if one.data["by"] not in chapter.step["by"]:
        return f"{one.data['by']} may not decide"
    if one.data["shown"] != wait.data.get("shown"):
        return "it is for something else than what was shown"
    if one.elapsed_ms < wait.elapsed_ms or any(e.name in ENDINGS for e in history.entries[: one.sequence]):
        return "the run was ending"
    return None


def signals(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """A signal is taken once, by a step that waits for it, the oldest first; what is left is told at the end."""
    box: dict[int, JsonObject] = {}
    steps = {chapter.id: chapter.step for chapter in chapters}
    for one in history.entries:
        number = one.data.get("number")
        if one.name == "signal.received":
            box[one.data["number"]] = one.data
        elif one.name in ("signal.consumed", "signal.unconsumed"):
            if number not in box:
                yield one.sequence, f"signal {number} is not in the mailbox"
            elif one.name == "signal.consumed" and (problem := _unfit(steps.get(one.entity), box, number)):
                yield one.sequence, f"signal {number} {problem}"
            box.pop(one.data["number"], None)
        elif one.lifecycle == "run" and one.target in states("run", "final") and box:
            yield one.sequence, f"the run ends, and nothing is said of signal {min(box)}"


def _unfit(step: JsonObject | None, box: dict[int, JsonObject], number: int) -> str | None:
    if step is None or step["kind"] != "wait" or step["wait"] != "signal":
        return "is taken by a step that waits for none"
    fitting = [
        one
        for one, data in box.items()
        if data["name"] == step["signal"]
        and (step["output"] is None or violation(step["output"], data["data"]) is None)
    ]
    return None if fitting and fitting[0] == number else "is not the oldest that fits"


def inbox(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Each command of the inbox counts once."""
    seen: set[int] = set()
    for one in history.entries:
        if one.name in _NUMBERED:
            if one.data["number"] in seen:
                yield one.sequence, f"command {one.data['number']} was taken before"
            seen.add(one.data["number"])
