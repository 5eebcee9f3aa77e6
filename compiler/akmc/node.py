"""Nodes: what a document consists of. The class of a node says which members it has, and what each may be.

Its annotations are read when a document is held against it (`node_reader`) and when its JSON Schema is made
(`node_schema`). Nothing is generated when it is declared: the document has many kinds of nodes, and most sources
use few of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, dataclass_transform, get_type_hints


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
    """The regular expression that a text matches, from its start to its end."""

    pattern: str


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
    """A value whose members are those that its class declares. One that is not given has the value of the class."""

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


_members: dict[type[Node], Mapping[str, Member]] = {}


def members_of(node: type[Node]) -> Mapping[str, Member]:
    """The members of a kind of node by name, in the order in which they are declared."""
    if node not in _members:
        hints = get_type_hints(node, include_extras=True)
        _members[node] = {
            name: Member(hint, not hasattr(node, name), getattr(node, name, None)) for name, hint in hints.items()
        }
    return _members[node]
