"""From JSON to nodes and typed dictionaries: it is held against what they declare, and every fault is told.

It is strict: a whole number is no truth value and no float, and a member that nobody declared is a fault.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, Union, get_args, get_origin

from akm_specs.canonical import Json, JsonObject
from akm_specs.node import Distinct, Matching, Node, Sized, Within, is_object, members_of

T = TypeVar("T")

#: Way from a document's root to one of its parts: `("steps", 0, "attempts")`.
Place: TypeAlias = tuple[str | int, ...]
FaultKind: TypeAlias = Literal["missing", "unknown", "small", "large", "short", "long", "word", "form"]

_SORTS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", NoneType: "null"}


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

    def __str__(self) -> str:
        """For whoever knows the form, such as `steps.0.timeout_ms: missing`."""
        wanted = f", not {' or '.join(map(str, self.wanted))}" if self.wanted else ""
        return f"{'.'.join(map(str, self.place)) or 'the whole'}: {self.kind}{wanted}"


#: Makes a value of the JSON at a place, and adds its faults to a list. With a fault, the value means nothing.
Reader: TypeAlias = Callable[[Any, Place, list[Fault]], Any]


def read(type_: type[T], document: Json) -> tuple[T, list[Fault]]:
    """The document as a value of that type, and every fault; the value means nothing if there is one."""
    faults: list[Fault] = []
    found: T = _reader(type_)(document, (), faults)
    return found, faults


_readers: dict[Any, Reader] = {}


def _reader(type_: Any) -> Reader:
    """The reader of a type as the annotations of a node write it."""
    if type_ not in _readers:
        _readers[type_] = _made_for(type_)
    return _readers[type_]


def _made_for(type_: Any) -> Reader:
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ in (Any, Json):
        return lambda value, _place, _faults: value
    if origin is Annotated:
        return _limited(_reader(arguments[0]), arguments[1:])
    if origin is Literal:
        return _word(arguments)
    if origin in (Union, UnionType):
        return _one_of(arguments)
    if origin in (tuple, list):
        return _list(origin, _reader(arguments[0]))
    if origin is dict:
        return _by_name(_reader(arguments[0]), _reader(arguments[1]))
    return _object(type_) if is_object(type_) else _plain(type_)


def _plain(type_: type) -> Reader:
    def read_plain(value: Json, place: Place, faults: list[Fault]) -> Json:
        if type(value) is not type_:
            faults.append(Fault("form", place, value, wanted=(_SORTS[type_],)))
        return value

    return read_plain


def _word(words: tuple[str | bool, ...]) -> Reader:
    sort = type(words[0])

    def read_word(value: Json, place: Place, faults: list[Fault]) -> Json:
        if type(value) is not sort or value not in words:
            faults.append(Fault("word", place, value, wanted=tuple(map(str, words))))
        return value

    return read_word


def _limited(inner: Reader, limits: tuple[object, ...]) -> Reader:
    crossings = [_crossing(limit) for limit in limits]

    def read_limited(value: Any, place: Place, faults: list[Fault]) -> Any:
        for crossed in crossings:  # looked at first, so that what is too long is looked at no further
            fault = crossed(value, place)
            if fault is not None:
                faults.append(fault)
                return value
        return inner(value, place, faults)

    return read_limited


def _crossing(limit: object) -> Callable[[Any, Place], Fault | None]:
    """What tells how a value crosses `limit`. A value of another sort crosses none."""
    match limit:
        case Within(least, most):
            return lambda value, place: _beyond(value, place, least, most) if type(value) is int else None
        case Sized(least, most):
            return lambda value, place: (
                _oversized(value, place, least, most) if isinstance(value, str | list | dict) else None
            )
        case Matching(pattern, meant):
            fits = re.compile(pattern).fullmatch
            wanted = (meant or f"a text that matches {pattern}",)
            return lambda value, place: (
                Fault("form", place, value, wanted=wanted) if isinstance(value, str) and not fits(value) else None
            )
        case Distinct():
            return lambda value, place: _repeated(value, place) if isinstance(value, list) else None
        case _:
            raise AssertionError(f"no member has a limit such as {limit}")


def _beyond(value: int, place: Place, least: int, most: int | None) -> Fault | None:
    if value < least:
        return Fault("small", place, value, least)
    return Fault("large", place, value, most) if most is not None and value > most else None


def _oversized(value: str | list[Any] | JsonObject, place: Place, least: int, most: int | None) -> Fault | None:
    if len(value) < least:
        return Fault("short", place, value, least)
    return Fault("long", place, value, most) if most is not None and len(value) > most else None


def _repeated(value: list[Any], place: Place) -> Fault | None:
    twice = any(each in value[:at] for at, each in enumerate(value))
    return Fault("form", place, value, wanted=("a list without the same entry twice",)) if twice else None


def _list(kind: type[Any], inner: Reader) -> Reader:
    def read_list(value: Json, place: Place, faults: list[Fault]) -> Any:
        if not isinstance(value, list):
            faults.append(Fault("form", place, value, wanted=("a list",)))
            return kind()
        return kind([inner(each, (*place, at), faults) for at, each in enumerate(value)])

    return read_list


def _by_name(key: Reader, inner: Reader) -> Reader:
    def read_by_name(value: Json, place: Place, faults: list[Fault]) -> dict[str, Any]:
        if not isinstance(value, dict):
            faults.append(Fault("form", place, value, wanted=("an object",)))
            return {}
        for name in value:
            key(name, (*place, name), faults)
        return {name: inner(each, (*place, name), faults) for name, each in value.items()}

    return read_by_name


def _one_of(alternatives: tuple[Any, ...]) -> Reader:
    """What is an object is one of those among the alternatives; anything else is told by its sort alone."""
    others = [each for each in alternatives if each is not NoneType]
    if len(others) == 1:
        inner = _reader(others[0])
    elif all(map(is_object, others)):
        inner = _some_object(others)
    else:
        inner = _some_plain(tuple(others))
    if len(others) == len(alternatives):
        return inner
    return lambda value, place, faults: None if value is None else inner(value, place, faults)


def _some_plain(types: tuple[type, ...]) -> Reader:
    def read_plain(value: Json, place: Place, faults: list[Fault]) -> Json:
        if type(value) not in types:
            faults.append(Fault("form", place, value, wanted=tuple(_SORTS[each] for each in types)))
        return value

    return read_plain


def _some_object(types: Sequence[type[Any]]) -> Reader:
    """The one whose words `value` has, where they have a `kind`; else the first that has all members it needs."""
    kinds = kinds_of(types)
    words = {each: dict(_words(each)) for each in types}

    def read_kind(value: Json, place: Place, faults: list[Fault]) -> Any:
        given: JsonObject = value if isinstance(value, dict) else {"kind": value}
        kind = given.get("kind")
        if isinstance(kind, str) and kind in kinds and isinstance(value, dict):
            fitting = (each for each in kinds[kind] if words[each].items() <= given.items())
            return _reader(next(fitting, kinds[kind][0]))(value, place, faults)
        if "kind" in given:
            faults.append(Fault("word", (*place, "kind"), kind, wanted=tuple(kinds)))
        else:
            faults.append(Fault("missing", (*place, "kind")))
        return None

    def read_first(value: Json, place: Place, faults: list[Fault]) -> Any:
        given = value.keys() if isinstance(value, dict) else set()
        return _reader(next((each for each in types if _needed(each) <= given), types[0]))(value, place, faults)

    return read_kind if kinds else read_first


def kinds_of(types: Sequence[type[Any]]) -> Mapping[str, Sequence[type[Any]]]:
    """The objects of each `kind`; empty where some have no member of that name."""
    found: dict[str, list[type[Any]]] = {}
    for each in types:
        kind = dict(_words(each)).get("kind")
        if not isinstance(kind, str):
            return {}
        found.setdefault(kind, []).append(each)
    return found


def _words(type_: type[Any]) -> Iterator[tuple[str, Json]]:
    """The members that can only be one word, and that word."""
    for name, member in members_of(type_).items():
        if get_origin(member.type) is Literal and len(get_args(member.type)) == 1:
            yield name, get_args(member.type)[0]


def _key(member: str) -> str:
    return member.removesuffix("_")


def _needed(type_: type[Any]) -> frozenset[str]:
    return frozenset(name for name, member in members_of(type_).items() if member.required)


def _object(type_: type[Any]) -> Reader:
    readers: dict[str, Reader] = {}
    needed = _needed(type_)

    def read_object(value: Json, place: Place, faults: list[Fault]) -> Any:
        if not isinstance(value, dict):
            faults.append(Fault("form", place, value, wanted=("an object",)))
            return None
        if not readers:  # not before, since an object may hold others of its own kind
            readers.update({name: _reader(member.type) for name, member in members_of(type_).items()})
        found = {}
        for key, each in value.items():
            name = key if key in readers else f"{key}_"
            if name in readers:
                found[name] = readers[name](each, (*place, key), faults)
            else:
                faults.append(Fault("unknown", (*place, key), each, wanted=tuple(map(_key, readers))))
        faults.extend(Fault("missing", (*place, name)) for name in sorted(needed - value.keys()))
        if not issubclass(type_, Node):
            return found
        made = object.__new__(type_)
        made.__dict__.update(found)
        return made

    return read_object
