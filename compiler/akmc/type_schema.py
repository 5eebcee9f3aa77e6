"""The JSON Schema of nodes and of typed dictionaries, made from the annotations by which both are declared."""

from inspect import getdoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from akm_specs.canonical import Json, JsonObject
from akmc.node import Matching, Node, Sized, Within, members_of
from akmc.node_reader import kinds_of

_SORTS = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}


def schema_of(type_: type[Any]) -> JsonObject:
    """The schema of a kind of node, or of a typed dictionary. Each other one within it is one of its `$defs`."""
    found: dict[str, JsonObject] = {}
    schema = _object(type_, found)
    return {**schema, "$defs": found}


def _object(type_: type[Any], defs: dict[str, JsonObject]) -> JsonObject:
    """An object with the members that are declared, and no others."""
    properties, required = _node(type_, defs) if issubclass(type_, Node) else _dictionary(type_, defs)
    described = {} if type_.__dict__["__doc__"] is None else {"description": getdoc(type_)}
    closed = {"type": "object", "additionalProperties": False}
    return {**described, **closed, "properties": properties, "required": required}


def _node(node: type[Node], defs: dict[str, JsonObject]) -> tuple[JsonObject, list[str]]:
    members = members_of(node)
    properties = {
        name: _schema(member.type, defs) | ({} if member.required else {"default": _plain(member.default)})
        for name, member in members.items()
    }
    return properties, [name for name, member in members.items() if member.required]


def _dictionary(type_: type[Any], defs: dict[str, JsonObject]) -> tuple[JsonObject, list[str]]:
    hints = get_type_hints(type_, include_extras=True)
    properties = {name: _schema(hint, defs) for name, hint in hints.items()}
    return properties, [name for name, hint in hints.items() if get_origin(hint) is not NotRequired]


def _schema(type_: Any, defs: dict[str, JsonObject]) -> JsonObject:
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ in (Any, Json):
        return {}
    if origin is Annotated:
        schema = _schema(arguments[0], defs)
        for limit in arguments[1:]:
            schema |= _limit(limit, schema["type"])
        return schema
    if origin is Literal:
        words: JsonObject = {"enum": [*arguments]} if len(arguments) > 1 else {"const": arguments[0]}
        return {"type": _SORTS[type(arguments[0])], **words}
    if origin in (Union, UnionType):
        return _one_of(arguments, defs)
    if origin is NotRequired:
        return _schema(arguments[0], defs)
    if origin in (tuple, list):
        return {"type": "array", "items": _schema(arguments[0], defs)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], defs)}
    if not is_typeddict(type_) and not issubclass(type_, Node):
        return {"type": _SORTS[type_]}
    if type_.__name__ not in defs:
        defs[type_.__name__] = {}  # stands there already, since it may hold others of its own kind
        defs[type_.__name__] = _object(type_, defs)
    return {"$ref": f"#/$defs/{type_.__name__}"}


def _one_of(alternatives: tuple[Any, ...], defs: dict[str, JsonObject]) -> JsonObject:
    schemas = [{"type": "null"} if each is NoneType else _schema(each, defs) for each in alternatives]
    kinds = kinds_of(alternatives) if NoneType not in alternatives else {}
    if not kinds:
        return {"anyOf": schemas}
    mapping = {kind: f"#/$defs/{node.__name__}" for kind, node in kinds.items()}
    return {"oneOf": schemas, "discriminator": {"propertyName": "kind", "mapping": mapping}}


def _limit(limit: object, sort: str) -> JsonObject:
    match limit:
        case Within(least, most):
            found: JsonObject = {"minimum": least, "maximum": most}
        case Sized(least, most):
            unit = "Length" if sort == "string" else "Items"
            found = {f"min{unit}": least or None, f"max{unit}": most}
        case Matching(pattern):
            found = {"pattern": pattern}
    return {keyword: each for keyword, each in found.items() if each is not None}


def _plain(default: Any) -> Json:
    """A default as JSON."""
    if isinstance(default, Node):
        return dict(default.__dict__)
    return list(default) if isinstance(default, tuple) else default
