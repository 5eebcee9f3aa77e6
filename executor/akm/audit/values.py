"""What references and values of the plan stand for at one place of a history."""

from typing import Any

from akm.audit.chapters import Chapter
from akm_specs.canonical import Json, JsonObject


def find(parameters: JsonObject, chapter: Chapter, reference: Any, item: Json = None) -> Json:
    """The value at `reference`; null for what is not there."""
    roots = {"params": parameters, "output": chapter.outputs}
    value: Any = item if reference["root"] == "item" else roots[reference["root"]].get(reference["name"])
    for part in reference["path"]:
        if isinstance(part, int):
            inside = isinstance(value, list) and -len(value) <= part < len(value)
            value = value[part] if inside else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    found: Json = value
    return found


def build(parameters: JsonObject, chapter: Chapter, value: Any, item: Json = None) -> Json:
    """The JSON that a value of the plan stands for."""
    if "literal" in value:
        literal: Json = value["literal"]
        return literal
    if "reference" in value:
        return find(parameters, chapter, value["reference"], item)
    if "members" in value:
        return {name: build(parameters, chapter, each, item) for name, each in value["members"].items()}
    return [build(parameters, chapter, each, item) for each in value["items"]]


def attached(parameters: JsonObject, chapter: Chapter, references: Any, item: Json = None) -> JsonObject:
    """What `reads` attaches: each value under its reference as it was written."""
    return {_written(each): find(parameters, chapter, each, item) for each in references}


def _written(reference: Any) -> str:
    head = {"params": f"params.{reference['name']}", "output": f"{reference['name']}.output"}
    path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in reference["path"])
    name: str = reference["name"]
    return head.get(reference["root"], name) + path
