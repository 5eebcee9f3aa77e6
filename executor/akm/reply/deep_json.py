"""Strict JSON (RFC 8259) of any depth, for text that a stranger wrote.

The standard library's parser recurses, so what it accepts depends on how deep its caller's stack is. This
one keeps its own stack: depth costs memory in proportion to the text, and nothing else. As in ECMAScript,
a repeated key keeps its last value and the escape of a lone surrogate is accepted.
"""

import json
import re
from typing import Any

from akm_specs.canonical import Json

#: A string without its closing quote: no raw control character, only the escapes that JSON has. All
#: patterns here are possessive, and so take linear time.
OPEN_STRING = r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+'
STRING = rf'{OPEN_STRING}"'
NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
SCALAR = rf"{STRING}|{NUMBER}|true|false|null"

_BLANK = r"[ \t\n\r]*+"
_TOKEN = re.compile(rf"{_BLANK}({SCALAR}|[{{}}\[\],:])")
_END = re.compile(rf"{_BLANK}\Z")

#: Integers of more digits become floats, as every number is in ECMAScript: converting long digit strings
#: to exact integers takes quadratic time, and the interpreter refuses it beyond 4,300 digits.
_INTEGER_DIGITS_MAX = 400


class NotDeepJson(ValueError):
    """The text is not one strict JSON value."""


def parse_deep_json(text: str) -> Json:
    """The one JSON value that `text` is. Raises NotDeepJson."""
    tokens = _Tokens(text)
    open_containers: list[dict[str, Any] | list[Any]] = []
    keys: list[str] = []  # of the members under way, one for each open object that is waiting for a value
    lexeme = tokens.next()
    while True:
        if lexeme in ("{", "["):
            container: dict[str, Any] | list[Any] = {} if lexeme == "{" else []
            lexeme = tokens.next()
            if lexeme != _closer(container):
                open_containers.append(container)
                lexeme = _member(container, keys, tokens, lexeme)
                continue
            value: Json = container
        else:
            value = _scalar(lexeme)
        while open_containers:  # put the finished value where it belongs, and close what it completes
            container = open_containers[-1]
            if isinstance(container, dict):
                container[keys.pop()] = value
            else:
                container.append(value)
            lexeme = tokens.next()
            if lexeme == ",":
                lexeme = _member(container, keys, tokens, tokens.next())
                break
            if lexeme != _closer(container):
                raise NotDeepJson(f"{lexeme!r} where a container goes on or ends")
            value = open_containers.pop()
        else:
            tokens.end()
            return value


class _Tokens:
    """The tokens of a text, in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._offset = 0

    def next(self) -> str:
        """The next token. Raises NotDeepJson where the text ends, or goes on with what is no lexeme."""
        found = _TOKEN.match(self._text, self._offset)
        if found is None:
            raise NotDeepJson(f"no JSON token at character {self._offset}")
        self._offset = found.end()
        return found[1]

    def end(self) -> None:
        """Raises NotDeepJson unless only white space is left."""
        if _END.match(self._text, self._offset) is None:
            raise NotDeepJson(f"more text after the value, at character {self._offset}")


def _closer(container: dict[str, Any] | list[Any]) -> str:
    return "}" if isinstance(container, dict) else "]"


def _member(container: dict[str, Any] | list[Any], keys: list[str], tokens: _Tokens, lexeme: str) -> str:
    """The first lexeme of the next value in `container`; in an object, `lexeme` is its key."""
    if isinstance(container, list):
        return lexeme
    if not lexeme.startswith('"') or tokens.next() != ":":
        raise NotDeepJson("an object's member is not a string, a colon and a value")
    keys.append(_string(lexeme))
    return tokens.next()


def _scalar(lexeme: str) -> Json:
    if lexeme.startswith('"'):
        return _string(lexeme)
    if lexeme in WORDS:
        return WORDS[lexeme]
    if lexeme in ("}", "]", ",", ":"):
        raise NotDeepJson(f"{lexeme!r} where a value should be")
    exact = len(lexeme) <= _INTEGER_DIGITS_MAX and not any(mark in lexeme for mark in ".eE")
    return int(lexeme) if exact else float(lexeme)


def _string(lexeme: str) -> str:
    return str(json.loads(lexeme)) if "\\" in lexeme else lexeme[1:-1]
