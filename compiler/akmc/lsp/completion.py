"""What may stand where the author writes: keywords that the grammar allows there, and names that mean something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from akmc.lsp.buffers import Buffers
from akmc.lsp.fields import fields_behind
from akmc.lsp.names import homes_of, mentions_of, tree_of
from akmc.lsp.symbols import Mention
from akmc.lsp.words import TERMINALS, WORDS
from akmc.parse import keywords_after
from akmc.source import Source, Span

#: Stands for the word that is being written, to see what a name would be there. Nobody calls anything so.
_PROBE = "akm-probe-0"
#: What is put behind the probe, where a clause needs more than the name to be one.
_ENDINGS = ("", " {}", "]")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
#: Comments and texts, closed or not: nothing is offered inside of them.
_CLOSED_OFF = re.compile(r'"""(?:[^"]|"(?!""))*(?:"""|\Z)|"(?:[^"\\\n]|\\[^\n])*(?:"|$)|#[^\n]*', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Offer:
    """One word that may stand there, and what kind of thing it is: `keyword`, or what it names."""

    word: str
    kind: str


def offers_at(buffers: Buffers, path: str, offset: int) -> tuple[Span, tuple[Offer, ...]]:
    """What may stand at `offset`, and the stretch that it would replace. Raises SourceUnreadable."""
    source = buffers.source(path)
    word = _word_at(source.text, offset)
    if _is_closed_off(source.text, offset):
        return word, ()
    before = source.text[: word.start]
    document = tree_of(source)
    fields = None if document is None else fields_behind(document, before)
    if fields is not None:
        return word, tuple(Offer(name, "field") for name in fields)
    keywords = sorted(keywords_after(Source(path, before)))
    names = dict.fromkeys(_names(buffers, source, word))
    return word, (*names, *(Offer(keyword, "keyword") for keyword in keywords))


def _word_at(text: str, offset: int) -> Span:
    """The word in which `offset` stands, or at whose end; empty where there is none."""
    line = text.rfind("\n", 0, offset) + 1
    for match in _WORD.finditer(text, line):
        if match.start() <= offset <= match.end():
            return Span(match.start(), match.end())
        if match.start() > offset:
            break
    return Span(offset, offset)


def _is_closed_off(text: str, offset: int) -> bool:
    for match in _CLOSED_OFF.finditer(text):
        if match.start() >= offset:
            return False
        closed = not match[0].startswith("#") and match[0].endswith('"') and len(match[0]) > 1
        if offset < match.end() or (offset == match.end() and not closed):
            return True
    return False


def _names(buffers: Buffers, source: Source, word: Span) -> Iterator[Offer]:
    """The names that mean something in the place of `word`."""
    probe = _probe(source, word)
    if probe is None or probe.defines:
        return
    for home in homes_of(buffers, source, probe.kind):
        for mention in mentions_of(home):
            if mention.defines and mention.name != source.text[word.start : word.end] and _fits(mention, probe):
                yield Offer(mention.name, mention.kind)
    if probe.rule == "reference" and probe.kind == "step":
        yield Offer("params", "param")
    elif probe.kind == "step" and probe.rule in ("on", "when", "otherwise"):
        yield from (Offer(terminal, "terminal") for terminal in TERMINALS)
    yield from (Offer(known, probe.kind) for kind, words in WORDS.items() if kind == probe.kind for known in words)


def _fits(mention: Mention, probe: Mention) -> bool:
    """Whether what `mention` defines can stand in the place of `probe`."""
    if mention.kind == "item":
        scope = mention.scope
        return probe.rule == "reference" and scope is not None and scope.start <= probe.span.start < scope.end
    return mention.kind == probe.kind


def _probe(source: Source, word: Span) -> Mention | None:
    """What a name would be in the place of `word`; None where no name may stand, or one that leads nowhere."""
    for ending in _ENDINGS:
        text = source.text[: word.start] + _PROBE + ending + source.text[word.end :]
        for mention in mentions_of(Source(source.path, text)):
            if mention.name == _PROBE:
                return mention
    return None
