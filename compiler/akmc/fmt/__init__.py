"""The one canonical layout of sources: `akmc fmt`. What a source says never changes, and no comment is lost.

Source: docs/reference/layout.md.
"""

from akmc.fmt.blocks import blocks_of
from akmc.fmt.layout import laid_out
from akmc.fmt.meaning import says_the_same
from akmc.parse import parse, parse_with_words
from akmc.source import Source


def formatted(source: Source) -> str:
    """The text of `source` in canonical layout. Raises CompileFailed with every syntax error."""
    parsed, words = parse_with_words(source)
    text = laid_out(blocks_of(parsed, words))
    assert says_the_same(parsed.tree, parse(Source(source.path, text)).tree), "layout changes no meaning"
    return text
