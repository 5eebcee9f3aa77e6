"""The declared result parser: how a producer's text becomes an outcome, or does not.

The rule is that of docs/reference/results.md, and its numbers are cited below. Nothing here guesses: a
reply passes only when it ends with one complete JSON object whose `outcome` is a declared word. All
work is bounded by the constants below, whatever the text is.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from akm.reply.deep_json import OPEN_STRING, SCALAR, NotDeepJson, parse_deep_json
from akm_specs.canonical import Json, JsonObject

ResultClass: TypeAlias = Literal["outcome", "outcome_unknown"]

#: How many `{`, nearest to the end first, may open the object (rule 3).
OPENERS_TRIED_MAX = 32
#: Bytes of UTF-8 that one object may have, and that all slices parsed may have together (rule 3).
SLICE_BYTES_MAX = 256 * 1024
PARSED_BYTES_MAX = 1024 * 1024
#: How many `{` or `[` before the object are looked at as openers of a larger value that was cut (rule 5).
OUTER_OPENERS_MAX = 16

#: What ECMAScript's `trim` removes: its WhiteSpace and LineTerminator. Python's `strip()` removes others.
ECMASCRIPT_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)

_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t\r]*")
# Prose, read naively: a whole string, or an unfinished one, or a run of one bracket.
_NAIVE = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<closed>"?)|\{++|\}++|\[++|\]++', re.DOTALL)
# JSON, read token by token: what lies flat between two brackets.
_FLAT = re.compile(rf"(?:[ \t\n\r,:]++|{SCALAR})*+")
_UNFINISHED = re.compile(rf"{OPEN_STRING}\Z")
_CLOSER = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply declares.

    Invariant: `value` is there exactly when the reply declared `outcome` itself; `code` exactly when it
    did not, and says why in one word. `outcome` is then `failed`, or None when `failed` is not declared.
    """

    outcome: str | None
    result_class: ResultClass
    code: str | None = None
    value: JsonObject | None = None

    def __post_init__(self) -> None:
        assert (self.value is None) != (self.code is None), self.code


class _Unusable(Exception):
    """The reply declares nothing, for the reason that `code` names."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def parse_reply(text: str, declared: frozenset[str]) -> Reply:
    """What `text` declares, given the outcomes that the step declares. Never raises.

    Codes: empty_reply, no_object, prose_after_object, malformed_object, object_too_large, truncated_reply,
    outcome_missing, outcome_not_text, undeclared_outcome.
    """
    try:
        value = _last_object(_without_fence(text.strip(ECMASCRIPT_BLANKS)))
        return Reply(_declared_outcome(value, declared), "outcome", value=value)
    except _Unusable as unusable:
        known = "failed" in declared and unusable.code != "undeclared_outcome"
        return Reply(
            "failed" if "failed" in declared else None,
            "outcome" if known else "outcome_unknown",
            code=unusable.code,
        )


def parse_verdict(text: str) -> JsonObject | str:
    """The object that ends a judge's reply, by the same rules but the last: or the code that says why none does."""
    try:
        return _last_object(_without_fence(text.strip(ECMASCRIPT_BLANKS)))
    except _Unusable as unusable:
        return unusable.code


def _declared_outcome(value: JsonObject, declared: frozenset[str]) -> str:
    """Rule 6."""
    if "outcome" not in value:
        raise _Unusable("outcome_missing")
    outcome = value["outcome"]
    if not isinstance(outcome, str):
        raise _Unusable("outcome_not_text")
    if outcome not in declared:
        raise _Unusable("undeclared_outcome")
    return outcome


def _without_fence(trimmed: str) -> str:
    """Rule 2: drop one closing fence that is the whole last line."""
    head, _, last = trimmed.rpartition("\n")
    return head.rstrip(ECMASCRIPT_BLANKS) if _FENCE.fullmatch(last) else trimmed


def _last_object(text: str) -> JsonObject:
    """Rules 3 to 5: the complete object that ends `text`."""
    if not text:
        raise _Unusable("empty_reply")
    if not text.endswith("}"):
        raise _Unusable("prose_after_object" if "}" in text else "no_object")
    code = "malformed_object"
    bytes_left = PARSED_BYTES_MAX
    for start in _openers(text):
        piece = text[start:]
        size = len(piece.encode("utf-8", "surrogatepass")) if len(piece) <= SLICE_BYTES_MAX else len(piece)
        if size > min(SLICE_BYTES_MAX, bytes_left):
            code = "object_too_large"  # and so is every slice further out
            break
        bytes_left -= size
        value = _object(piece)
        if value is None:
            continue
        if _closed_before(text, start) and not _inside_outer(text, start):
            return value
        code = "truncated_reply"
    raise _Unusable(code)


def _openers(text: str) -> Iterator[int]:
    """Where the last `{` stand, nearest to the end first."""
    start = len(text)
    for _ in range(OPENERS_TRIED_MAX):
        start = text.rfind("{", 0, start)
        if start < 0:
            return
        yield start


def _object(piece: str) -> JsonObject | None:
    """Rule 4: `piece` as strict JSON. It starts with a brace, so what parses is an object."""
    try:
        value: Json = parse_deep_json(piece)
    except NotDeepJson:
        return None
    assert isinstance(value, dict)
    return value


def _closed_before(text: str, end: int) -> bool:
    """Rule 5, first half: read naively, `text[:end]` leaves no bracket and no string open."""
    depth = {"{": 0, "[": 0}
    for token in _NAIVE.finditer(text, 0, end):
        first, length = token[0][0], token.end() - token.start()
        if first == '"':
            if not token["closed"]:
                return False
        elif first in depth:
            depth[first] += length
        else:
            opener = "{" if first == "}" else "["
            depth[opener] = max(0, depth[opener] - length)
    return not any(depth.values())


def _inside_outer(text: str, end: int) -> bool:
    """Rule 5, second half: a value that opens before `end` is still open where `text` ends."""
    start = end
    for _ in range(OUTER_OPENERS_MAX):
        start = max(text.rfind("{", 0, start), text.rfind("[", 0, start))
        if start < 0:
            return False
        if _stays_open(text, start):
            return True
    return False


def _stays_open(text: str, start: int) -> bool:
    """Whether the JSON tokens from the bracket at `start` on are valid, and end with something open."""
    expected: list[str] = []  # the closers of what is open, innermost last
    offset = start
    while offset < len(text):
        mark = text[offset]
        if mark in _CLOSER:
            expected.append(_CLOSER[mark])
        elif mark in "}]":
            if not expected or expected.pop() != mark:
                return False
        else:
            return _UNFINISHED.match(text, offset) is not None
        flat = _FLAT.match(text, offset + 1)
        assert flat is not None, "the pattern matches the empty text"
        offset = flat.end()
    return bool(expected)
