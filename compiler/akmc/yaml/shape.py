"""Checking a YAML document against a format's own keys: every fault becomes a diagnostic with its place.

A format states its keys as nodes. What is wrong with them has the same codes as what is wrong with a document of
ours.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from akm_specs.canonical import Json
from akm_specs.node import Node as Keys
from akm_specs.reader import Fault, Place, read
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.shape import CODES
from akmc.source import Source, Span
from akmc.wording import instead_of
from akmc.yaml.findings import UNKNOWN_KEY
from akmc.yaml.nodes import Mapping, Node, Scalar, Sequence, number

K = TypeVar("K", bound=Keys)

_NOTHING = "AKM1005"


@dataclass(frozen=True, slots=True)
class Places:
    """Where each part of a YAML document was written, by its way from the root."""

    source: Source
    root: Node

    def value(self, place: Place) -> Span:
        """Where the value at `place` stands or, where there is none, what would hold it."""
        found = self.root.span
        for key, node in self._way(place):
            found = key.span if isinstance(node, Scalar) and not node.text and key else node.span
        return found

    def key(self, place: Place) -> Span:
        """Where the key stands that leads to `place`; its value where it is an item of a list."""
        way = list(self._way(place))
        return way[-1][0].span if len(way) == len(place) and way[-1][0] else self.value(place)

    def _way(self, place: Place) -> "Iterator[tuple[Scalar | None, Node]]":
        node = self.root
        for part in place:
            if isinstance(node, Mapping) and part in node.by_key:
                entry = node.by_key[str(part)]
                node = entry.value
                yield entry.key, node
            elif isinstance(node, Sequence) and isinstance(part, int) and part < len(node.items):
                node = node.items[part]
                yield None, node


def plain(node: Node, numbers: "re.Pattern[str] | None" = None) -> Json:
    """`node` as JSON. A plain scalar behind a key that `numbers` matches is read as YAML 1.2 writes numbers."""
    match node:
        case Scalar():
            return node.value
        case Sequence():
            return [plain(item, numbers) for item in node.items]
        case Mapping():
            return {
                entry.key.text: (
                    core_number(entry.value)
                    if numbers is not None and numbers.fullmatch(entry.key.text)
                    else plain(entry.value, numbers)
                )
                for entry in node.entries
            }


def core_number(node: Node) -> Json:
    """The number of a plain scalar in YAML 1.2's own spellings (its core schema); any other node as JSON."""
    if not (isinstance(node, Scalar) and node.plain):
        return plain(node)
    for start, base in (("0o", 8), ("0x", 16)):
        if re.fullmatch(start + "[0-9a-fA-F]{1,16}", node.text):
            try:
                return int(node.text[2:], base)
            except ValueError:
                return node.text
    if re.fullmatch(r"[+-]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][+-]?[0-9]+)?", node.text):
        return number(node.text)
    return node.value


def shaped(places: Places, document: Json, keys: type[K], free: frozenset[str] = frozenset()) -> K:
    """`document`, written at `places`, as a node of kind `keys`. Raises CompileFailed with every fault of its keys.

    A key without a value is a fault, but for what stands inside of a value whose key is one of `free`.
    """
    empty = [_without_value(places, document, place) for place in _empty(document, (), free)]
    found, faults = read(keys, document)
    if faults or empty:
        told = {fault.place for fault in faults}
        raise CompileFailed(
            [
                *(_diagnostic(places, fault, document) for fault in faults),
                *(each for place, each in empty if place not in told),
            ]
        )
    return found


def subject(document: Any, place: Place) -> str:
    """What the place belongs to, such as "step `draft`: "."""
    match place:
        case ("steps", int(at), *_) if isinstance(document.get("steps"), list):
            step = document["steps"][at]
            name = step.get("id") if isinstance(step, dict) else None
            return f"step `{name}`: " if isinstance(name, str) else f"step {at + 1}: "
        case _:
            return ""


def _empty(value: Json, place: Place, free: frozenset[str]) -> Iterator[Place]:
    """The places at which nothing is written."""
    if value is None and place:
        yield place
    if isinstance(value, dict):
        for key, inner in value.items():
            if key not in free or inner is None:
                yield from _empty(inner, (*place, key), free)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from _empty(inner, (*place, at), free)


def _without_value(places: Places, document: Json, place: Place) -> tuple[Place, Diagnostic]:
    message = f"{subject(document, place)}`{_named(place)}` has no value"
    advice = "write one, or remove the key"
    return place, Diagnostic(_NOTHING, "error", message, advice, places.source, places.value(place))


def _diagnostic(places: Places, fault: Fault, document: Json) -> Diagnostic:
    message, advice = _wording(fault)
    unknown = fault.kind == "unknown"
    span = places.key(fault.place) if unknown else places.value(fault.place)
    code = UNKNOWN_KEY if unknown else CODES[fault.kind]
    return Diagnostic(code, "error", subject(document, fault.place) + message, advice, places.source, span)


def _named(place: Place) -> str:
    return next((part for part in reversed(place) if isinstance(part, str)), "document")


def _wording(fault: Fault) -> tuple[str, str]:
    """Message and help for one fault."""
    named = _named(fault.place)
    match fault.kind:
        case "unknown":
            return f"no key is called `{named}`", instead_of(named, fault.wanted, "keys")
        case "missing":
            return f"`{named}` is missing", f"add the key `{named}`"
        case "small" | "large":
            bound = "at least" if fault.kind == "small" else "at most"
            return f"`{named}` must be {bound} {fault.limit}", f"write a number that is {bound} {fault.limit}"
        case "long":
            unit = "characters" if isinstance(fault.found, str) else "entries"
            return f"`{named}` has more than {fault.limit} {unit}", "shorten it"
        case "short":
            return f"`{named}` is empty", f"give it at least {fault.limit}"
        case "word":
            return f"`{fault.found}` is no word for `{named}`", instead_of(str(fault.found), fault.wanted, "words")
        case "form":
            wanted = " or ".join(fault.wanted).replace("an object", "a mapping")
            quoted = "; quote it if it is meant as a text" if "a text" in fault.wanted else ""
            return f"`{named}` must be {wanted}", f"write {wanted}{quoted}"
