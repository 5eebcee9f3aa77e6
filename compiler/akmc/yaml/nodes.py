"""What a YAML text consists of, with places: scalars as they were written, lists and mappings."""

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from akm_specs.canonical import Json
from akmc.lower_words import INTEGER_MAX
from akmc.source import Span

#: A number as JSON writes it (RFC 8259, section 6).
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_WORDS: dict[str, Json] = {"": None, "null": None, "true": True, "false": False}
#: Longest number that is read; a longer one is no number that anyone means.
NUMBER_LENGTH_MAX = 40


@dataclass(frozen=True, slots=True)
class Scalar:
    """One scalar. `text` is what the author wrote, quotes and escapes undone; `plain` says that there were none."""

    text: str
    plain: bool
    span: Span

    @property
    def is_text(self) -> bool:
        """Whether this is a text. A plain scalar is one unless JSON takes it for something else."""
        return not (self.plain and (self.text in _WORDS or _NUMBER.fullmatch(self.text)))

    @property
    def value(self) -> Json:
        """What JSON takes this for. A number that is whole is an `int`, however it was written."""
        if self.is_text:
            return self.text
        return _WORDS[self.text] if self.text in _WORDS else number(self.text)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list."""

    items: "tuple[Node, ...]"
    span: Span


@dataclass(frozen=True, slots=True)
class Entry:
    """A key of a mapping and its value. `key.text` is in Unicode's form C."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True)
class Mapping:
    """A mapping. Invariant: its keys are texts, and no two of them are the same."""

    entries: tuple[Entry, ...]
    span: Span

    @cached_property
    def by_key(self) -> dict[str, Entry]:
        """The entries by their keys."""
        return {entry.key.text: entry for entry in self.entries}


Node: TypeAlias = Scalar | Sequence | Mapping


def number(text: str) -> int | float | str:
    """The number that `text` writes; `text` itself where JSON's readers would not agree on it (RFC 8259, 6)."""
    if len(text) > NUMBER_LENGTH_MAX:
        return text
    if re.fullmatch(r"[+-]?[0-9]+", text):
        return int(text) if abs(int(text)) <= INTEGER_MAX else text
    value = float(text)
    if not math.isfinite(value):
        return text
    return int(value) if value.is_integer() and abs(value) <= INTEGER_MAX else value
