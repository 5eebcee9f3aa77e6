"""Canonical JSON (RFC 8785) and the SHA-256 that everything frozen is named by.

A *sealed* document is a JSON object whose `hash` member is the digest of the object without that
member. Plans and lifecycle tables are sealed, so that a file proves itself wherever it is found.
"""

import hashlib
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

#: A JSON value. Typed one level deep: what lies below is looked at where it is used.
Json: TypeAlias = bool | int | float | str | list[Any] | dict[str, Any] | None
JsonObject: TypeAlias = dict[str, Any]

#: Nesting that any JSON document of ours may have, in containers. Deeper input is refused by name
#: rather than left to the interpreter's recursion limit.
JSON_DEPTH_MAX = 64


class NotCanonical(ValueError):
    """The value has no canonical form: a non-finite number, an integer beyond 2**53, a lone surrogate."""


class NotStrictJson(ValueError):
    """The text is not strict JSON (RFC 8259), repeats a key, or nests deeper than allowed."""


class SealBroken(ValueError):
    """A sealed document's content does not have the hash that it states."""

    def __init__(self, stated: str, found: str) -> None:
        super().__init__(f"the document states hash {stated}, but its content has {found}")
        self.stated = stated
        self.found = found


def canonical(value: object) -> bytes:
    """The RFC 8785 bytes of `value`, which is JSON. Raises NotCanonical."""
    import rfc8785  # here, because commands that only read need no canonical form

    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]  # it refuses what is not JSON
    except (rfc8785.CanonicalizationError, UnicodeEncodeError, RecursionError) as error:
        raise NotCanonical(str(error)) from error


def hash_bytes(data: bytes) -> str:
    """SHA-256 of `data`, 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()


def hash_json(value: object) -> str:
    """SHA-256 of the canonical form of `value`, 64 lower-case hex digits. Raises NotCanonical."""
    return hash_bytes(canonical(value))


def parse_json(text: str | bytes) -> Json:
    """Strict JSON: no NaN, no Infinity, no repeated key, bounded depth. Raises NotStrictJson."""
    try:
        value: Json = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_unique_object)
    except NotStrictJson:
        raise
    except json.JSONDecodeError as error:
        raise NotStrictJson(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except (ValueError, RecursionError) as error:  # bytes that are no UTF-8, a number of thousands of digits
        raise NotStrictJson(str(error)) from error
    if not within_depth(value, JSON_DEPTH_MAX):
        raise NotStrictJson(f"nested deeper than {JSON_DEPTH_MAX} levels")
    return value


def within_depth(value: Json, levels: int) -> bool:
    """Whether `value` nests at most `levels` containers, found without recursion."""
    layer: list[Json] = [value]
    for _ in range(levels + 1):
        containers = [item for item in layer if isinstance(item, dict | list)]
        if not containers:
            return True
        layer = [child for item in containers for child in (item.values() if isinstance(item, dict) else item)]
    return False


def seal(body: Mapping[str, object]) -> bytes:
    """The canonical bytes of `body` with its own hash in it."""
    return canonical({**body, "hash": hash_json(body)})


def unseal(data: bytes) -> tuple[JsonObject, str]:
    """The body of a sealed document, and its hash.

    Raises NotStrictJson when `data` is no sealed document at all, SealBroken when the content has another hash.
    """
    document = parse_json(data)
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


def _unique_object(pairs: list[tuple[str, Json]]) -> JsonObject:
    found: JsonObject = dict(pairs)
    if len(found) != len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        raise NotStrictJson(f"the key {repeated!r} stands twice in one object")
    return found
