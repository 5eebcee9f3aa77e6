"""Our values as the protocol's, and back: places, findings, offers."""

from collections.abc import Iterable

from lsprotocol import types
from pygls.uris import from_fs_path, to_fs_path

from akmc.diagnostic import Diagnostic
from akmc.lsp.buffers import Buffers
from akmc.lsp.completion import Offer
from akmc.lsp.positions import Encoding, Lines, Place
from akmc.source import SourceUnreadable, Span

_SEVERITIES = {"error": types.DiagnosticSeverity.Error, "warning": types.DiagnosticSeverity.Warning}
_KINDS = {
    "keyword": types.CompletionItemKind.Keyword,
    "terminal": types.CompletionItemKind.EnumMember,
    "field": types.CompletionItemKind.Field,
    "param": types.CompletionItemKind.Variable,
    "item": types.CompletionItemKind.Variable,
}


def encoding_of(kind: types.PositionEncodingKind | str | None) -> Encoding:
    """What the editor counts within a line; UTF-16 where nothing else was agreed on."""
    match kind:
        case types.PositionEncodingKind.Utf8:
            return "utf-8"
        case types.PositionEncodingKind.Utf32:
            return "utf-32"
        case _:
            return "utf-16"


def path_of(uri: str) -> str:
    """How files are called here: by their path or, what is no file, by its address."""
    return to_fs_path(uri) or uri


def uri_of(buffers: Buffers, path: str) -> str:
    """The address of a file, spelled as the editor spells it where it has the file open."""
    buffer = buffers.get(path)
    return buffer.uri if buffer is not None else from_fs_path(path) or path


def lines_of(buffers: Buffers, path: str, encoding: Encoding) -> Lines:
    """The lines of a file as the editor counts them; none of a file that cannot be read."""
    buffer = buffers.get(path)
    if buffer is not None:
        return Lines(buffer.text, encoding)
    try:
        return Lines(buffers.source(path).text, encoding)
    except SourceUnreadable:
        return Lines("", encoding)


def offset_of(lines: Lines, position: types.Position) -> int:
    """The offset in the source of a position in the editor."""
    return lines.offset(Place(position.line, position.character))


def range_of(lines: Lines, span: Span) -> types.Range:
    """The range in the editor of a span of the source."""
    places = (lines.place(min(offset, len(lines.text))) for offset in (span.start, span.end))
    start, end = (types.Position(place.line, place.character) for place in places)
    return types.Range(start, end)


def shown(findings: Iterable[Diagnostic], lines: Lines) -> list[types.Diagnostic]:
    """Findings of one file."""
    return [
        types.Diagnostic(
            range=range_of(lines, found.span),
            message=found.message + (f"\nhelp: {found.help}" if found.help else ""),
            severity=_SEVERITIES[found.severity],
            code=found.code,
            source="akmc",
        )
        for found in findings
    ]


def offered(offers: Iterable[Offer], at: types.Range) -> list[types.CompletionItem]:
    """Words to complete with, in the order in which they are to be shown."""
    return [
        types.CompletionItem(
            label=offer.word,
            kind=_KINDS.get(offer.kind, types.CompletionItemKind.Reference),
            detail=offer.kind,
            sort_text=f"{position:04}",
            text_edit=types.TextEdit(at, offer.word),
        )
        for position, offer in enumerate(offers)
    ]
