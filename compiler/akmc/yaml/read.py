"""From text to nodes: the restricted profile of YAML (source: docs/reference/front-ends.md).

The library only scans and parses; nothing is constructed, resolved or expanded. Every limit is held while
its events come in, so that a hostile text is left at the first event too many.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.source import BYTE_ORDER_MARK, Source, Span
from akmc.yaml import findings
from akmc.yaml.nodes import Entry, Mapping, Node, Scalar, Sequence

#: Most levels of lists and mappings inside each other.
DEPTH_MAX = 64
#: Longest scalar, in bytes of UTF-8.
SCALAR_BYTES_MAX = 64 * 1024
#: Most entries of one list or mapping, keys of all mappings, and nodes altogether.
ENTRIES_MAX = 4_096
KEYS_MAX = 8_192
NODES_MAX = 16_384
#: Most faults of one text that are reported; there is one on every line of a text of some other kind.
FINDINGS_MAX = 100

#: What YAML may not hold, and what it takes for a line end where nobody else does.
_FORBIDDEN = re.compile("[^\t\n -~\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_LONE_RETURN = re.compile(r"\r(?!\n)")
_DIRECTIVE = re.compile(r"^%.*", re.MULTILINE)
_MERGE = "<<"

# The parser written in C refuses at once what makes the other one slow; both give the same events.
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(source: Source, stretch: Span | None = None) -> Node:
    """The one document in `source`, or in a `stretch` of it. Raises CompileFailed with every finding."""
    reading = _Reading(source, stretch or Span(0, len(source.text)))
    found = _outside_the_profile(source, reading.stretch)
    if found:
        raise CompileFailed(found)
    node = reading.document()
    if reading.found:
        raise CompileFailed(reading.found)
    return node


def as_it_was_given(source: Source) -> list[Diagnostic]:
    """What a stricter format refuses of the file's own bytes: a byte order mark, and line ends of a third kind."""
    found = [findings.byte_order_mark(source)] if source.given.startswith(BYTE_ORDER_MARK) else []
    given = source.given.removeprefix(BYTE_ORDER_MARK)
    for match in _LONE_RETURN.finditer(given):
        at = match.start() - given.count("\r\n", 0, match.start())
        found.append(findings.line_end(source, Span(at, at + 1)))
        if len(found) == FINDINGS_MAX:
            break
    return found


def _outside_the_profile(source: Source, stretch: Span) -> list[Diagnostic]:
    found: list[Diagnostic] = []
    for match in _FORBIDDEN.finditer(source.text, stretch.start, stretch.end):
        found.append(findings.character(source, Span(*match.span()), match.group()))
        if len(found) == FINDINGS_MAX:
            return found
    if source.text.startswith("%", stretch.start):
        end = _DIRECTIVE.match(source.text, stretch.start, stretch.end)
        found.append(findings.directive(source, Span(*end.span()) if end else stretch))
    return found


@dataclass(slots=True)
class _Reading:
    """One text being read: the events that are left, what was counted, and what was found."""

    source: Source
    stretch: Span
    found: list[Diagnostic] = field(default_factory=list)
    nodes: int = 0
    keys: int = 0
    events: Iterator[Any] = field(default_factory=lambda: iter(()))

    def document(self) -> Node:
        text = self.source.text[self.stretch.start : self.stretch.end]
        try:
            self.events = iter(yaml.parse(text, Loader=_Loader))
            return self._only_document()
        except yaml.MarkedYAMLError as error:
            self._give_up(self._syntax(error))
        except yaml.YAMLError as error:
            self._give_up(findings.not_yaml(self.source, self._at(self.stretch.start), str(error)))

    def _only_document(self) -> Node:
        node: Node = Scalar("", True, self._at(self.stretch.start))
        documents = 0
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if event.version or event.tags:
                    self._report(findings.directive(self.source, self._span(event)))
                if documents > 1:
                    self._give_up(findings.second_document(self.source, self._span(event)))
            elif isinstance(event, yaml.NodeEvent):
                node = self._node(event, 1)
        return node

    def _node(self, event: Any, depth: int) -> Node:
        self.nodes += 1
        if self.nodes > NODES_MAX:
            self._beyond(event, "values", NODES_MAX, "split the file")
        if depth > DEPTH_MAX:
            self._beyond(event, "levels of nesting", DEPTH_MAX, "flatten the value")
        self._refuse_properties(event)
        match event:
            case yaml.SequenceStartEvent():
                return self._sequence(event, depth)
            case yaml.MappingStartEvent():
                return self._mapping(event, depth)
            case yaml.ScalarEvent():
                if len(event.value.encode()) > SCALAR_BYTES_MAX:
                    self._beyond(
                        event, "bytes in one scalar", SCALAR_BYTES_MAX, "move the text to a file of its own"
                    )
                return Scalar(event.value, not event.style, self._span(event))
            case _:
                return Scalar("", False, self._span(event))  # an alias, which is reported

    def _sequence(self, start: Any, depth: int) -> Sequence:
        items: list[Node] = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            if len(items) == ENTRIES_MAX:
                self._beyond(event, "items in one list", ENTRIES_MAX, "split the list")
            items.append(self._node(event, depth + 1))
        return Sequence(tuple(items), self._around(start, event, items))

    def _mapping(self, start: Any, depth: int) -> Mapping:
        entries: dict[str, Entry] = {}
        inner: list[Node] = []
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            self.keys += 1
            if len(inner) == 2 * ENTRIES_MAX:
                self._beyond(event, "keys in one mapping", ENTRIES_MAX, "split the mapping")
            if self.keys > KEYS_MAX:
                self._beyond(event, "keys in one file", KEYS_MAX, "split the file")
            written = self._node(event, depth + 1)
            value = self._node(next(self.events), depth + 1)
            inner += (written, value)
            key = self._key(written)
            if key is None:
                continue
            first = entries.setdefault(key.text, Entry(key, value))
            if first.key is not key:
                self._report(findings.duplicate_key(self.source, key.span, key.text, first.key.span))
        return Mapping(tuple(entries.values()), self._around(start, event, inner))

    def _key(self, node: Node) -> Scalar | None:
        if isinstance(node, Scalar) and node.is_text:
            if node.plain and node.text == _MERGE:
                self._report(findings.merge_key(self.source, node.span))
            return Scalar(unicodedata.normalize("NFC", node.text), node.plain, node.span)
        found = node.text if isinstance(node, Scalar) else ""
        self._report(findings.key_not_text(self.source, node.span, found))
        return None

    def _refuse_properties(self, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent):
            self._report(findings.alias(self.source, self._span(event), str(event.anchor)))
        elif event.anchor is not None:
            self._report(findings.anchor(self.source, self._span(event), event.anchor))
        elif getattr(event, "tag", None) is not None:
            span = self._span(event)
            written = self.source.text[span.start : span.end].split(maxsplit=1)
            self._report(findings.tag(self.source, span, written[0] if written else event.tag))

    # Places

    def _at(self, offset: int) -> Span:
        return Span(offset, offset)

    def _span(self, event: Any) -> Span:
        first, last = self.stretch.start + event.start_mark.index, self.stretch.start + event.end_mark.index
        return Span(min(first, self.stretch.end), min(max(first, last), self.stretch.end))

    def _around(self, start: Any, end: Any, inner: list[Node]) -> Span:
        """From the first to the last character: a collection without brackets has no end of its own."""
        bracketed = self.source.text[self._span(end).start : self._span(end).end] in ("]", "}")
        last = self._span(end) if bracketed or not inner else inner[-1].span
        return self._at(self._span(start).start).to(last) if inner or bracketed else self._span(start)

    # Faults

    def _report(self, found: Diagnostic) -> None:
        self.found.append(found)
        if len(self.found) == FINDINGS_MAX:
            raise CompileFailed(self.found)

    def _give_up(self, found: Diagnostic) -> NoReturn:
        raise CompileFailed([*self.found, found])

    def _beyond(self, event: Any, what: str, most: int, advice: str) -> NoReturn:
        self._give_up(findings.limit(self.source, self._at(self._span(event).start), what, most, advice))

    def _syntax(self, error: yaml.MarkedYAMLError) -> Diagnostic:
        mark = error.problem_mark or error.context_mark
        at = min(self.stretch.start + (mark.index if mark else 0), self.stretch.end)
        problem = error.problem or error.context or "it ends too early"
        if self.source.text[at : at + 1] == "\t":
            return findings.tab(self.source, Span(at, at + 1))
        if "maximum nesting depth" in problem:
            advice = "flatten the value"
            return findings.limit(self.source, self._at(at), "levels of nesting", DEPTH_MAX, advice)
        return findings.not_yaml(self.source, Span(at, min(at + 1, len(self.source.text))), problem)
