"""Canonical JSON (RFC 8785) and the SHA-256 that everything frozen is named by.

A *sealed* document is a JSON object whose `hash` member is the digest of the object without that
member. Plans and lifecycle tables are sealed, so that a file proves itself wherever it is found.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, TypeAlias

#: A JSON value. Typed one level deep: what lies below is looked at where it is used.
Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None
JsonObject: TypeAlias = dict[str, Any]

#: Nesting that any JSON document of ours may have, in containers. Deeper input is refused by name
#: rather than left to the interpreter's recursion limit.
JSON_DEPTH_MAX = 64


#: Nesting that a document of ours may have, in containers: room for a type or a value of the depth above, each
#: level of which a plan writes as two, and for what an event wraps around it.
CANONICAL_DEPTH_MAX = 256

#: The largest integer that every reader of JSON takes for itself: 2**53 - 1.
_INTEGER_MAX = 2**53 - 1
_CONTAINERS = (dict, list, tuple)
#: Characters that RFC 8785 sorts before some others with a smaller number.
_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_PLAIN_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False, check_circular=False
)


class NotCanonical(ValueError):
    """The value has no canonical form: a non-finite number, an integer beyond 2**53, a lone surrogate, no JSON,
    or nested too deep.
    """


class NotStrictJson(ValueError):
    """The text is not strict JSON (RFC 8259), repeats a key, or nests deeper than allowed."""


class SealBroken(ValueError):
    """A sealed document's content does not have the hash that it states."""

    def __init__(self, stated: str, found: str) -> None:
        super().__init__(f"the document states hash {stated}, but its content has {found}")
        self.stated = stated
        self.found = found


def canonical(value: object) -> bytes:
    """The RFC 8785 bytes of `value`, which is JSON. Raises NotCanonical.

    Of most values the standard library writes the same bytes, many times faster than the library that knows
    RFC 8785 to the letter. A property test holds that the two never differ where the first is asked.
    """
    try:
        if _is_plain((value,), CANONICAL_DEPTH_MAX):
            return _PLAIN_ENCODER.encode(value).encode()
        return _canonical_to_the_letter(value)
    except UnicodeEncodeError as error:
        raise NotCanonical("a text has a lone surrogate, which stands for no character") from error


def _is_plain(container: Any, levels: int) -> bool:
    """Whether the standard library writes `container` as RFC 8785 wants it, without a look at its texts.

    It spells floats otherwise, sorts keys beyond U+FFFF otherwise, and lets pass what has no canonical form.
    Recursion is bounded by `levels`.
    """
    members: Iterable[Any] = container
    if type(container) is dict:
        if not _sorts_plainly(container):
            return False
        members = container.values()
    for member in members:
        kind = type(member)
        if kind is str or member is None or kind is bool:
            continue
        if kind is dict or kind is list:
            if levels == 0 or not _is_plain(member, levels - 1):
                return False
        elif kind is not int or not -_INTEGER_MAX <= member <= _INTEGER_MAX:
            return False
    return True


def _sorts_plainly(keys: Iterable[str]) -> bool:
    """Whether `keys` are texts that RFC 8785 sorts as Python does."""
    try:
        joined = "".join(keys)
    except TypeError:
        return False
    return joined.isascii() or _ASTRAL.search(joined) is None


def _canonical_to_the_letter(value: object) -> bytes:
    import rfc8785  # here, because hardly any document needs it

    if not within_depth(value, CANONICAL_DEPTH_MAX):
        raise NotCanonical(f"nested deeper than {CANONICAL_DEPTH_MAX} levels")
    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]  # it refuses what is not JSON
    except rfc8785.CanonicalizationError as error:
        raise NotCanonical(str(error)) from error


def hash_bytes(data: bytes) -> str:
    """SHA-256 of `data`, 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def hash_json(value: object) -> str:
    """SHA-256 of the canonical form of `value`, 64 lower-case hex digits. Raises NotCanonical."""
    return hash_bytes(canonical(value))


def parse_json(text: str | bytes, levels: int = JSON_DEPTH_MAX) -> Json:
    """Strict JSON: UTF-8, no NaN, no Infinity, no repeated key, at most `levels` deep. Raises NotStrictJson."""
    try:
        decoded = text if isinstance(text, str) else text.decode()
        value: Json = _DECODER.decode(decoded)
    except NotStrictJson:
        raise
    except json.JSONDecodeError as error:
        raise NotStrictJson(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # bytes that are no UTF-8, a number of thousands of digits
        raise NotStrictJson(str(error)) from error
    if decoded.count("[") + decoded.count("{") > levels and not within_depth(value, levels):
        raise NotStrictJson(f"nested deeper than {levels} levels")
    return value


def within_depth(value: object, levels: int) -> bool:
    """Whether `value` nests at most `levels` containers, found without recursion."""
    layer: Iterable[object] = (value,)
    for _ in range(levels + 1):
        containers = [item for item in layer if isinstance(item, _CONTAINERS)]
        if not containers:
            return True
        layer = chain.from_iterable(item.values() if isinstance(item, dict) else item for item in containers)
    return False


def seal(body: Mapping[str, object]) -> tuple[bytes, str]:
    """The canonical bytes of `body` with its own hash in it, and that hash. Raises NotCanonical."""
    members = {key: canonical(value) for key, value in body.items()}
    found = hash_bytes(_object(members))
    return _object({**members, "hash": canonical(found)}), found


def _object(members: Mapping[str, bytes]) -> bytes:
    """The canonical object with these members, whose values are canonical already."""
    in_order = sorted(members, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return b"{" + b",".join(canonical(name) + b":" + members[name] for name in in_order) + b"}"


def unseal(data: bytes) -> tuple[JsonObject, str]:
    """The body of a sealed document, and its hash.

    Raises NotStrictJson when `data` is no sealed document at all, SealBroken when the content has another hash.
    """
    document = parse_json(data, CANONICAL_DEPTH_MAX)
    if not isinstance(document, dict) or not isinstance(stated := document.pop("hash", None), str):
        raise NotStrictJson("a sealed document is a JSON object that states its hash")
    try:
        found = hash_json(document)
    except NotCanonical as error:
        raise NotStrictJson(f"a sealed document is canonical, but {error}") from error
    if stated != found:
        raise SealBroken(stated, found)
    return document, found


def _refuse_constant(name: str) -> Any:
    raise NotStrictJson(f"{name} is not JSON")


def _integer(digits: str) -> int | float:
    """An integer; beyond 2**53 the float of which it is the canonical form, if it is one."""
    value = int(digits)
    if -_INTEGER_MAX <= value <= _INTEGER_MAX:
        return value
    try:
        return float(value) if canonical(float(value)) == digits.encode() else value
    except OverflowError:
        return value


def _unique_object(pairs: list[tuple[str, Json]]) -> JsonObject:
    found: JsonObject = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise NotStrictJson(f"the key {repeated!r} stands twice in one object")
    return found


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_refuse_constant, object_pairs_hook=_unique_object)
