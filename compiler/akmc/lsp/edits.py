"""From a text to its canonical layout, as an edit of the lines that differ."""

from dataclasses import dataclass

from akmc.fmt import formatted
from akmc.source import Source, Span


@dataclass(frozen=True, slots=True)
class Edit:
    """Puts `text` in place of `span`."""

    span: Span
    text: str


def layout_edits(source: Source) -> tuple[Edit, ...]:
    """What brings `source` into canonical layout: one edit, or none. Raises CompileFailed."""
    before, after = (_lines(text) for text in (source.text, formatted(source)))
    first = _common(before, after)
    last = _common(before[first:][::-1], after[first:][::-1])
    old = before[first : len(before) - last]
    new = after[first : len(after) - last]
    start = sum(map(len, before[:first]))
    edit = Edit(Span(start, start + sum(map(len, old))), "".join(new))
    return (edit,) if old or new else ()


def _lines(text: str) -> list[str]:
    """The lines with their ends; not by splitlines, for which more characters end a line."""
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _common(one: list[str], other: list[str]) -> int:
    """How many lines both begin with."""
    return next(
        (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )
