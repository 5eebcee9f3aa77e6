"""What a step has to leave behind, because a route or a map goes by it."""

from collections.abc import Iterator, Sequence

from akm_specs.canonical import Json, JsonObject
from akmc.markdown import keys
from akmc.markdown.references import parse_reference

#: Words of a schema that say what a value is, so that nothing has to be added.
_SAYING = {"type", "enum", "anyOf", "allOf"}


def with_what_is_needed(workflow: keys.FrontMatter, step: str, type_: JsonObject) -> JsonObject:
    """`type_`, which `step` declares for its output, with every member required that decides what is done."""
    for path in _paths(workflow, step):
        type_ = _requiring(type_, path)
    return type_


def with_what_is_needed_of_items(workflow: keys.FrontMatter, step: str, type_: JsonObject) -> JsonObject:
    """The same for what a map collects, where `type_` is that of its items' outputs."""
    collected = with_what_is_needed(workflow, step, {"items": type_})
    items = collected["items"]
    assert isinstance(items, dict), "the items' type"
    return items


def _paths(workflow: keys.FrontMatter, name: str) -> Iterator[Sequence[str | int]]:
    """The ways into the output of the step called `name` that routes and maps follow."""
    for step in workflow.steps:
        for text in (None if step.route is None else step.route.input, None if step.map is None else step.map.over):
            found = None if text is None else parse_reference(text.strip())
            if found is not None and (found.root, found.name) == ("output", name):
                yield found.path


def _requiring(type_: JsonObject, path: Sequence[str | int]) -> JsonObject:
    """`type_` with what lies on `path` required. Where it has no such part, a rule tells."""
    if not path:
        return type_
    part, rest = path[0], path[1:]
    if isinstance(part, int):
        items = _object(type_.get("items", {}))
        return type_ if items is None or not rest else {**type_, "items": _requiring(items, rest)}
    members, required = _object(type_.get("properties", {})), type_.get("required", [])
    if members is None or not isinstance(required, list):
        return type_
    found = type_ if part in required else {**type_, "required": [*required, part]}
    if not _SAYING & type_.keys():
        found = {**found, "type": "object"}
    inner = _object(members.get(part, {} if "additionalProperties" not in type_ else None))
    return (
        found if inner is None or not rest else {**found, "properties": {**members, part: _requiring(inner, rest)}}
    )


def _object(found: Json) -> JsonObject | None:
    return found if isinstance(found, dict) else None
