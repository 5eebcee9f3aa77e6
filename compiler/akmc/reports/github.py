"""The form for GitHub Actions: one workflow command a finding, which becomes an annotation of the change."""

from collections.abc import Iterator

from akmc.diagnostic import Diagnostic
from akmc.reports.place import Root
from akmc.reports.report import Report
from akmc.source import SourceUnreadable
from akmc.wording import visible

_IN_DATA = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_PROPERTY = {**_IN_DATA, ":": "%3A", ",": "%2C"}


def report_github(report: Report, root: Root) -> str:
    """A line for each finding and unreadable file, and a notice of what is left out. Columns count code points."""
    return "".join(f"{line}\n" for line in _lines(report, root))


def _lines(report: Report, root: Root) -> Iterator[str]:
    for found in report.findings:
        yield _finding(found, root)
    for error in report.unreadable:
        yield _unread(error, root)
    if str(report.left_out):
        yield f"::notice title=akmc::{_escaped(str(report.left_out), _IN_DATA)}"


def _finding(found: Diagnostic, root: Root) -> str:
    """Columns are told only of a span within one line: the service takes none across lines."""
    start, end = found.source.position(found.span.start), found.source.position(found.span.end)
    properties: dict[str, object] = {"file": root.path(found.path), "line": start.line, "endLine": end.line}
    if start.line == end.line:
        properties |= {"col": start.column, "endColumn": end.column}
    properties["title"] = found.code
    text = f"{found.message}\n{found.help}" if found.help else found.message
    return _command(found.severity, properties, text)


def _unread(error: SourceUnreadable, root: Root) -> str:
    return _command("error", {"file": root.path(error.path), "title": "unreadable"}, error.reason)


def _command(name: str, properties: dict[str, object], text: str) -> str:
    told = ",".join(f"{key}={_escaped(str(value), _IN_PROPERTY)}" for key, value in properties.items())
    return f"::{name} {told}::{_escaped(text, _IN_DATA)}"


def _escaped(text: str, escapes: dict[str, str]) -> str:
    """`text` on one line. A control character that has no escape is of no use there either."""
    return "".join(escapes.get(character) or visible(character) for character in text)
