"""The findings about an open file, and about the registry beside it."""

from akmc.diagnostic import Diagnostic
from akmc.lint import findings_of
from akmc.lsp.buffers import Buffers
from akmc.source import Source, SourceUnreadable, Span

#: The code of what stands in a buffer and could not be read from a file. It has no explanation.
UNREADABLE = "unreadable"


def findings_in(buffers: Buffers, path: str) -> tuple[Diagnostic, ...]:
    """Every finding about the open file `path` and, where it is a workflow, about the registry beside it."""
    try:
        return findings_of(buffers.source(path), buffers.registry_beside(path))
    except SourceUnreadable as error:
        message = f"this cannot be checked: {error.reason}"
        return (Diagnostic(UNREADABLE, "error", message, "", Source(error.path, ""), Span(0, 0)),)
