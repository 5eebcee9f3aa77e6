"""What lowering gives: a plain document, and where each part of it was written."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from akm_specs.canonical import JsonObject
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.document import Place
from akmc.source import Source, Span


@dataclass(frozen=True, slots=True)
class Lowered:
    """A document as JSON, before any check of its shape, and the spans of its parts."""

    source: Source
    document: JsonObject
    spans: Mapping[Place, Span]
    warnings: tuple[Diagnostic, ...] = ()

    def span(self, place: Place) -> Span:
        """Where `place` was written or, for a part that has no text of its own, what encloses it."""
        while place not in self.spans and place:
            place = place[:-1]
        return self.spans.get(place, Span(0, 0))


@dataclass(slots=True)
class Lowering:
    """What one lowering has noted so far. `item` is what the map being lowered calls its item."""

    source: Source
    spans: dict[Place, Span] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    item: str | None = None

    def mark(self, place: Place, span: Span) -> None:
        """Remembers that the document's `place` was written at `span`."""
        self.spans[place] = span

    def report(self, code: str, span: Span, message: str, advice: str) -> None:
        """Adds an error, and lets lowering go on."""
        self.findings.append(Diagnostic(code, "error", message, advice, self.source, span))

    def warn(self, code: str, span: Span, message: str, advice: str) -> None:
        """Adds a warning."""
        self.findings.append(Diagnostic(code, "warning", message, advice, self.source, span))

    def finish(self, document: JsonObject) -> Lowered:
        """The result. Raises CompileFailed with every finding, if there is an error."""
        if any(found.severity == "error" for found in self.findings):
            raise CompileFailed(self.findings)
        return Lowered(self.source, document, self.spans, tuple(self.findings))
