"""How single words are written: texts, spans of time, sizes, amounts of money, references, constants."""

import json
import re
from collections.abc import Iterable, Iterator

from akm_specs.canonical import Json
from akmc.document import NAME_PATTERN, ListValue, LiteralValue, ObjectValue, Reference, ReferenceValue, Value
from akmc.lower_words import raw_text
from akmc.source import Span
from akmc.syntax import Word
from akmc.wording import duration_text

_MICRODOLLARS = 1_000_000
_SIZES = (("GiB", 1024**3), ("MiB", 1024**2), ("KiB", 1024))


def string(text: str) -> str:
    """A text on one line: raw where it can be, else with the escapes of JSON."""
    if not all(character.isprintable() for character in text):
        return "e" + json.dumps(text)
    return '"' + re.sub(r'\\(?=["\\]|\Z)|"', r"\\\g<0>", text) + '"'


def prose(text: str) -> str:
    """A text of any length: on one line, or between triple quotes where it has line ends and these can hold it."""
    if "\n" not in text:
        return string(text)
    closing = "" if text.endswith("\n") else text[-1:]
    written = f'"""\n{text}"""'
    holds = '"""' not in text and closing != '"' and raw_text(Word("TEXT", written, Span(0, 0))) == text
    shown = all(character.isprintable() or character == "\n" for character in text)
    return written if holds and shown else string(text)


def span(milliseconds: int) -> str:
    """A span of time."""
    return duration_text(milliseconds)


def size(count: int) -> str:
    """A count of bytes, in the largest unit that is exact."""
    unit, scale = next(((unit, scale) for unit, scale in _SIZES if count % scale == 0), ("B", 1))
    return f"{count // scale}{unit}"


def money(microdollars: int) -> str:
    """An amount of money."""
    whole, fraction = divmod(microdollars, _MICRODOLLARS)
    decimals = f"{fraction:06}".rstrip("0")
    return f"{whole}.{decimals} USD" if decimals else f"{whole} USD"


def named(name: str) -> str:
    """A word that stands for itself where it is a name, and in quotes where it is not."""
    return name if re.fullmatch(NAME_PATTERN, name) else string(name)


def listed(words: Iterable[str]) -> str:
    """Words in brackets."""
    return "[" + ", ".join(words) + "]"


def reference(written: Reference) -> str:
    """A reference with its path."""
    start = {"params": f"params.{written.name}", "output": f"{written.name}.output", "item": written.name}[
        written.root
    ]
    return start + "".join(f"[{part}]" if isinstance(part, int) else f".{named(part)}" for part in written.path)


def references(written: Iterable[Reference]) -> str:
    """References in brackets; a single one stands alone."""
    each = [reference(one) for one in written]
    return each[0] if len(each) == 1 else listed(each)


def constant(value: Json) -> str:
    """A value without references."""
    match value:
        case str():
            return prose(value)
        case list():
            return listed(constant(item) for item in value)
        case dict():
            return members((key, constant(member)) for key, member in value.items())
        case _:
            return json.dumps(value)


def value(written: Value) -> str:
    """A value with references in it."""
    match written:
        case LiteralValue():
            return constant(written.literal)
        case ReferenceValue():
            return reference(written.reference)
        case ListValue():
            return listed(value(item) for item in written.items)
        case ObjectValue():
            return members((key, value(member)) for key, member in written.members.items())


def members(pairs: Iterable[tuple[str, str]]) -> str:
    """An object, one member a line."""
    return "{" + "".join(f"\n{named(key)}: {shown}" for key, shown in pairs) + "\n}"


def block(head: str, clauses: Iterable[str]) -> Iterator[str]:
    """A block with its clauses, one a line."""
    yield head + " {"
    yield from clauses
    yield "}"
