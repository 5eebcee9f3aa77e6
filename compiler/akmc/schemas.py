"""The published JSON Schemas, made from the models: of a document, of a registry, of a plan.

`python -m akmc.schemas` writes them anew into `specs/akm_specs/schemas/`. Whoever reads one needs no pydantic.
"""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from akm_specs import plan
from akm_specs.canonical import JsonObject
from akmc.document import Workflow
from akmc.node_schema import schema_of
from akmc.registry import Registry

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_HASH: JsonObject = {
    "type": "string",
    "pattern": "^[0-9a-f]{64}$",
    "description": "SHA-256 of the canonical JSON of everything else in the file.",
}


def document_schema() -> JsonObject:
    """The schema of what a workflow source lowers to."""
    return {"$schema": _DIALECT, **schema_of(Workflow)}


def registry_schema() -> JsonObject:
    """The schema of what a registry source lowers to."""
    return {"$schema": _DIALECT, **schema_of(Registry)}


def plan_schema() -> JsonObject:
    """The schema of a frozen plan, with its hash or without. Nothing else may stand in one."""
    definitions: JsonObject = TypeAdapter(plan.Plan).json_schema()["$defs"]
    for closed in definitions.values():
        if "properties" in closed:
            closed["additionalProperties"] = False
    nested = definitions["Plan"]
    nested["properties"]["schema"] = {"const": plan.SCHEMA}
    sealed = {**nested, "properties": {**nested["properties"], "hash": _HASH}}
    return _plain({**sealed, "$defs": definitions})


SCHEMAS: dict[str, Callable[[], JsonObject]] = {
    "document": document_schema,
    "registry": registry_schema,
    "plan": plan_schema,
}


def _plain(schema: JsonObject) -> JsonObject:
    """`schema` under its dialect, without the titles that pydantic makes of names and that say nothing."""
    return {"$schema": _DIALECT, **_untitled(schema)}


def _untitled(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_untitled(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    named = ("properties", "$defs")  # their keys are names of our own, `title` among them
    return {
        key: {name: _untitled(each) for name, each in value.items()} if key in named else _untitled(value)
        for key, value in schema.items()
        if key != "title"
    }


def _write() -> None:
    for name, make in SCHEMAS.items():
        text = json.dumps(make(), indent=2, sort_keys=True) + "\n"
        Path(str(files("akm_specs")), "schemas", f"{name}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write()
