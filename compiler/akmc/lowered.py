"""What lowering gives: a plain document, and where each part of it was written."""

from collections.abc import Mapping
from dataclasses import dataclass

from akm_specs.canonical import JsonObject
from akmc.document import Place
from akmc.source import Source, Span


@dataclass(frozen=True, slots=True)
class Lowered:
    """A document as JSON, before any check of its shape, and the spans of its parts."""

    source: Source
    document: JsonObject
    spans: Mapping[Place, Span]

    def span(self, place: Place) -> Span:
        """Where `place` was written or, for a part that has no text of its own, what encloses it."""
        while place not in self.spans and place:
            place = place[:-1]
        return self.spans.get(place, Span(0, 0))
