"""Nodes and typed dictionaries: what JSON of ours consists of. Their annotations say what each member may be.

These are read when JSON is held against them (`reader`) and when its JSON Schema is made (`akmc.type_schema`).
Nothing is generated when a node is declared: a document has many kinds of nodes, and most sources use few of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import (
    Any,
    NoReturn,
    NotRequired,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)


@dataclass(frozen=True, slots=True)
class Within:
    """The least and the most that a number may be, both included."""

    least: int
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Sized:
    """The least and the most that a text has of characters, or a list of entries."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Matching:
    """The regular expression that a text matches, from its start to its end; `wanted` says so in words."""

    pattern: str
    wanted: str = ""


@dataclass(frozen=True, slots=True)
class Distinct:
    """No entry of a list stands there twice."""


@dataclass(frozen=True, slots=True)
class Member:
    """What a member may be: a type, with what else is said of it as annotations.

    `default` is its value where it is absent, which it must not be if it is required.
    """

    type: Any
    required: bool
    default: Any


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Node:
    """A value whose members are those that its class declares. One that is not given has the value of the class.

    A member that would be a word of Python ends in an underscore here, and without it in a document.
    """

    def __init__(self, **members: object) -> None:
        known = members_of(type(self))
        assert members.keys() <= known.keys(), f"{type(self).__name__} has no {members.keys() - known.keys()}"
        needed = {name for name, member in known.items() if member.required}
        assert needed <= members.keys(), f"{type(self).__name__} needs {needed - members.keys()}"
        self.__dict__.update(members)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} does not change")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in members_of(type(self)))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.__dict__.items())})"


_members: dict[type[Any], Mapping[str, Member]] = {}


def members_of(type_: type[Any]) -> Mapping[str, Member]:
    """The members of a kind of node, or of a typed dictionary, by name, in the order in which they are declared."""
    if type_ not in _members:
        hints = get_type_hints(type_, include_extras=True)
        make = _dictionary_member if is_typeddict(type_) else _node_member
        _members[type_] = {name: make(type_, name, hint) for name, hint in hints.items()}
    return _members[type_]


def is_object(type_: object) -> bool:
    """Whether `type_` is a kind of node, or a typed dictionary."""
    return isinstance(type_, type) and (issubclass(type_, Node) or is_typeddict(type_))


def _node_member(node: type[Any], name: str, hint: Any) -> Member:
    return Member(hint, not hasattr(node, name), getattr(node, name, None))


def _dictionary_member(_dictionary: type[Any], _name: str, hint: Any) -> Member:
    if get_origin(hint) is NotRequired:
        return Member(get_args(hint)[0], required=False, default=None)
    return Member(hint, required=True, default=None)
