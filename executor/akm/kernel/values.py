"""Resolving the plan's references and values against parameters and recorded outputs.

The compiler has proved that what is referred to has run; an attempt that produced no output reads as null.
"""

from typing import Any

from akm.kernel.state import RunState
from akm_specs.canonical import Json, JsonObject
from akm_specs.plan import Reference, Value


def resolve(state: RunState, value: Value, item: Json = None) -> Json:
    """The JSON that `value` stands for; `item` is that of the map's assignment."""
    if "literal" in value:
        return value["literal"]
    if "reference" in value:
        return dereference(state, value["reference"], item)
    if "members" in value:
        return {name: resolve(state, member, item) for name, member in value["members"].items()}
    return [resolve(state, each, item) for each in value["items"]]


def dereference(state: RunState, reference: Reference, item: Json = None) -> Json:
    """The value at `reference`; null where an optional member or a failed attempt's output is absent."""
    found: Any = item
    if reference["root"] != "item":
        source = state.parameters if reference["root"] == "params" else state.outputs
        found = source.get(reference["name"])
    for part in reference["path"]:
        found = _member(found, part)
    value: Json = found
    return value


def _member(value: Any, part: str | int) -> Any:
    if isinstance(part, int):
        return value[part] if isinstance(value, list) and -len(value) <= part < len(value) else None
    return value.get(part) if isinstance(value, dict) else None


def text(reference: Reference) -> str:
    """`reference` as the author wrote it."""
    heads = {"params": f"params.{reference['name']}", "output": f"{reference['name']}.output"}
    head = heads.get(reference["root"], reference["name"])
    return head + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in reference["path"])


def read(state: RunState, references: list[Reference], item: Json = None) -> JsonObject:
    """What `reads` attaches: each value under its reference's text."""
    return {text(reference): dereference(state, reference, item) for reference in references}
