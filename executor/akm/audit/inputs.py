"""Input hashes, made again from the plan, the parameters and what came before (docs/reference/results.md)."""

from typing import Any

from akm.audit.chapters import Chapter, Work
from akm.audit.history import Found, History
from akm.audit.units import Unit, unit
from akm.audit.values import attached, build, find
from akm.audit.worklists import parts
from akm_specs.canonical import Json, JsonObject, canonical, hash_json

_ARTIFACT_LENGTH_MAX = 4_000


def inputs(history: History, chapters: tuple[Chapter, ...]) -> Found:
    """Each assignment's input hash follows from what was recorded before it."""
    parameters = history.entries[0].data["parameters"]
    for chapter in chapters:
        for work in chapter.works.values():
            content = (
                _child(chapter, work)
                if chapter.step["kind"] == "workflow" and not work.judge
                else _content(history.plan, parameters, chapter, work)
            )
            if content is None:
                continue  # what a child is given stands in its dispatch, which is not there
            if hash_json({**content, "version": 1, "parameters": parameters}) != work.birth.data["input_hash"]:
                yield work.birth.sequence, f"the input hash of {work.id} does not follow from what came before"


def _child(chapter: Chapter, work: Work) -> JsonObject | None:
    given = next((one.data for one in work.entries if one.name == "assignment.dispatch"), None)
    if given is None or "parameters" not in given:
        return None
    content: JsonObject = {"target": {"workflow": chapter.step["plan"]}, "bindings": given["parameters"]}
    return content if chapter.step["output"] is None else {**content, "output": chapter.step["output"]}


def _content(plan: Any, parameters: JsonObject, chapter: Chapter, work: Work) -> JsonObject:
    planned = unit(plan, chapter, work)
    tool, item = planned.tool, _item(parameters, chapter, work)
    target = {name: tool[name] for name in ("argv", "scripts", "directory", "python") if name in tool}
    content: JsonObject = {"timeout_ms": planned.timeout_ms, "env": sorted(tool["env"])}
    if planned.agent is not None:
        agent = plan["agents"][planned.agent]
        target |= {"agent": planned.agent, "model": agent["model"], "provider": agent["provider"]}
        content |= {"instruction": planned.instruction, "inputs": _read(parameters, chapter, work, item)}
    elif chapter.step["kind"] == "deliver":
        content["commit"] = _commits(chapter)[work.part]
    elif (given := _given(parameters, chapter, item)) is not None:
        content["inputs"] = given
    written = {
        "item": item,
        "output": planned.output,
        "scope": planned.scope,
        "isolation": None if planned.isolation == "none" else planned.isolation,
        "feedback": _feedback(chapter, work, planned),
    }
    return {**content, "target": target, **{name: value for name, value in written.items() if value is not None}}


def _item(parameters: JsonObject, chapter: Chapter, work: Work) -> Json:
    if chapter.step["kind"] != "map" or work.judge:
        return None
    items, listed = find(parameters, chapter, chapter.step["over"]), parts(parameters, chapter)
    assert isinstance(items, list), "its work list was held against this before"
    found: Json = items[listed.index(work.part)]
    return found


def _given(parameters: JsonObject, chapter: Chapter, item: Json) -> Json:
    """The input of a tool: what `with` says, or the item alone."""
    if chapter.step["input"] is not None:
        return build(parameters, chapter, chapter.step["input"], item)
    return {"item": item} if chapter.step["kind"] == "map" else None


def _read(parameters: JsonObject, chapter: Chapter, work: Work, item: Json) -> JsonObject:
    if work.judge:
        proposed = [one for one in chapter.facts("outcome.proposed") if one.sequence < work.birth.sequence]
        return {"artifact": _artifact(proposed[-1].data["data"].get("output"))}
    if chapter.step["kind"] == "judge":
        return {"artifact": _artifact(find(parameters, chapter, chapter.step["of"]))}
    return attached(parameters, chapter, chapter.step["reads"], item)


def _artifact(value: Json) -> str:
    count = len(value) if isinstance(value, list) else 1
    return f"{count} unit{'' if count == 1 else 's'}\n{canonical(value).decode()[:_ARTIFACT_LENGTH_MAX]}"


def _commits(chapter: Chapter) -> JsonObject:
    found = [one.data["commits"] for one in chapter.facts("delivery.deliver") if "commits" in one.data]
    commits: JsonObject = found[0] if found else {}
    return commits


def _feedback(chapter: Chapter, work: Work, planned: Unit) -> Json:
    rejected = chapter.facts("gate.rejected")
    if work.judge or work.round == 1 or len(rejected) < work.round - 1:
        return None
    feedback: Json = rejected[work.round - 2].data["feedback"]
    return feedback
