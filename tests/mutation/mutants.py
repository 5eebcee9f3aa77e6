"""Mutants of a module: the same program but for one small fault, made from its syntax tree.

A fault is one of those that a person makes: a comparison that is off by one, a condition the wrong way round, a
call left out. Annotations, docstrings and messages of exceptions and assertions are left alone.
"""

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import dataclass

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """Fault number `number` of a module: where it is and what it is."""

    number: int
    line: int
    what: str
    tree: ast.Module


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of `source`, in the order of its text."""
    tree = ast.parse(source)
    places = list(_places(tree))
    number = 0
    for index, node in enumerate(places):
        for what, change in _faults(node):
            changed = deepcopy(tree)
            change(list(_places(changed))[index])
            number += 1
            yield Mutant(number, node.lineno, what, ast.fix_missing_locations(changed))


def _places(tree: ast.AST) -> Iterator[ast.expr | ast.stmt]:
    """Expressions and statements that a fault may be in, in the order of the text."""
    for name, field in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params", "bases") or isinstance(
            tree, ast.Raise
        ):
            continue
        for child in field if isinstance(field, list) else [field]:
            if not isinstance(child, ast.AST) or _is_text_only(tree, name, child):
                continue
            if isinstance(child, ast.expr | ast.stmt):
                yield child
            yield from _places(child)


def _is_text_only(parent: ast.AST, name: str, child: ast.AST) -> bool:
    """Docstrings, the message of an assertion, types that are named, and what only a type checker reads."""
    docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
    named_type = isinstance(parent, ast.AnnAssign) and ast.unparse(parent.annotation) == "TypeAlias"
    checking = isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"
    message = isinstance(parent, ast.Assert) and name == "msg"
    return docstring or named_type or checking or message or isinstance(child, ast.Import | ast.ImportFrom)


Change = Callable[[ast.AST], None]


def _faults(node: ast.AST) -> Iterator[tuple[str, Change]]:
    """The faults that can be made at `node`."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in _COMPARISONS:
            other = _COMPARISONS[type(op)]
            yield f"{type(op).__name__} -> {other.__name__}", _setting("ops", [other()])
        case ast.BoolOp(op=op, values=values):
            other_op = ast.Or() if isinstance(op, ast.And) else ast.And()
            yield f"{type(op).__name__} -> {type(other_op).__name__}", _setting("op", other_op)
            for at in range(len(values)):
                yield f"operand {at + 1} left out", _without("values", at)
        case ast.UnaryOp(op=ast.Not()):
            yield "not left out", _setting("op", None)
        case ast.BinOp(op=op) if type(op) in _ARITHMETIC:
            yield (
                f"{type(op).__name__} -> {_ARITHMETIC[type(op)].__name__}",
                _setting("op", _ARITHMETIC[type(op)]()),
            )
        case ast.Constant(value=bool() as value):
            yield f"{value} -> {not value}", _setting("value", not value)
        case ast.Constant(value=int() as value):
            yield f"{value} -> {value + 1}", _setting("value", value + 1)
        case ast.Constant(value=str() as value) if value:
            yield f"{value[:30]!r} -> other text", _setting("value", f"x{value}")
        case ast.If() | ast.IfExp() | ast.While():
            yield "condition turned round", _negated
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield "returns None", _setting("value", ast.Constant(None))
        case ast.Expr(value=ast.Call()):
            yield "call left out", _setting("value", ast.Constant(None))
        case ast.Continue() | ast.Break():
            yield f"{type(node).__name__.lower()} left out", _skipped
        case ast.AugAssign():
            yield "assignment left out", _skipped
        case ast.Call(keywords=[_, *_] as keywords):
            for at, keyword in enumerate(keywords):
                if keyword.arg is not None:
                    yield f"argument {keyword.arg} left out", _without("keywords", at)


def _setting(name: str, value: object) -> Change:
    def change(node: ast.AST) -> None:
        if name == "op" and value is None:  # `not x` becomes `bool(x)`
            assert isinstance(node, ast.UnaryOp)
            node.operand = ast.UnaryOp(ast.Not(), node.operand)
        else:
            setattr(node, name, deepcopy(value))

    return change


def _without(name: str, at: int) -> Change:
    def change(node: ast.AST) -> None:
        left = [each for number, each in enumerate(getattr(node, name)) if number != at]
        setattr(node, name, left if name != "values" or len(left) > 1 else [*left, *left])

    return change


def _negated(node: ast.AST) -> None:
    assert isinstance(node, ast.If | ast.IfExp | ast.While)
    node.test = ast.UnaryOp(ast.Not(), node.test)


def _skipped(node: ast.AST) -> None:
    """The statement becomes one that does nothing, in its place."""
    line = node.lineno if isinstance(node, ast.stmt) else 0
    node.__class__ = ast.Pass
    node.__dict__.clear()
    node.lineno = line  # type: ignore[attr-defined]
