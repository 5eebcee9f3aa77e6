"""The published JSON Schemas, made from the models: of a document, of a registry, of a plan.

`python -m akmc.schemas` writes them anew into `specs/akm_specs/schemas/`.
"""

import json
from collections.abc import Callable

from akm_specs import plan
from akm_specs.canonical import JsonObject
from akm_specs.published import SchemaName, schema_file
from akmc.document import Workflow
from akmc.registry import Registry
from akmc.type_schema import schema_of

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
    schema = schema_of(plan.Plan)
    for each in (schema, schema["$defs"]["Plan"]):  # a plan holds those of its children
        each["properties"]["schema"] = {"const": plan.SCHEMA}
    schema["properties"]["hash"] = _HASH
    return {"$schema": _DIALECT, **schema}


SCHEMAS: dict[SchemaName, Callable[[], JsonObject]] = {
    "document": document_schema,
    "registry": registry_schema,
    "plan": plan_schema,
}


def _write() -> None:
    for name, make in SCHEMAS.items():
        text = json.dumps(make(), indent=2, sort_keys=True) + "\n"
        schema_file(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    _write()
