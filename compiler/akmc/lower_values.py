"""From the tree of a value, a constant or a reference to the JSON of the document."""

from akm_specs.canonical import Json, JsonObject
from akmc.document import Place
from akmc.lower_clauses import report_repeated
from akmc.lower_words import index, integer, number, text
from akmc.lowered import Lowering
from akmc.syntax import Tree, Word

REFERENCE_SHAPE = "AKM0008"

_CONSTANTS: dict[str, Json] = {"true": True, "false": False, "null": None}


def lower_value(lowering: Lowering, node: Tree | Word, place: Place) -> JsonObject:
    """A `Value` of the document: literals and references, in lists and objects."""
    lowering.mark(place, node.span)
    if isinstance(node, Word) or node.rule in _CONSTANTS:
        return {"literal": scalar(lowering, node)}
    match node.rule:
        case "reference":
            return {"reference": lower_reference(lowering, node, (*place, "reference"))}
        case "array":
            items = enumerate(node.children)
            return {"items": [lower_value(lowering, item, (*place, "items", at)) for at, item in items]}
        case _:
            assert node.rule == "object", node.rule
            members = _members(lowering, node)
            return {
                "members": {key: lower_value(lowering, value, (*place, "members", key)) for key, value in members}
            }


def lower_constant(lowering: Lowering, node: Tree | Word) -> Json:
    """A value without references, as plain JSON."""
    if isinstance(node, Word) or node.rule in _CONSTANTS:
        return scalar(lowering, node)
    if node.rule == "constant_array":
        return [lower_constant(lowering, item) for item in node.children]
    assert node.rule == "constant_object", node.rule
    return {key: lower_constant(lowering, value) for key, value in _members(lowering, node)}


def scalar(lowering: Lowering, node: Tree | Word) -> Json:
    """One text, number, `true`, `false` or `null`."""
    if isinstance(node, Tree):
        return _CONSTANTS[node.rule]
    match node.kind:
        case "INTEGER":
            return integer(lowering, node)
        case "NUMBER":
            return number(lowering, node)
        case _:
            return text(lowering, node)


def lower_reference(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    """A `Reference` of the document: `params.NAME`, `STEP.output` or a map's item, and the path behind it."""
    lowering.mark(place, tree.span)
    (name,) = tree.words()
    path = [_access(lowering, access) for access in tree.trees()]
    if name.text == lowering.item:
        return {"root": "item", "name": name.text, "path": path}
    if name.text == "params" and path and isinstance(path[0], str):
        return {"root": "params", "name": path[0], "path": path[1:]}
    if name.text != "params" and path[:1] == ["output"]:
        return {"root": "output", "name": name.text, "path": path[1:]}
    written = lowering.source.text[tree.span.start : tree.span.end]
    message = f"`{written}` refers to no parameter and to no output"
    lowering.report(REFERENCE_SHAPE, tree.span, message, _reference_meant(name.text, bare=not path))
    return {}


def _reference_meant(name: str, *, bare: bool) -> str:
    if name == "params":
        return "write `params.NAME`"
    return f"write `{name}.output` or `params.{name}`" + (f', or `"{name}"` for a text' if bare else "")


def _access(lowering: Lowering, access: Tree) -> str | int:
    (word,) = access.words()
    return text(lowering, word) if access.rule == "field" else index(lowering, word)


def _members(lowering: Lowering, tree: Tree) -> list[tuple[str, Tree | Word]]:
    """The keys and values of an object; a key that stands twice is a finding."""
    found: dict[str, Tree | Word] = {}
    for member in tree.trees():
        key, value = member.children
        assert isinstance(key, Word), "a key is a word"
        name = text(lowering, key)
        if name in found:
            report_repeated(lowering, key.span, f"the key `{name}`")
        found.setdefault(name, value)
    return list(found.items())
