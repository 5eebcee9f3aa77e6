"""A source as blocks of clauses and comments: all that its layout depends on, and nothing of what it means.

The blocks are read off the words that the one grammar gives. Only brackets count here, and what parts two clauses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from akmc.fmt.gap import Comment, gap_of
from akmc.syntax import Parsed, Word

_CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Block:
    """A pair of brackets and what stands in it. `remark` is the comment behind the opening one.

    `broken` says that its layout needs several lines, because the author wrote it on several.
    """

    opener: str
    closer: str
    remark: str
    entries: "tuple[Entry, ...]"
    broken: bool


@dataclass(frozen=True, slots=True)
class Clause:
    """What a line end or a comma ends, or one item of a list. `remark` is the comment behind it.

    `spaced` says that a blank line comes before it.
    """

    parts: "tuple[Part, ...]"
    remark: str
    spaced: bool


Part: TypeAlias = Word | Block
Entry: TypeAlias = Clause | Comment


def blocks_of(parsed: Parsed, words: Sequence[Word]) -> tuple[Entry, ...]:
    """The entries of the whole file; the block of a lifecycle or a workflow is broken however it was written."""
    entries = tuple(_Reading(parsed.source.text, words).entries())
    if parsed.kind == "registry":
        return entries
    return tuple(_broken(entry) if isinstance(entry, Clause) else entry for entry in entries)


def _broken(document: Clause) -> Clause:
    *head, block = document.parts
    assert isinstance(block, Block), "the grammar ends a document with its block"
    return replace(document, parts=(*head, replace(block, broken=bool(block.entries or block.remark))))


class _Reading:
    """One pass over the words."""

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self._text = text
        self._words = words
        self._at = 0
        self._gap = gap_of("\n" + text[: words[0].span.start])

    def entries(self) -> Iterator[Entry]:
        """The entries up to where their block, or the file, ends."""
        while True:
            yield from self._gap.comments
            if self._ended():
                return
            yield self._clause()

    def _clause(self) -> Clause:
        parts: list[Part] = []
        spaced = self._gap.spaced
        while True:
            word = self._take()
            parts.append(self._block(word) if word.text in _CLOSING else word)
            if self._gap.parts or self._ended():
                return Clause(tuple(parts), self._gap.remark, spaced)

    def _block(self, opener: Word) -> Block:
        remark = self._gap.remark
        entries = tuple(self.entries())
        closer = self._take()
        assert closer.text == _CLOSING[opener.text], "the grammar pairs brackets"
        several_lines = "\n" in self._text[opener.span.end : closer.span.start]
        return Block(opener.text, closer.text, remark, entries, several_lines and bool(entries or remark))

    def _take(self) -> Word:
        """The next word; the gap behind it becomes the present one."""
        word = self._words[self._at]
        self._at += 1
        end = self._words[self._at].span.start if self._at < len(self._words) else len(self._text)
        self._gap = gap_of(self._text[word.span.end : end])
        return word

    def _ended(self) -> bool:
        return self._at == len(self._words) or self._words[self._at].text in _CLOSING.values()
