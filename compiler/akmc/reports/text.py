"""The form for people: place and message, the line with the span underlined, the help."""

from collections.abc import Callable
from typing import TypeAlias

from akmc.diagnostic import Diagnostic
from akmc.reports.report import Report
from akmc.wording import visible

#: Columns of a source line that are shown; a longer line is cut around the span.
SHOWN_COLUMNS_MAX = 160

_COLOURS = {"error": "31", "warning": "33", "help": "36", "place": "2"}
_Paint: TypeAlias = Callable[[str, str], str]


def to_text(found: Diagnostic, *, colour: bool = False) -> str:
    """One finding, without a line end behind it."""
    place = found.source.position(found.span.start)
    paint = _coloured if colour else _plain
    lines = [
        paint("place", f"{visible(found.path)}:{place.line}:{place.column}: ")
        + paint(found.severity, f"{found.severity} {found.code}: ")
        + visible(found.message)
    ]
    lines += _excerpt(found, str(place.line), paint)
    if found.help:
        lines.append(paint("help", "  help: ") + visible(found.help))
    return "\n".join(lines)


def report_text(report: Report, *, colour: bool = False) -> str:
    """All findings, and what is left out. Unreadable files are told elsewhere."""
    parts = [to_text(found, colour=colour) for found in report.findings]
    return "".join(f"{part}\n" for part in (*parts, str(report.left_out)) if part)


def _coloured(what: str, text: str) -> str:
    return f"\033[{_COLOURS[what]}m{text}\033[0m"


def _plain(what: str, text: str) -> str:
    return text


def _excerpt(found: Diagnostic, number: str, paint: _Paint) -> list[str]:
    """The line in which the span begins and, under it, the marks."""
    line, text = found.source.line_around(found.span.start)
    first = found.span.start - line.start
    last = max(first + 1, min(found.span.end - line.start, len(text)))
    cut = max(0, min(first - SHOWN_COLUMNS_MAX // 4, len(text) - SHOWN_COLUMNS_MAX))
    shown = visible(text[cut : cut + SHOWN_COLUMNS_MAX])
    before, until = _columns(shown[: first - cut]), _columns(shown[: last - cut])
    marks = " " * before + "^" * max(1, until - before)
    bar = " " * len(number)
    return [f"  {number} | {shown}", f"  {bar} | " + paint(found.severity, marks)]


def _columns(text: str) -> int:
    """How many columns of a terminal `text` takes, characters joined into one as terminals join them."""
    if text.isascii():
        return len(text)
    from wcwidth import wcswidth  # here, because few lines need its tables

    return wcswidth(text)
