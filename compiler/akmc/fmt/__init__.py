"""The one canonical layout of sources: `akmc fmt`. What a source says never changes, and no comment is lost.

Source: docs/reference/layout.md.
"""

from akmc.fmt.blocks import blocks_of
from akmc.fmt.layout import laid_out
from akmc.fmt.meaning import says_the_same
from akmc.parse import parse, parse_with_words
from akmc.source import SOURCE_BYTES_MAX, Source, SourceUnreadable


def formatted(source: Source) -> str:
    """The text of `source` in canonical layout.

    Raises CompileFailed with every syntax error, and SourceUnreadable where the layout is too large for a source.
    """
    parsed, words = parse_with_words(source)
    text = laid_out(blocks_of(parsed, words))
    if len(text.encode()) > SOURCE_BYTES_MAX:
        reason = f"in canonical layout it is larger than {SOURCE_BYTES_MAX} bytes, which no source may be"
        raise SourceUnreadable(source.path, reason)
    assert says_the_same(parsed.tree, parse(Source(source.path, text)).tree), "layout changes no meaning"
    return text
