"""The published JSON Schemas, as they are shipped: of a document, of a registry, of a plan."""

from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias, cast

from akm_specs.canonical import JsonObject, parse_json

SchemaName: TypeAlias = Literal["document", "plan", "registry"]


def schema_file(name: SchemaName) -> Path:
    """Where the schema lies. `python -m akmc.schemas` writes it."""
    return Path(__file__).with_name("schemas") / f"{name}.schema.json"


@cache
def published_schema(name: SchemaName) -> JsonObject:
    """The schema, which is not the caller's to change."""
    return cast(JsonObject, parse_json(schema_file(name).read_bytes()))
