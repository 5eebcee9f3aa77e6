"""Places as editors count them: lines and, within a line, code units, both from 0."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from akmc.source import BYTE_ORDER_MARK, Source

#: What an editor counts within a line (its `positionEncoding`).
Encoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]

_UNIT_BYTES = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODECS = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A place in a buffer. `character` counts code units of the encoding that was agreed on."""

    line: int
    character: int


class Lines:
    """The lines of a buffer, between places and offsets in its source.

    A source has the lines of the buffer that it was made from, whatever ends them there, and the same columns;
    only a byte order mark, which the source lacks, moves those of the first line.
    """

    def __init__(self, text: str, encoding: Encoding = "utf-16") -> None:
        self.text = Source("", text).text
        self._encoding = encoding
        self._mark = self._units(BYTE_ORDER_MARK) if text.startswith(BYTE_ORDER_MARK) else 0

    def offset(self, place: Place) -> int:
        """The offset of `place`; the nearest one of the text where there is no such place."""
        if place.line >= len(self._starts):
            return len(self.text)
        start, end = self._starts[place.line], self._end(place.line)
        units = place.character - (self._mark if place.line == 0 else 0)
        if self.text.isascii():
            return min(start + max(units, 0), end)
        for at in range(start, end):
            units -= self._units(self.text[at])
            if units < 0:
                return at
        return end

    def place(self, offset: int) -> Place:
        """Where `offset` stands."""
        line = bisect_right(self._starts, offset) - 1
        units = self._units(self.text[self._starts[line] : offset])
        return Place(line, units + (self._mark if line == 0 else 0))

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        while (end := self.text.find("\n", starts[-1])) >= 0:
            starts.append(end + 1)
        return starts

    def _end(self, line: int) -> int:
        return self._starts[line + 1] - 1 if line + 1 < len(self._starts) else len(self.text)

    def _units(self, text: str) -> int:
        return len(text.encode(_CODECS[self._encoding], "surrogatepass")) // _UNIT_BYTES[self._encoding]
