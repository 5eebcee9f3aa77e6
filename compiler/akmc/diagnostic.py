"""Findings about a source, as data, and the two forms in which they are shown."""

import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from akm_specs.canonical import JsonObject
from akmc.source import Source, Span

Severity: TypeAlias = Literal["error", "warning"]

#: Columns of a source line that the text form shows; a longer line is cut around the span.
SHOWN_COLUMNS_MAX = 160

_COLOURS = {"error": "31", "warning": "33", "help": "36", "place": "2"}
_Paint: TypeAlias = Callable[[str, str], str]


def _coloured(what: str, text: str) -> str:
    return f"\033[{_COLOURS[what]}m{text}\033[0m"


def _plain(what: str, text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    `code` never changes its meaning and is never used again. `message` says what is wrong, in the names
    that the author wrote; `help` says what to do next, and may be empty. `span` is the smallest stretch of
    `source` that shows the fault.
    """

    code: str
    severity: Severity
    message: str
    help: str
    source: Source
    span: Span

    @property
    def path(self) -> str:
        """The file, as the user named it."""
        return self.source.path


class CompileFailed(Exception):
    """The source has errors. Holds every finding of the phase that stopped, in the order of the text."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = in_order(diagnostics)
        assert self.diagnostics, "a compilation fails only with a finding"
        first = self.diagnostics[0]
        super().__init__(f"{len(self.diagnostics)} finding(s), the first: {first.code} {first.message}")


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The findings file by file, each file's in the order of its text; the same finding stands once."""
    unique = dict.fromkeys(diagnostics)
    return tuple(sorted(unique, key=lambda found: (found.path, found.span.start, found.span.end, found.code)))


def to_json(found: Diagnostic) -> JsonObject:
    """The machine form: lines and columns from 1, the end being the place after the last character."""
    start, end = found.source.position(found.span.start), found.source.position(found.span.end)
    return {
        "code": found.code,
        "severity": found.severity,
        "message": found.message,
        "help": found.help,
        "file": found.path,
        "line": start.line,
        "column": start.column,
        "end_line": end.line,
        "end_column": end.column,
    }


def to_text(found: Diagnostic, *, colour: bool = False) -> str:
    """The form for people: place and message, the source line with the span underlined, the help."""
    place = found.source.position(found.span.start)
    paint = _coloured if colour else _plain
    lines = [
        paint("place", f"{_visible(found.path)}:{place.line}:{place.column}: ")
        + paint(found.severity, f"{found.severity} {found.code}: ")
        + _visible(found.message)
    ]
    lines += _excerpt(found, str(place.line), paint)
    if found.help:
        lines.append(paint("help", "  help: ") + _visible(found.help))
    return "\n".join(lines)


def _excerpt(found: Diagnostic, number: str, paint: _Paint) -> list[str]:
    """The line in which the span begins and, under it, the marks."""
    line, text = found.source.line_around(found.span.start)
    first = found.span.start - line.start
    last = max(first + 1, min(found.span.end - line.start, len(text)))
    cut = max(0, min(first - SHOWN_COLUMNS_MAX // 4, len(text) - SHOWN_COLUMNS_MAX))
    shown = _visible(text[cut : cut + SHOWN_COLUMNS_MAX])
    before, marked = shown[: first - cut], shown[first - cut : last - cut]
    marks = " " * _columns(before) + "^" * max(1, _columns(marked))
    bar = " " * len(number)
    return [f"  {number} | {shown}", f"  {bar} | " + paint(found.severity, marks)]


def _columns(text: str) -> int:
    """How many columns of a terminal `text` takes: none for a combining mark, two for a wide character."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )


def _visible(text: str) -> str:
    """`text` with each control character (a tab too, an escape above all) as one harmless character."""
    return "".join(
        " " if character == "\t" else character if character.isprintable() else "\ufffd" for character in text
    )
