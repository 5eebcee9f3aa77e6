"""From JSON to nodes: a document is held against the classes of its nodes, and every fault is told.

It is strict: a whole number is no truth value and no float, and a member that nobody declared is a fault.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from akm_specs.canonical import Json
from akmc.node import Matching, Node, Sized, Within, members_of

N = TypeVar("N", bound=Node)

#: Way from a document's root to one of its parts: `("steps", 0, "attempts")`.
Place: TypeAlias = tuple[str | int, ...]
FaultKind: TypeAlias = Literal["missing", "unknown", "small", "large", "short", "long", "word", "form"]

_SORTS = {str: "a text", int: "a whole number", bool: "true or false", NoneType: "null"}


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with the part at `place`; for what is missing, with the part that would hold it.

    `limit` is the bound that is crossed. `wanted` says what should stand there: a list of words, or one sort.
    """

    kind: FaultKind
    place: Place
    found: Json = None
    limit: int = 0
    wanted: tuple[str, ...] = ()


#: Makes a value of the JSON at a place, and adds its faults to a list. With a fault, the value means nothing.
Reader: TypeAlias = Callable[[Any, Place, list[Fault]], Any]


def read(node: type[N], document: Json) -> tuple[N, list[Fault]]:
    """The document as a node of that kind, and every fault; the node means nothing if there is one."""
    faults: list[Fault] = []
    found: N = _reader(node)(document, (), faults)
    return found, faults


_readers: dict[Any, Reader] = {}


def _reader(type_: Any) -> Reader:
    """The reader of a type as the annotations of a node write it."""
    if type_ not in _readers:
        _readers[type_] = _made_for(type_)
    return _readers[type_]


def _made_for(type_: Any) -> Reader:
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ == Json:
        return lambda value, _place, _faults: value
    if origin is Annotated:
        return _limited(_reader(arguments[0]), arguments[1:])
    if origin is Literal:
        return _word(arguments)
    if origin in (Union, UnionType):
        return _one_of(arguments)
    if origin is tuple:
        return _list(_reader(arguments[0]))
    if origin is dict:
        return _by_name(_reader(arguments[1]))
    return _node(type_) if issubclass(type_, Node) else _plain(type_)


def _plain(type_: type) -> Reader:
    def read_plain(value: Json, place: Place, faults: list[Fault]) -> Json:
        if type(value) is not type_:
            faults.append(Fault("form", place, value, wanted=(_SORTS[type_],)))
        return value

    return read_plain


def _word(words: tuple[str, ...]) -> Reader:
    def read_word(value: Json, place: Place, faults: list[Fault]) -> Json:
        if value not in words:
            faults.append(Fault("word", place, value, wanted=words))
        return value

    return read_word


def _limited(inner: Reader, limits: tuple[object, ...]) -> Reader:
    def read_limited(value: Any, place: Place, faults: list[Fault]) -> Any:
        for limit in limits:  # looked at first, so that what is too long is looked at no further
            fault = _crossed(limit, value, place)
            if fault is not None:
                faults.append(fault)
                return value
        return inner(value, place, faults)

    return read_limited


def _crossed(limit: object, value: Any, place: Place) -> Fault | None:
    """How `value` crosses `limit`. What is of another sort crosses none."""
    match limit:
        case Within(least, most) if type(value) is int:
            if value < least:
                return Fault("small", place, value, least)
            if most is not None and value > most:
                return Fault("large", place, value, most)
        case Sized(least, most) if isinstance(value, str | list):
            if len(value) < least:
                return Fault("short", place, value, least)
            if most is not None and len(value) > most:
                return Fault("long", place, value, most)
        case Matching(pattern) if isinstance(value, str) and not re.fullmatch(pattern, value):
            return Fault("form", place, value, wanted=(f"a text that matches {pattern}",))
    return None


def _list(inner: Reader) -> Reader:
    def read_list(value: Json, place: Place, faults: list[Fault]) -> tuple[Any, ...]:
        if not isinstance(value, list):
            faults.append(Fault("form", place, value, wanted=("a list",)))
            return ()
        return tuple([inner(each, (*place, at), faults) for at, each in enumerate(value)])

    return read_list


def _by_name(inner: Reader) -> Reader:
    def read_by_name(value: Json, place: Place, faults: list[Fault]) -> dict[str, Any]:
        if not isinstance(value, dict):
            faults.append(Fault("form", place, value, wanted=("an object",)))
            return {}
        return {name: inner(each, (*place, name), faults) for name, each in value.items()}

    return read_by_name


def _one_of(alternatives: tuple[Any, ...]) -> Reader:
    """What is an object is one of the nodes among the alternatives; anything else is told by its sort alone."""
    others = [each for each in alternatives if each is not NoneType]
    nodes = [each for each in others if isinstance(each, type) and issubclass(each, Node)]
    if nodes == others:
        inner = _reader(nodes[0]) if len(nodes) == 1 else _some_node(tuple(nodes))
    else:
        inner = _reader(others[0]) if len(others) == 1 else _some_plain(tuple(others))
    if len(others) == len(alternatives):
        return inner
    return lambda value, place, faults: None if value is None else inner(value, place, faults)


def _some_plain(types: tuple[type, ...]) -> Reader:
    def read_plain(value: Json, place: Place, faults: list[Fault]) -> Json:
        if type(value) not in types:
            faults.append(Fault("form", place, value, wanted=tuple(_SORTS[each] for each in types)))
        return value

    return read_plain


def _some_node(nodes: tuple[type[Node], ...]) -> Reader:
    """By the word of its `kind`, where the nodes have one; else the first that has all members it needs."""
    kinds = kinds_of(nodes)

    def read_kind(value: Json, place: Place, faults: list[Fault]) -> Any:
        kind = value.get("kind") if isinstance(value, dict) else None
        if isinstance(kind, str) and kind in kinds:
            return _reader(kinds[kind])(value, place, faults)
        if isinstance(value, dict) and "kind" not in value:
            faults.append(Fault("missing", (*place, "kind")))
        else:
            faults.append(Fault("word", (*place, "kind"), kind, wanted=tuple(kinds)))
        return None

    def read_first(value: Json, place: Place, faults: list[Fault]) -> Any:
        given = value.keys() if isinstance(value, dict) else set()
        return _reader(next((node for node in nodes if _needed(node) <= given), nodes[0]))(value, place, faults)

    return read_kind if kinds else read_first


def kinds_of(alternatives: Sequence[Any]) -> Mapping[str, type[Node]]:
    """The node of each `kind`; empty where the alternatives are no nodes that have one."""
    nodes = [each for each in alternatives if isinstance(each, type) and issubclass(each, Node)]
    if len(nodes) < len(alternatives) or not all("kind" in members_of(node) for node in nodes):
        return {}
    return {get_args(members_of(node)["kind"].type)[0]: node for node in nodes}


def _needed(node: type[Node]) -> frozenset[str]:
    return frozenset(name for name, member in members_of(node).items() if member.required)


def _node(node: type[Node]) -> Reader:
    readers: dict[str, Reader] = {}

    def read_node(value: Json, place: Place, faults: list[Fault]) -> Node | None:
        if not isinstance(value, dict):
            faults.append(Fault("form", place, value, wanted=("an object",)))
            return None
        if not readers:  # not before, since a node may hold nodes of its own kind
            readers.update({name: _reader(member.type) for name, member in members_of(node).items()})
        found = {}
        for name, each in value.items():
            if name in readers:
                found[name] = readers[name](each, (*place, name), faults)
            else:
                faults.append(Fault("unknown", (*place, name), each))
        faults.extend(Fault("missing", (*place, name)) for name in sorted(_needed(node) - value.keys()))
        made = object.__new__(node)
        made.__dict__.update(found)
        return made

    return read_node
