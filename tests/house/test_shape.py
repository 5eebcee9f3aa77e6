"""How code here is cut and named: small modules of one idea, small functions, a docstring on all that is public."""

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

Trees = Mapping[str, ast.Module]
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

FUNCTION_LINES_MAX = 60
MODULE_LINES_MAX = 400
#: Names that say where something was put, not what it knows.
EMPTY_NAMES = {"base", "common", "helper", "helpers", "lib", "manager", "misc", "shared", "util", "utils"}
#: Spelled in parts, so that this file passes its own test.
UNFINISHED = re.compile(r"\b(" + "|".join(["TODO", "FIXME", "XXX", "HACK", "NotImplementedError"]) + r")\b")


def definitions(tree: ast.AST) -> Iterator[Definition]:
    return (node for node in ast.walk(tree) if isinstance(node, Definition))


def public(tree: ast.Module | ast.ClassDef, prefix: str = "") -> Iterator[tuple[str, Definition]]:
    """The public functions, classes and methods that a module offers, with their qualified names."""
    for node in tree.body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from public(node, f"{prefix}{node.name}.")


def only_declares(node: Definition) -> bool:
    """Whether a class lists fields and nothing else: its name, its fields and their types say all."""
    return isinstance(node, ast.ClassDef) and all(
        isinstance(line, ast.AnnAssign | ast.Assign | ast.Pass) for line in node.body
    )


def length(node: Definition) -> int:
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1


def test_functions_fit_on_one_screen(trees: Trees) -> None:
    long = {
        f"{module}.{node.name}": length(node)
        for module, tree in trees.items()
        for node in definitions(tree)
        if not isinstance(node, ast.ClassDef) and length(node) > FUNCTION_LINES_MAX
    }
    assert not long


def test_modules_hold_one_idea(modules: Mapping[str, Path]) -> None:
    lines = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in modules.items()}
    assert not {name: count for name, count in lines.items() if count > MODULE_LINES_MAX}


def test_modules_are_named_by_what_they_know(modules: Mapping[str, Path]) -> None:
    assert not [name for name in modules if EMPTY_NAMES & set(re.split(r"[._]", name))]


def test_everything_public_has_a_docstring(trees: Trees) -> None:
    bare = [module for module, tree in trees.items() if tree.body and not ast.get_docstring(tree)]
    bare += [
        f"{module}.{name}"
        for module, tree in trees.items()
        for name, node in public(tree)
        if not ast.get_docstring(node) and not only_declares(node)
    ]
    assert not bare


def test_nothing_is_left_for_later(modules: Mapping[str, Path]) -> None:
    assert not [name for name, path in modules.items() if UNFINISHED.search(path.read_text(encoding="utf-8"))]
