"""A state as JSON, and back: what a journal may keep so that a driver need not go the whole way again.

Both directions follow the declared types of `RunState` and of all that it holds. A state of other types than ours
has another `form`, and is not read.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from immutables import Map

from akm.kernel.state import RunState
from akm_specs.canonical import Json, hash_json


def remembered(state: RunState) -> Json:
    """`state` as JSON."""
    found: Json = _written(state)
    return found


def recalled(value: Json) -> RunState:
    """The state that `value` is. Raises ValueError, TypeError, KeyError or AttributeError where it is none."""
    state = _reader(RunState)(value)
    assert isinstance(state, RunState)
    return state


def _written(value: Any) -> Any:
    kind: Any = type(value)
    if hasattr(kind, "__dataclass_fields__"):
        return [_written(getattr(value, name)) for name in _names(kind)]
    if isinstance(value, Map):
        return {key: _written(member) for key, member in value.items()}
    if isinstance(value, dict):
        return value if all(map(_is_json, value.values())) else {k: _written(v) for k, v in value.items()}
    if isinstance(value, tuple):
        return [_written(member) for member in value]
    return sorted(value) if isinstance(value, frozenset) else value


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, bool | int | float | str | list | dict)


@cache
def _names(kind: Any) -> tuple[str, ...]:
    """The fields that make another one: who owns it is nobody's memory."""
    return tuple(each.name for each in fields(kind) if each.init and each.name != "owner")


@cache
def _reader(hint: Any) -> Callable[[Any], Any]:
    """Reads a value of the type `hint`."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_dataclass(hint):
        return _object_reader(hint)
    if origin in (Union, UnionType):
        others = [each for each in arguments if each is not NoneType]
        read = _reader(others[0]) if len(others) == 1 else _as_it_is
        return read if read is _as_it_is else lambda value: None if value is None else read(value)
    if isinstance(origin, type) and issubclass(origin, Mapping) and origin is not dict:
        read, made = _reader(arguments[1]), Map if origin is Map else dict
        return lambda value: made({key: read(member) for key, member in value.items()})
    if origin in (tuple, frozenset):
        read = _reader(arguments[0])
        return lambda value: origin(map(read, value))
    return _as_it_is


def _object_reader(kind: Any) -> Callable[[Any], Any]:
    hints = get_type_hints(kind)
    readers = [_reader(hints[name]) for name in _names(kind)]
    return lambda value: kind(*(read(part) for read, part in zip(readers, value, strict=True)))


def _as_it_is(value: Any) -> Any:
    return value


def _form(kind: Any, seen: dict[str, list[str]]) -> dict[str, list[str]]:
    """The fields of `kind`, and of every class that its fields can hold."""
    hints = get_type_hints(kind)
    seen[kind.__name__] = [f"{name}: {hints[name]}" for name in _names(kind)]
    waiting = [hints[name] for name in _names(kind)]
    while waiting:
        hint = waiting.pop()
        waiting += get_args(hint)
        if is_dataclass(hint) and hint.__name__ not in seen:  # type: ignore[union-attr]  # a class has a name
            _form(hint, seen)
    return seen


@cache
def form() -> str:
    """Names the types of today: hex digits."""
    return hash_json(_form(RunState, {}))
