"""The JSON Schema of nodes and of typed dictionaries, made from the annotations by which both are declared."""

from inspect import getdoc
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from akm_specs.canonical import Json, JsonObject
from akm_specs.node import Matching, Node, Sized, Within, is_object, members_of
from akm_specs.reader import kinds_of

_SORTS = {str: "string", int: "integer", bool: "boolean", NoneType: "null"}


def schema_of(type_: type[Any]) -> JsonObject:
    """The schema of a kind of node, or of a typed dictionary. Each other one within it is one of its `$defs`."""
    found: dict[str, JsonObject] = {}
    schema = _object(type_, found)
    return {**schema, "$defs": found}


def _object(type_: type[Any], defs: dict[str, JsonObject]) -> JsonObject:
    """An object with the members that are declared, and no others."""
    members = members_of(type_)
    described = {} if type_.__dict__["__doc__"] is None else {"description": getdoc(type_)}
    defaulted = issubclass(type_, Node)
    return {
        **described,
        "type": "object",
        "additionalProperties": False,
        "properties": {
            name: _schema(member.type, defs)
            | ({"default": _plain(member.default)} if defaulted and not member.required else {})
            for name, member in members.items()
        },
        "required": [name for name, member in members.items() if member.required],
    }


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
    if origin in (tuple, list):
        return {"type": "array", "items": _schema(arguments[0], defs)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(arguments[1], defs)}
    if not is_object(type_):
        return {"type": _SORTS[type_]}
    if type_.__name__ not in defs:
        defs[type_.__name__] = {}  # stands there already, since it may hold others of its own kind
        defs[type_.__name__] = _object(type_, defs)
    return {"$ref": f"#/$defs/{type_.__name__}"}


def _one_of(alternatives: tuple[Any, ...], defs: dict[str, JsonObject]) -> JsonObject:
    schemas = [{"type": "null"} if each is NoneType else _schema(each, defs) for each in alternatives]
    kinds = kinds_of(alternatives) if all(map(is_object, alternatives)) else {}
    if not kinds or any(len(each) > 1 for each in kinds.values()):
        return {"anyOf": schemas}
    mapping = {kind: f"#/$defs/{each.__name__}" for kind, (each,) in kinds.items()}
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
