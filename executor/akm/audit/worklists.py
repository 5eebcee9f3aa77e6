"""The work list of every step attempt, made again from what came before it, and its assignments held against it."""

from collections import Counter

from akm.audit.chapters import Chapter
from akm.audit.history import Found, History
from akm.audit.values import find
from akm_specs.canonical import Json, JsonObject, hash_json


def parts(parameters: JsonObject, chapter: Chapter) -> list[str] | str:
    """The parts of the ids of a step's assignments in their order; or the code of why there is no such list."""
    step = chapter.step
    if step["kind"] == "panel":
        return [str(number) for number in range(1, len(step["seats"]) + 1)]
    if step["kind"] == "deliver":
        return list(step["repositories"])
    if step["kind"] != "map":
        works = step["kind"] in ("exec", "agent", "judge", "workflow") or step.get("check") == "tool"
        return [""] if works else []
    items = find(parameters, chapter, step["over"])
    if not isinstance(items, list):
        return "not_a_list"
    if len(items) > step["items"]["value"]:
        return "items_exceeded"
    return _item_parts(items)


def _item_parts(items: list[Json]) -> list[str] | str:
    found: dict[str, None] = {}
    for item in items:
        if item is None:
            return "null_item"
        part = hash_json(item)[:12]
        if part in found:
            return "duplicate_item"
        found[part] = None
    return list(found)


def worklists(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Assignments are those of the work list, in its order; a panel replaces only what its producers refused."""
    parameters = history.entries[0].data["parameters"]
    for chapter in chapters:
        listed = parts(parameters, chapter)
        if chapter.start is not None and isinstance(listed, str):
            yield chapter.start.sequence, f"{chapter.id} starts although its work list is refused: {listed}"
            continue
        per_round: Counter[int] = Counter()
        for work in chapter.works.values():
            if work.round != chapter.round_of(work.birth):
                yield work.birth.sequence, f"{work.id} is of another round than the one it was made in"
            if work.judge:
                if "gate" not in chapter.step or not _proposed(chapter, work.birth.sequence, work.round):
                    yield work.birth.sequence, f"{work.id} judges what was not proposed"
                continue
            place = per_round[work.round]
            per_round[work.round] += 1
            now = _left(chapter, work.round) if chapter.step["kind"] == "deliver" and work.round > 1 else listed
            if place >= len(now) or work.part != now[place]:
                yield work.birth.sequence, f"{work.id} is not the next assignment of {chapter.id}"
            yield from _seat(chapter, work.birth.sequence, place)


def _left(chapter: Chapter, in_round: int) -> list[str]:
    """The repositories that a further round of a delivery is for."""
    again = [list(one.data["again"]) for one in chapter.facts("delivery.deliver") if "again" in one.data]
    return again[in_round - 2] if len(again) >= in_round - 1 else []


def _proposed(chapter: Chapter, sequence: int, in_round: int) -> bool:
    return any(
        one.sequence < sequence and chapter.round_of(one) == in_round for one in chapter.facts("outcome.proposed")
    )


def _seat(chapter: Chapter, sequence: int, place: int) -> Found:
    if chapter.step["kind"] != "panel":
        return
    refused = sum(
        one.name == "assignment.record_result"
        and one.data["result"]["result_class"] == "producer_rejected"
        and one.sequence < sequence
        for one in chapter.entries
    )
    if place >= chapter.step["target"]["value"] + refused:
        yield sequence, f"seat {place + 1} of {chapter.id} is taken, and no producer had refused"
    if any(one.sequence < sequence for one in chapter.facts("panel.decided")):
        yield sequence, f"seat {place + 1} of {chapter.id} is taken after the panel had decided"
