"""From a source text to its syntax tree.

An error does not end the reading, so that one run reports every syntax error: see `careful`.
"""

from contextlib import suppress
from typing import cast

from akmc.automaton import Token, word_of
from akmc.careful import NESTING_MAX, PARTING, WORDS_MAX, CarefulReading, Stopped
from akmc.diagnostic import CompileFailed
from akmc.source import Source
from akmc.straight import read_straight
from akmc.syntax import Kind, Parsed, Tree, Word


def parse(source: Source) -> Parsed:
    """The tree of `source`. Raises CompileFailed with every syntax error."""
    return _read(source)[0]


def parse_with_words(source: Source) -> tuple[Parsed, tuple[Word, ...]]:
    """The tree, and every word and sign of the text in order, but for what only parts two clauses.

    Raises CompileFailed with every syntax error.
    """
    parsed, taken = _read(source)
    return parsed, tuple(word_of(token) for token in taken if token.kind not in PARTING)


def parse_partly(source: Source) -> Tree | None:
    """The tree of what can be read, for what answers while the author still writes; None where nothing can.

    Clauses with a syntax error are left out, and blocks that are open at the end of the text end there.
    """
    reading = CarefulReading(source)
    with suppress(Stopped):
        reading.read()
    return reading.rest()


def keywords_after(source: Source) -> frozenset[str]:
    """The keywords that may come next where the text of `source` ends, whatever is wrong before."""
    reading = CarefulReading(source)
    with suppress(Stopped):
        reading.read()
        return reading.keywords()
    return frozenset()


def _read(source: Source) -> tuple[Parsed, list[Token]]:
    """The tree, and the words and signs of the text."""
    tree, taken = read_straight(source.text, WORDS_MAX, NESTING_MAX) or _read_with_care(source)
    (document,) = tree.trees()
    return Parsed(source, cast(Kind, document.rule), document), taken


def _read_with_care(source: Source) -> tuple[Tree, list[Token]]:
    reading = CarefulReading(source)
    tree = reading.run()
    if reading.findings:
        raise CompileFailed(reading.findings)
    assert tree is not None, "a reading without findings has a tree"
    return tree, reading.taken
