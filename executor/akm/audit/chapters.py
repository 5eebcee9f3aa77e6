"""A history in chapters: one for each entry of a step, from its birth to the transition that leaves it.

The chapters are cut once, after the lives of all entities were found legal, and every later check reads them.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from akm.audit.history import Entry, Found, History
from akm_specs.canonical import Json, JsonObject

#: Facts by which a run is to end whatever its steps say.
ENDINGS = {
    "cancel.requested": "cancelled",
    "budget.exhausted": "failed",
    "property.violated": "failed",
    "gate.refused": "failed",
}

_ID = re.compile(r"(?P<step>[^.#]+)(?P<judge>\.gate)?#(?P<number>\d+)(?::(?P<part>[^~/]+))?(?:~(?P<loop>\d+))?")
_STEP_ENDS = frozenset({"passed", "failed", "skipped", "cancelled"})


@dataclass(slots=True)
class Work:
    """One assignment: its events, and what came of it. `round` counts the rounds of a gate or a delivery."""

    id: str
    birth: Entry
    part: str
    judge: bool
    round: int
    entries: list[Entry] = field(default_factory=list)
    result: JsonObject | None = None
    cancelled: bool = False


@dataclass(slots=True)
class Chapter:
    """One step attempt. `outputs` and `kept` (evidence by step and name) are what earlier chapters left."""

    id: str
    step: Any
    number: int
    birth: Entry
    outputs: dict[str, Json]
    kept: dict[tuple[str, str], JsonObject]
    entries: list[Entry] = field(default_factory=list)
    works: dict[str, Work] = field(default_factory=dict)
    start: Entry | None = None
    wait: Entry | None = None
    end: Entry | None = None
    taken: Entry | None = None

    def facts(self, name: str) -> list[Entry]:
        """Its events of that name."""
        return [one for one in self.entries if one.name == name]

    @property
    def rounds(self) -> int:
        """The round in which it stands at its end."""
        again = [one for one in self.facts("delivery.deliver") if "again" in one.data]
        return 1 + len(self.facts("gate.rejected")) + len(again)

    def round_of(self, one: Entry) -> int:
        """The round in which `one` was recorded."""
        ends = (*self.facts("gate.rejected"), *(e for e in self.facts("delivery.deliver") if "again" in e.data))
        return 1 + sum(each.sequence < one.sequence for each in ends)

    def made(self, in_round: int) -> list[Work]:
        """The assignments of one round in the order in which they were made, without its judge."""
        return [work for work in self.works.values() if work.round == in_round and not work.judge]

    def judged(self, in_round: int) -> Work | None:
        """The call of the gate's judge in one round."""
        return next((work for work in self.works.values() if work.round == in_round and work.judge), None)


def success(step: Any) -> str:
    """The outcome by which a step has done what it is for."""
    return "completed" if step["kind"] == "workflow" else "passed"


def chapters(history: History) -> tuple[Chapter, ...]:
    """The chapters in their order. Events before the first and between two belong to none."""
    steps = {step["name"]: step for step in history.plan["steps"]}
    found: list[Chapter] = []
    outputs: dict[str, Json] = {}
    kept: dict[tuple[str, str], JsonObject] = {}
    for one in history.entries:
        if one.name == "step_attempt.create" and one.data["step"] in steps:
            name = one.data["step"]
            outputs.pop(name, None)
            found.append(Chapter(one.entity, steps[name], one.data["number"], one, dict(outputs), dict(kept)))
        if not found or not _of_chapter(one):
            continue
        chapter = found[-1]
        chapter.entries.append(one)
        _note(chapter, one)
        if one.name == "evidence.captured":
            kept[chapter.step["name"], one.data["name"]] = one.data
        elif one is chapter.end:
            outputs[chapter.step["name"]] = one.data.get("output")
    return tuple(found)


def _of_chapter(one: Entry) -> bool:
    return _of_step(one.name) or _of_work(one) or one.name == "resolution.recorded"


def _note(chapter: Chapter, one: Entry) -> None:
    if one.lifecycle == "step_attempt":
        if one.trigger == "start":
            chapter.start = one
        elif one.trigger == "wait":
            chapter.wait = one
        elif one.target in _STEP_ENDS:
            chapter.end = one
    elif one.name == "transition.taken":
        chapter.taken = one
    elif one.lifecycle in ("assignment", "attempt", "effect"):
        _work(chapter, one)


def _work(chapter: Chapter, one: Entry) -> None:
    owner = one.entity if one.lifecycle == "assignment" else one.entity.rpartition("/")[0]
    if one.name == "assignment.create":
        named = _ID.fullmatch(owner)
        part, loop = (named["part"] or "", int(named["loop"] or 1)) if named else ("", 0)
        judge = named is not None and named["judge"] is not None
        chapter.works[owner] = Work(owner, one, part, judge, loop)
    work = chapter.works.get(owner)
    if work is None:
        return
    work.entries.append(one)
    if one.name == "assignment.record_result":
        work.result = one.data["result"]
    work.cancelled = work.cancelled or one.name == "assignment.cancel"


def names(history: History) -> Found:
    """Step attempts, assignments, attempts and effects are named by their place, and belong to what is active."""
    entered: dict[str, int] = {}
    tries: dict[str, int] = {}
    active, born = "", set[str]()
    steps = {step["name"] for step in history.plan["steps"]}
    for one in history.entries:
        data = one.data
        if one.name == "step_attempt.create":
            step = data["step"]
            entered[step] = entered.get(step, 0) + 1
            active = f"{step}#{entered[step]}"
            if step not in steps or one.entity != active or data["number"] != entered[step]:
                yield one.sequence, f"{one.entity} is not the next attempt of a step of the plan"
        elif one.name == "assignment.create":
            named = _ID.fullmatch(one.entity)
            own = named is not None and f"{named['step']}#{named['number']}" == active == data["step_attempt"]
            if not own:
                yield one.sequence, f"{one.entity} is no assignment of {active or 'any step attempt'}"
            born.add(one.entity)
        elif one.name == "attempt.create":
            owner = data["assignment"]
            tries[owner] = tries.get(owner, 0) + 1
            if owner not in born or one.entity != f"{owner}/{tries[owner]}" or data["number"] != tries[owner]:
                yield one.sequence, f"{one.entity} is not the next attempt of an assignment"
        elif one.name == "effect.create" and one.entity.rpartition("/")[0] not in tries:
            yield one.sequence, f"the effect {one.entity} is that of no attempt"
        elif _of_step(one.name) and one.entity != active:
            yield one.sequence, f"{one.name} is about {one.entity}, which is not the active step attempt"
        elif _of_work(one) and one.entity.partition("/")[0] not in born:
            yield one.sequence, f"{one.name} is about {one.entity}, which no assignment is"
        if one.name == "transition.taken":
            active, born = "", set()


def _of_step(name: str) -> bool:
    return name.startswith(("step_attempt.", "outcome.", "panel.", "pins.", "gate.", "evidence.", "delivery.")) or (
        name in ("transition.taken", "signal.consumed", "decision.recorded")
    )


def _of_work(one: Entry) -> bool:
    return one.lifecycle in ("assignment", "attempt", "effect", "repository_delivery")
