"""The JSON Schema of nodes, made from the same annotations that documents are held against."""

from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from akm_specs.canonical import Json, JsonObject
from akmc.node import Matching, Node, Sized, Within, members_of
from akmc.node_reader import kinds_of

_SORTS = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}


def schema_of(node: type[Node]) -> JsonObject:
    """The schema of a kind of node. Each kind of node within it is one of its `$defs`."""
    found: dict[str, JsonObject] = {}
    schema = _object(node, found)
    return {**schema, "$defs": found}


def _object(node: type[Node], defs: dict[str, JsonObject]) -> JsonObject:
    members = members_of(node)
    described = {} if node.__dict__["__doc__"] is None else {"description": getdoc(node)}
    return {
        **described,
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: _schema(member.type, defs) | ({} if member.required else {"default": _plain(member.default)})
            for name, member in members.items()
        },
        "required": [name for name, member in members.items() if member.required],
    }


def _schema(type_: Any, defs: dict[str, JsonObject]) -> JsonObject:
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ == Json:
        return {}
    if origin is Annotated:
        schema = _schema(arguments[0], defs)
        for limit in arguments[1:]:
            schema |= _limit(limit, schema["type"])
        return schema
    if origin is Literal:
        return {"type": "string"} | ({"enum": [*arguments]} if len(arguments) > 1 else {"const": arguments[0]})
    if origin in (Union, UnionType):
        return _one_of(arguments, defs)
    if origin is tuple:
        return {"type": "array", "items": _schema(arguments[0], defs)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], defs)}
    if not issubclass(type_, Node):
        return {"type": _SORTS[type_]}
    if type_.__name__ not in defs:
        defs[type_.__name__] = {}  # stands there already, since a node may hold nodes of its own kind
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
