"""Declared types, which are JSON Schemas: where they stand, and whether a value fits."""

from collections.abc import Iterator

from akm_specs.canonical import Json, JsonObject
from akm_specs.types import FILE_FORMAT, BadType, bad_patterns, check_type, violation
from akmc.document import ChildStep, GateStep, Place, WaitStep, Workflow, WorkStep


def types_in(workflow: Workflow) -> Iterator[tuple[Place, JsonObject]]:
    """Every type that `workflow` declares, with its place."""
    for at, param in enumerate(workflow.params):
        yield ("params", at, "type"), param.type
    for at, step in enumerate(workflow.steps):
        if isinstance(step, WorkStep | WaitStep | ChildStep) and step.output is not None:
            yield ("steps", at, "output"), step.output
        if isinstance(step, GateStep) and step.type is not None:
            yield ("steps", at, "type"), step.type


def mismatch(type_: JsonObject, value: Json) -> str | None:
    """How `value` fails to be of `type_`, or None. A type that is broken refuses nothing: a rule tells."""
    try:
        check_type(type_)
    except BadType:
        return None
    return None if any(bad_patterns(type_)) else violation(type_, value)


def file_fields(output: JsonObject) -> frozenset[str]:
    """The required fields of an output type that are files."""
    fields: dict[str, JsonObject] = output.get("properties") or {}
    required = output.get("required") or []
    return frozenset(name for name in required if fields.get(name, {}).get("format") == FILE_FORMAT)
