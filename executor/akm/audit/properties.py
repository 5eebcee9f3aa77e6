"""The plan's properties over the steps that were entered, as docs/reference/verification.md says them."""

from akm.audit.chapters import Chapter
from akm.audit.history import Found, History
from akm_specs.canonical import JsonObject
from akm_specs.plan import WITHOUT_OUTPUT


def properties(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Each declared property holds."""
    for declared in history.plan.get("properties", ()):
        yield from {
            "before": _before,
            "at_most": _at_most,
            "only_through": _only_through,
            "never_after": _never_after,
        }[declared["kind"]](declared, chapters)


def _before(declared: JsonObject, chapters: tuple[Chapter, ...]) -> Found:
    passed = False
    for chapter in chapters:
        if chapter.step["name"] == declared["step"] and not passed:
            yield chapter.birth.sequence, f"{declared['step']} is entered, and {declared['first']} has not passed"
        if chapter.step["name"] == declared["first"]:
            passed = _has_passed(chapter)


def _has_passed(chapter: Chapter) -> bool:
    """A step that has no outcome `passed` passes by any that carries an output."""
    if chapter.end is None:
        return False
    outcome = chapter.end.data["outcome"]
    return outcome == "passed" if "passed" in chapter.step["transitions"] else outcome not in WITHOUT_OUTPUT


def _at_most(declared: JsonObject, chapters: tuple[Chapter, ...]) -> Found:
    for chapter in [one for one in chapters if one.step["name"] == declared["step"]][declared["count"] :]:
        yield chapter.birth.sequence, f"{declared['step']} is entered more than {declared['count']} times"


def _only_through(declared: JsonObject, chapters: tuple[Chapter, ...]) -> Found:
    owing = False
    for chapter in chapters:
        name = chapter.step["name"]
        owing = name == declared["step"] or (owing and name != declared["through"])
        if owing and chapter.taken is not None and chapter.taken.data["target"] == "completed":
            yield chapter.taken.sequence, f"completed after {declared['step']}, not through {declared['through']}"


def _never_after(declared: JsonObject, chapters: tuple[Chapter, ...]) -> Found:
    seen = False
    for chapter in chapters:
        if seen and chapter.step["name"] == declared["step"]:
            yield chapter.birth.sequence, f"{declared['step']} is entered after {declared['after']}"
        seen = seen or chapter.step["name"] == declared["after"]
