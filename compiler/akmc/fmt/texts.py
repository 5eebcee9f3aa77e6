"""Triple-quoted texts: they move with the block they stand in, and say exactly what they said."""

from akmc.lower_words import raw_text
from akmc.syntax import Word

_QUOTES = '"""'


def spans_lines(word: Word) -> bool:
    """Whether a word is a text that has a line end in it."""
    return word.kind == "TEXT" and "\n" in raw_text(word)


def inline(word: Word) -> str:
    """A TEXT without a line end in it, quotes and all."""
    return _QUOTES + raw_text(word) + _QUOTES


def lines_of(word: Word, outer: str, inner: str) -> list[str]:
    """A TEXT with line ends in it: its opening quotes, its lines one step in, the line that its quotes close."""
    *lines, last = raw_text(word).split("\n")
    shown = [inner + line if line else "" for line in lines]
    return [_QUOTES, *shown, (inner + last if last else outer) + _QUOTES]
