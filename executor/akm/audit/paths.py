"""The way through the plan: each step is where a declared transition leads, each end one that was selected."""

from akm.audit.chapters import ENDINGS, Chapter
from akm.audit.history import Entry, Found, History
from akm.audit.lives import states

_TRIGGERS = {"passed": "pass", "skipped": "skip", "cancelled": "cancel"}
_TERMINALS = {"completed", "failed", "cancelled"}


def ways(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Step attempts follow each other along the edges of the plan, one at a time."""
    leads: str | None = history.plan["steps"][0]["name"]
    for chapter in chapters:
        if chapter.step["name"] != leads:
            yield chapter.birth.sequence, f"no transition leads to {chapter.step['name']}"
        taken = chapter.taken
        leads = None if taken is None else taken.data["target"]
        if taken is not None:
            yield from _edge(chapter, taken)
        if chapter.end is not None:
            yield from _named_end(chapter, chapter.end)
            if taken is None and not _may_lack_its_transition(history, chapter):
                yield chapter.end.sequence, f"{chapter.id} ended, and no transition was taken"
            yield from _nothing_after(chapter, chapter.end)


def _edge(chapter: Chapter, taken: Entry) -> Found:
    data, end = taken.data, chapter.end
    edge = chapter.step["transitions"].get(data["outcome"])
    if end is None or end.sequence > taken.sequence or end.data["outcome"] != data["outcome"]:
        yield taken.sequence, f"{chapter.id} did not end with {data['outcome']}"
    if edge is None or edge["target"] != data["target"] or data["step"] != chapter.step["name"]:
        yield taken.sequence, f"the plan has no transition on {data['outcome']} to {data['target']}"


def _named_end(chapter: Chapter, end: Entry) -> Found:
    if _TRIGGERS.get(end.data["outcome"], "fail") != end.trigger:
        yield end.sequence, f"an attempt whose outcome is {end.data['outcome']} does not end by {end.trigger}"


def _nothing_after(chapter: Chapter, end: Entry) -> Found:
    for one in chapter.entries:
        if one.sequence > end.sequence and one is not chapter.taken:
            yield one.sequence, f"{one.name} comes after the end of {chapter.id}"


def _may_lack_its_transition(history: History, chapter: Chapter) -> bool:
    """Whether the run stops over it, or its transition is what a budget refused."""
    return any(one.name in ENDINGS for one in history.entries[chapter.birth.sequence - 1 :])


def ends(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """A run ends as selected, cancelled, stopped or unprepared, and leaves nothing alive or unresolved."""
    last = history.entries[-1]
    if last.lifecycle != "run" or last.target not in states("run", "final"):
        return
    stops = [ENDINGS[one.name] for one in history.entries if one.name in ENDINGS]
    selected = chapters[-1].taken.data["target"] if chapters and chapters[-1].taken is not None else None
    unprepared = last.target == "failed" and last.source == "preparing"
    allowed = {*stops[:1], *({selected} & _TERMINALS)}
    if last.target not in allowed and not unprepared:
        yield last.sequence, f"nothing ends the run {last.target}"
    standing: dict[tuple[str, str], Entry] = {}
    for one in history.entries:
        if one.target is not None:
            standing[one.lifecycle, one.entity] = one
    for (lifecycle, entity), one in standing.items():
        final = states(lifecycle, "final") | ({"partial"} if lifecycle == "delivery" else set())
        if one.target not in final:
            yield last.sequence, f"the run has ended, and {lifecycle} {entity} is still {one.target}"


def stopped(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Once a run is to end, nothing new starts."""
    ending: str | None = None
    for one in history.entries:
        if one.name in ENDINGS:
            ending = ending or one.name
        elif ending is not None and one.name in ("step_attempt.create", "attempt.create", "assignment.create"):
            yield one.sequence, f"{one.name} comes after {ending}"
