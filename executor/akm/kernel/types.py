"""Checking a value against a declared type, which is a JSON Schema."""

from akm_specs.canonical import Json, JsonObject

#: How much of a violation is told, in characters: a message, not a copy of the value.
VIOLATION_LENGTH_MAX = 300


def violation(schema: JsonObject, value: Json) -> str | None:
    """Where and how `value` breaks `schema`, or None when it does not."""
    import jsonschema  # only steps with a declared type need it

    validator = jsonschema.Draft202012Validator(schema)
    found = jsonschema.exceptions.best_match(validator.iter_errors(value))
    if found is None:
        return None
    return f"{found.json_path}: {found.message}"[:VIOLATION_LENGTH_MAX]
