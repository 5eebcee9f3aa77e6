"""What may stand behind the dot of a reference: parameters, `output`, and the fields of a declared type."""

import re
from collections.abc import Iterator

from akmc.syntax import Tree

_NAME = r"[A-Za-z][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*"
#: How much of a line is looked at for the reference that ends it, in characters.
_REFERENCE_LENGTH_MAX = 500
_BEFORE_DOT = re.compile(rf"({_NAME})((?:\.{_NAME}|\[[0-9]+\])*)\.\Z")
_ELEMENT = re.compile(rf"\.({_NAME})|\[[0-9]+\]")


def fields_behind(document: Tree, text: str) -> tuple[str, ...] | None:
    """The names that may follow `text`; None where it does not end with a reference and a dot."""
    match = _BEFORE_DOT.search(text[-_REFERENCE_LENGTH_MAX:])
    if match is None:
        return None
    root, path = match[1], [element[1] for element in _ELEMENT.finditer(match[2])]
    if root == "params":
        params = dict(_params(document))
        return _fields(params.get(path[0] or ""), path[1:]) if path else tuple(params)
    if not path:
        return ("output",)
    return _fields(_output(document, root), path[1:]) if path[0] == "output" else ()


def _params(document: Tree) -> Iterator[tuple[str, Tree]]:
    for tree in document.trees():
        if tree.rule == "param":
            yield next(tree.words()).text, next(tree.trees())


def _output(document: Tree, step: str) -> Tree | None:
    """The type of what a step puts out."""
    for tree in document.trees():
        if tree.rule == "step" and next(tree.words()).text == step:
            clauses = next(tree.trees()).trees()
            return next((next(each.trees()) for each in clauses if each.rule == "output"), None)
    return None


def _fields(type_: Tree | None, path: list[str | None]) -> tuple[str, ...]:
    """The fields of the type that `path` leads to from `type_`; an element of the path is None for an index."""
    for name in path:
        if type_ is None:
            return ()
        if name is None:
            type_ = [*type_.trees()][-1] if type_.rule == "list" else None
        else:
            type_ = next((found for field, found in _properties(type_) if field == name), None)
    return () if type_ is None else tuple(field for field, _ in _properties(type_))


def _properties(type_: Tree) -> Iterator[tuple[str, Tree]]:
    if type_.rule == "fields":
        for each in type_.trees():
            yield next(each.words()).text, [*each.trees()][-1]
