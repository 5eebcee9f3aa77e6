"""How types are written: in the words of the language where these say exactly that, else as JSON Schemas."""

import re
from typing import Any

from akm_specs.canonical import JsonObject
from akm_specs.types import FILE_FORMAT
from akmc.document import NAME_PATTERN
from akmc.lower_types import LIST_ITEMS_MAX
from akmc.write.words import constant, listed, string


def type_text(schema: JsonObject) -> str:
    """The type that is read as `schema`."""
    return _in_words(schema) or f"json {constant(schema)}"


def _in_words(schema: JsonObject) -> str | None:
    """The words for `schema`; None where they would say something else."""
    match schema:
        case {"type": "string", "format": format_} if len(schema) == 2:
            return "file" if format_ == FILE_FORMAT else None
        case {"type": "string"} if schema.keys() <= {"type", "pattern", "maxLength"}:
            return _string(schema)
        case {"type": "integer", "minimum": int(least), "maximum": int(most)} if len(schema) == 3:
            counted = not isinstance(least, bool) and not isinstance(most, bool)
            return f"int {least}..{most}" if counted and least <= most else None
        case {"type": ("integer" | "number" | "boolean") as name} if len(schema) == 1:
            return "int" if name == "integer" else str(name)
        case {"type": "array", "items": dict(items), "maxItems": int(most)} if len(schema) == 3:
            return _list(items, most)
        case {"enum": list(values)} if len(schema) == 1:
            return _one_of(values)
        case {"type": "object", "properties": dict(), "required": list(), "additionalProperties": False}:
            return _fields(schema) if len(schema) == 4 else None
        case _:
            return None if schema else "any"


def _string(schema: JsonObject) -> str | None:
    pattern, most = schema.get("pattern"), schema.get("maxLength")
    if not (pattern is None or isinstance(pattern, str)) or not (most is None or _is_count(most)):
        return None
    matching = "" if pattern is None else f" matching {string(pattern)}"
    return "string" + matching + ("" if most is None else f" max {most}")


def _list(items: JsonObject, most: int) -> str | None:
    if not _is_count(most):
        return None
    bound = "" if most == LIST_ITEMS_MAX else f" max {most}"
    return f"list{bound} of {type_text(items)}"


def _one_of(values: list[Any]) -> str | None:
    texts = all(isinstance(value, str) for value in values)
    return f"one of {listed(map(string, values))}" if texts and values and len(set(values)) == len(values) else None


def _fields(schema: JsonObject) -> str | None:
    fields: dict[str, Any] = schema["properties"]
    required: list[Any] = schema["required"]
    plain = all(re.fullmatch(NAME_PATTERN, name) and isinstance(field, dict) for name, field in fields.items())
    if not plain or required != sorted(name for name in fields if name in required):
        return None
    lines = (f"\n{name}{'' if name in required else '?'}: {type_text(field)}" for name, field in fields.items())
    return "{" + "".join(lines) + "\n}"


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
