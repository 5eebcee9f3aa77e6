"""What the indentation of a source tells about a bracket that is missing. Nothing else looks at indentation."""

from collections.abc import Iterable

from akmc.automaton import Token
from akmc.diagnostic import Diagnostic
from akmc.source import Source, Span
from akmc.syntax_findings import never_closed

_CLOSED_BY = {"RBRACE": "LBRACE", "RSQB": "LSQB"}


def left_open(
    source: Source, tokens: Iterable[Token], findings: list[Diagnostic], opener: Span, before: Span | None = None
) -> Diagnostic:
    """The finding for the block that `opener` begins and nothing ends, or nothing before `before`.

    Where a closing bracket stands further left than the line that it closes, the block of that line is the one
    without an end. Findings about what stands behind that block, and was read as part of it, are taken out.
    """
    tokens = (token for token in tokens if token.start >= opener.start)
    inner, closer = _passed_over(source, tokens) or (opener, before)
    if closer is not None:
        findings[:] = [each for each in findings if not _outside(source, inner, closer, each.span.start)]
    return never_closed(source, inner, closer)


def _passed_over(source: Source, tokens: Iterable[Token]) -> tuple[Span, Span] | None:
    """The first opening bracket whose closing one stands as if it closed an earlier one; and that closing one."""
    open_: list[Token] = []
    for token in tokens:
        if token.kind in _CLOSED_BY.values():
            open_.append(token)
        elif token.kind in _CLOSED_BY and open_ and open_[-1].kind == _CLOSED_BY[token.kind]:
            opener, margin = open_.pop(), _margin(source, token.start)
            leads = source.line_around(token.start)[0].start + margin == token.start
            if leads and margin < _margin(source, opener.start):
                return Span(opener.start, opener.end), Span(token.start, token.end)
    return None


def _outside(source: Source, opener: Span, closer: Span, at: int) -> bool:
    """Whether `at` stands between the two on a line that is indented no further than that of `opener`."""
    return opener.end < at < closer.start and _margin(source, at) <= _margin(source, opener.start)


def _margin(source: Source, at: int) -> int:
    """How far the line in which `at` stands is indented, in characters."""
    _, line = source.line_around(at)
    return len(line) - len(line.lstrip(" \t"))
