"""From a type of the language to the JSON Schema that it stands for."""

from akm_specs.canonical import JsonObject
from akm_specs.types import FILE_FORMAT
from akmc.document import Place
from akmc.lower_clauses import report_repeated
from akmc.lower_values import lower_constant
from akmc.lower_words import integer, text
from akmc.lowered import Lowering
from akmc.syntax import Tree

#: Most items of a list whose type states no `max` (source: the defaults in docs/reference/language.md).
LIST_ITEMS_MAX = 10_000

EMPTY_TYPE = "AKM0009"


def lower_type(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    """The JSON Schema of the type `tree`."""
    lowering.mark(place, tree.span)
    match tree.rule:
        case "string":
            return _string(lowering, tree)
        case "integer":
            return _integer(lowering, tree)
        case "number" | "boolean":
            return {"type": tree.rule}
        case "file":
            return {"type": "string", "format": FILE_FORMAT}
        case "list":
            return _list(lowering, tree, place)
        case "any":
            return {}
        case "json":
            return _json(lowering, tree)
        case "one_of":
            return _one_of(lowering, tree)
        case _:
            assert tree.rule == "fields", tree.rule
            return _fields(lowering, tree, place)


def maximum(lowering: Lowering, tree: Tree) -> int | None:
    """The number of the `max N` that stands directly in `tree`, if there is one."""
    for child in tree.trees():
        if child.rule == "max":
            (word,) = child.words()
            return integer(lowering, word)
    return None


def _string(lowering: Lowering, tree: Tree) -> JsonObject:
    schema: JsonObject = {"type": "string"}
    for child in tree.trees():
        (word,) = child.words()
        if child.rule == "matching":
            schema["pattern"] = text(lowering, word)
    most = maximum(lowering, tree)
    return schema if most is None else {**schema, "maxLength": most}


def _integer(lowering: Lowering, tree: Tree) -> JsonObject:
    schema: JsonObject = {"type": "integer"}
    bounds = [integer(lowering, word) for word in tree.words()]
    if bounds:
        least, most = bounds
        if least > most:
            message = f"no whole number is at least {least} and at most {most}"
            lowering.report(EMPTY_TYPE, tree.span, message, "write the smaller number first")
        schema |= {"minimum": least, "maximum": most}
    return schema


def _list(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    most = maximum(lowering, tree)
    item = next(child for child in tree.trees() if child.rule != "max")
    items = lower_type(lowering, item, (*place, "items"))
    return {"type": "array", "items": items, "maxItems": LIST_ITEMS_MAX if most is None else most}


def _one_of(lowering: Lowering, tree: Tree) -> JsonObject:
    values: dict[str, None] = {}
    for word in tree.words():
        value = text(lowering, word)
        if value in values:
            report_repeated(lowering, word.span, f'the value "{value}"')
        values[value] = None
    if not values:
        lowering.report(EMPTY_TYPE, tree.span, "no value is one of none", "name at least one value")
    return {"enum": list(values)}


def _json(lowering: Lowering, tree: Tree) -> JsonObject:
    """A JSON Schema as the author wrote it."""
    (constant,) = tree.trees()
    schema = lower_constant(lowering, constant)
    assert isinstance(schema, dict), "the grammar asks for an object here"
    return schema


def _fields(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    properties: JsonObject = {}
    required = []
    for field in tree.trees():
        (name,) = field.words()
        *optional, type_tree = field.trees()
        if name.text in properties:
            report_repeated(lowering, name.span, f"the field `{name.text}`")
            continue
        properties[name.text] = lower_type(lowering, type_tree, (*place, "properties", name.text))
        if not optional:
            required.append(name.text)
    return {
        "type": "object",
        "properties": properties,
        "required": sorted(required),
        "additionalProperties": False,
    }
