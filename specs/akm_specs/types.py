"""Declared types, which are JSON Schemas: what one may say, and whether a value is of it.

Compiler and executor ask the same functions, so that a value means the same on both sides. A type stands on its
own: it refers to nothing elsewhere, and what would not be held against values is refused, not passed over.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from akm_specs.canonical import JSON_DEPTH_MAX, Json, JsonObject, hash_json
from akm_specs.patterns import BadPattern, check_pattern, matches

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

#: The format of a path relative to the run's workspace, and the only one that means anything here.
FILE_FORMAT = "akm-file"
#: Schemas within a type, itself included. Each may be held against every part of a value.
SCHEMAS_MAX = 1_000
#: How much of a violation is told, in characters: a message, not a copy of the value.
VIOLATION_LENGTH_MAX = 300

#: Way from a type to a part of it, such as `("properties", "name", "pattern")`.
Way: TypeAlias = tuple[str | int, ...]

_TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")
_SCHEMA = {"items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"}
_SCHEMA_LIST = {"prefixItems", "allOf", "anyOf", "oneOf"}
_SCHEMA_BY_NAME = {"properties", "dependentSchemas"}
_COUNT = {"Length", "Items", "Contains", "Properties"}
_NUMBER = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
_ANYTHING = {"const", "default", "examples", "title", "description", "$comment"}


class BadType(ValueError):
    """The schema is no type. `way` leads to what is at fault, `instead` says what to write."""

    def __init__(self, way: Way, reason: str, instead: str) -> None:
        super().__init__(f"{'/'.join(map(str, way)) or 'the type'}: {reason}; {instead}")
        self.way = way
        self.reason = reason
        self.instead = instead


def check_type(schema: Json) -> None:
    """Raises BadType unless `schema` is a type. What is in its patterns, `bad_patterns` tells."""
    for count, (way, each) in enumerate(schemas_in(schema), 1):
        if count > SCHEMAS_MAX:
            raise BadType((), f"it holds more than {SCHEMAS_MAX} schemas", "split the value into several")
        if len(way) > 2 * JSON_DEPTH_MAX:
            raise BadType((), f"it nests deeper than {JSON_DEPTH_MAX} levels", "flatten it")
        if not isinstance(each, dict):
            if not isinstance(each, bool):
                raise BadType(way, "it is no schema", "write an object")
            continue
        for keyword, behind in each.items():
            _check_keyword(keyword, behind, (*way, keyword))


def bad_patterns(schema: Json) -> Iterator[tuple[Way, BadPattern]]:
    """Every pattern of the type `schema` that is none, with the way to it."""
    for way, each in schemas_in(schema):
        if isinstance(each, dict) and "pattern" in each:
            try:
                check_pattern(each["pattern"])
            except BadPattern as error:
                yield (*way, "pattern"), error


def schemas_in(schema: Json) -> Iterator[tuple[Way, Json]]:
    """`schema` and every schema within it, each with the way to it."""
    pending: list[tuple[Way, Json]] = [((), schema)]
    while pending:
        way, each = pending.pop()
        yield way, each
        for keyword, behind in each.items() if isinstance(each, dict) else ():
            if keyword in _SCHEMA:
                pending.append(((*way, keyword), behind))
            elif keyword in _SCHEMA_LIST and isinstance(behind, list):
                pending += [((*way, keyword, at), inner) for at, inner in enumerate(behind)]
            elif keyword in _SCHEMA_BY_NAME and isinstance(behind, dict):
                pending += [((*way, keyword, name), inner) for name, inner in behind.items()]


def violation(schema: JsonObject, value: Json) -> str | None:
    """Where and how `value` breaks the type `schema`, or None when it does not.

    One fault is told, the first in the order of the schema's keywords: a large value costs no list of all its
    faults. A pattern that `bad_patterns` tells of is matched by nothing.
    """
    found = next(_validator()(schema).iter_errors(value), None)
    return None if found is None else f"{found.json_path}: {found.message}"[:VIOLATION_LENGTH_MAX]


def _check_keyword(keyword: str, behind: Json, way: Way) -> None:
    """Raises BadType when a schema has no such keyword, or something else has to stand behind it."""
    wanted: str | None = None
    match keyword:
        case "type":
            named = behind if isinstance(behind, list) else [behind]
            wanted = None if named and all(each in _TYPES for each in named) else f"one of {', '.join(_TYPES)}"
        case "format":
            wanted = None if behind == FILE_FORMAT else f"`{FILE_FORMAT}`, the only one that is checked"
        case "pattern":
            wanted = None if isinstance(behind, str) else "a text"
        case "required":
            wanted = None if _is_texts(behind) else "a list of texts"
        case "dependentRequired":
            fits = isinstance(behind, dict) and all(map(_is_texts, behind.values()))
            wanted = None if fits else "a list of texts for each name"
        case "enum":
            wanted = None if isinstance(behind, list) and behind else "a list of values"
        case "multipleOf":
            wanted = None if _is_number(behind) and behind > 0 else "a number above 0"
        case "uniqueItems" | "deprecated" | "readOnly" | "writeOnly":
            wanted = None if isinstance(behind, bool) else "true or false"
        case _ if keyword in _NUMBER:
            wanted = None if _is_number(behind) else "a number"
        case _ if keyword[:3] in ("min", "max") and keyword[3:] in _COUNT:
            wanted = None if type(behind) is int and behind >= 0 else "a count"
        case _ if keyword in _SCHEMA_LIST:
            wanted = None if isinstance(behind, list) and behind else "a list of schemas"
        case _ if keyword in _SCHEMA_BY_NAME:
            wanted = None if isinstance(behind, dict) else "a schema for each name"
        case _ if keyword not in _SCHEMA | _ANYTHING:
            instead = "write the type out where it is used" if keyword.startswith("$") else "take it out"
            raise BadType(way, f"`{keyword}` is not held against values", instead)
    if wanted is not None:
        raise BadType(way, f"`{keyword}` takes {wanted}", f"write {wanted}")


def _is_number(value: Json) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_texts(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


@cache
def _validator() -> "Callable[[JsonObject], Validator]":
    """The library's validator, with the keywords whose time it does not bound done otherwise."""
    import jsonschema  # here, because only values with a declared type need it

    broken = jsonschema.ValidationError

    def pattern(_validator: Any, behind: str, value: Json, _schema: Json) -> Iterator[Exception]:
        try:
            if isinstance(value, str) and not matches(behind, value):
                yield broken(f"{value[:VIOLATION_LENGTH_MAX]!r} does not match {behind!r}")
        except BadPattern as error:
            yield broken(f"nothing matches {behind!r}: {error}")

    def unique_items(_validator: Any, behind: bool, value: Json, _schema: Json) -> Iterator[Exception]:
        if behind and isinstance(value, list) and len(set(map(hash_json, value))) < len(value):
            yield broken("an item stands twice in the list")

    own = {"pattern": pattern, "uniqueItems": unique_items}
    found: Callable[[JsonObject], Validator] = jsonschema.validators.extend(jsonschema.Draft202012Validator, own)
    return found
