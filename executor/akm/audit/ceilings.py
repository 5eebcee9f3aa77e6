"""Every ceiling of the plan, counted again from the events."""

from collections import Counter
from typing import Any

from akm.audit.chapters import Chapter
from akm.audit.history import Entry, Found, History
from akm.audit.units import unit

#: What an agent may say that it has used.
AMOUNTS = ("tokens", "cost_microdollars")


def ceilings(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Transitions, edges, entries, assignments and attempts stay within what is declared, and proved."""
    limits, worst = history.plan["limits"], history.plan["worst"]
    steps = {step["name"]: step for step in history.plan["steps"]}
    counted: Counter[str] = Counter()
    for one in history.entries:
        if one.name == "transition.taken":
            counted["transitions"] += 1
            yield from _over(one, "transitions", counted["transitions"], limits["transitions"]["value"])
            edge = steps[one.data["step"]]["transitions"][one.data["outcome"]]
            counted[way := f"edge {one.data['step']} {one.data['outcome']}"] += 1
            if edge["maximum"] is not None:
                yield from _over(one, way, counted[way], edge["maximum"]["value"])
        elif one.name == "step_attempt.create":
            counted["entries"] += 1
            counted[step := f"attempts of step {one.data['step']}"] += 1
            yield from _over(one, step, counted[step], steps[one.data["step"]]["attempts"]["value"])
        elif one.name == "assignment.create":
            counted["assignments"] += 1
            whole = counted["assignments"] + counted["nested"]
            yield from _over(one, "assignments", whole, limits["units"]["value"])
        elif one.name == "assignment.record_result" and "nested" in one.data:
            counted["nested"] += one.data["nested"]["units"]
        elif one.name == "attempt.create":
            counted["attempts"] += 1
        elif one.name == "assignment.retry" and one.data["reason"] == "resolved":
            counted["attempts"] -= 1  # what a person granted is beyond what is proved
        for measure in ("transitions", "entries", "assignments", "attempts"):
            yield from _over(one, f"worst case of {measure}", counted[measure], worst[measure])


def _over(one: Entry, what: str, value: int, most: int) -> Found:
    if value > most:
        yield one.sequence, f"{what}: {value}, and {most} are allowed"


def spending(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Nothing is dispatched at a ceiling on time, tokens, cost or agents' time."""
    planned = {
        work.id: unit(history.plan, chapter, work) for chapter in chapters for work in chapter.works.values()
    }
    began: dict[str, int] = {}
    spent: Counter[str] = Counter()
    said: dict[str, Counter[str]] = {}  # by assignment: what its newest attempt said to have used, while it worked
    for one in history.entries:
        if one.name == "attempt.create":
            said[one.data["assignment"]] = Counter()
            agent = planned[one.data["assignment"]].agent is not None
            yield from _spent(history.plan["limits"], one, spent, began, agent)
            if agent:
                began[one.entity] = one.data["began_ms"]
        elif one.name == "attempt.settle" and one.entity in began:
            start, took = began.pop(one.entity), one.data.get("took_ms")
            most = planned[one.entity.rpartition("/")[0]].timeout_ms
            if not isinstance(took, int) or took > max(0, min(one.elapsed_ms - start, most)):
                yield one.sequence, f"{one.entity} cannot have taken {took} ms"
            spent["agent_time_ms"] += took if isinstance(took, int) else 0
        elif one.name == "usage.seen":
            yield from _used(one, spent, said)
        elif one.name in ("assignment.retry", "assignment.record_result"):
            _count(spent, said.pop(one.entity, Counter()), one.data.get("result", one.data))
            spent["agent_time_ms"] += one.data.get("nested", {}).get("agent_time_ms", 0)


def _used(one: Entry, spent: Counter[str], said: dict[str, Counter[str]]) -> Found:
    before = said.get(one.entity.rpartition("/")[0])
    if before is None:
        yield one.sequence, f"{one.entity} is not at work, and cannot use anything"
        return
    if any(one.data[what] < before[what] for what in AMOUNTS):
        yield one.sequence, f"{one.entity} says that it has used less than before"
    _count(spent, before, one.data)
    for what in AMOUNTS:
        before[what] = max(before[what], one.data[what])


def _count(spent: Counter[str], said: Counter[str], told: Any) -> None:
    """Add what was told beyond what was said before."""
    for what in AMOUNTS:
        spent[what] += max(0, told.get(what, 0) - said[what])


def _spent(limits: Any, one: Entry, spent: Counter[str], began: dict[str, int], agent: bool) -> Found:
    yield from _over(one, "the run's time in ms", one.data["began_ms"], limits["duration_ms"]["value"])
    for what in AMOUNTS:
        if what in limits and spent[what] >= limits[what]["value"]:
            yield one.sequence, f"{one.entity} is dispatched although {what} are spent"
    at_work = sum(max(0, one.data["began_ms"] - start) for start in began.values())
    if agent and "agent_time_ms" in limits and spent["agent_time_ms"] + at_work >= limits["agent_time_ms"]["value"]:
        yield one.sequence, f"{one.entity} is dispatched although the time of agents is spent"


def stops(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """A budget that ends the run was reached, and says by how much."""
    for one in history.entries:
        if one.name == "budget.exhausted" and one.data["value"] < one.data["ceiling"]:
            yield (
                one.sequence,
                f"{one.data['counter']} is exhausted at {one.data['value']} of {one.data['ceiling']}",
            )
