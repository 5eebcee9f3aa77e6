"""A value of a declared type, made up."""

import random
from typing import Any

from akm_specs.canonical import Json, JsonObject
from akm_specs.types import violation

#: How often a value is made up before it is given up: a pattern or a raw schema may allow hardly any.
TRIES_MAX = 5


def sample(schema: JsonObject, chance: random.Random) -> Json:
    """A value of `schema`, where one is easily found; otherwise one that does not fit."""
    value: Json = None
    for _ in range(TRIES_MAX):
        value = _made(schema, chance)
        if violation(schema, value) is None:
            break
    return value


def _made(schema: Any, chance: random.Random) -> Any:
    if not isinstance(schema, dict):  # `true` and `false` are schemas as well: of anything, and of nothing
        return None
    if schema.get("enum"):
        return chance.choice(schema["enum"])
    match schema.get("type"):
        case "object":
            properties = schema.get("properties", {})
            needed = schema.get("required", list(properties))
            return {name: _made(properties.get(name, {}), chance) for name in needed}
        case "array":
            least = int(schema.get("minItems", 0))
            most = min(int(schema.get("maxItems", least + 2)), least + 2)
            return [_made(schema.get("items", {}), chance) for _ in range(chance.randint(least, max(least, most)))]
        case "integer" | "number":
            least = int(schema.get("minimum", 0))
            return chance.randint(least, max(least, int(schema.get("maximum", least + 9))))
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
    return "x" * max(1, int(schema.get("minLength", 1)))
