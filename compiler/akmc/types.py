"""Declared types, which are JSON Schemas: where they stand, and whether a value fits."""

import re
from collections.abc import Iterator

from akm_specs.canonical import Json, JsonObject
from akmc.document import GateStep, Place, Workflow
from akmc.lower_types import FILE_FORMAT
from akmc.references import output_type

#: How much of a mismatch a message tells, in characters.
MISMATCH_LENGTH_MAX = 200


def types_in(workflow: Workflow) -> Iterator[tuple[Place, JsonObject]]:
    """Every type of `workflow` with its place, and each type within it."""
    for at, param in enumerate(workflow.params):
        yield from _within(param.type, ("params", at, "type"))
    for at, step in enumerate(workflow.steps):
        yield from _within(output_type(step), ("steps", at, "output"))
        if isinstance(step, GateStep):
            yield from _within(step.type, ("steps", at, "type"))


def _within(type_: JsonObject | None, place: Place) -> Iterator[tuple[Place, JsonObject]]:
    if type_ is None:
        return
    yield place, type_
    yield from _within(type_.get("items"), (*place, "items"))
    fields: dict[str, JsonObject] = type_.get("properties") or {}
    for name, field in fields.items():
        yield from _within(field, (*place, "properties", name))


def mismatch(type_: JsonObject, value: Json) -> str | None:
    """How `value` fails to be of `type_`, or None. A type whose pattern is broken refuses nothing: a rule tells."""
    import jsonschema  # here, because few workflows have a default or a route

    try:
        found = next(jsonschema.Draft202012Validator(type_).iter_errors(value), None)
    except re.error:
        return None
    return None if found is None else found.message[:MISMATCH_LENGTH_MAX]


def file_fields(output: JsonObject) -> frozenset[str]:
    """The required fields of an output type that are files."""
    fields: dict[str, JsonObject] = output.get("properties") or {}
    required = output.get("required") or []
    return frozenset(name for name in required if fields.get(name, {}).get("format") == FILE_FORMAT)
