"""Findings about a source, as data. `akmc.reports` knows how they are shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from akmc.source import Source, Span

Severity: TypeAlias = Literal["error", "warning"]


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
