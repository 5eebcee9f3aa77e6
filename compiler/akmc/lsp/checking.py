"""Which open files have to be checked again, and what editors are told then."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from akmc.diagnostic import Diagnostic, in_order
from akmc.lsp.buffers import Buffers
from akmc.lsp.findings import findings_in


@dataclass(frozen=True, slots=True)
class Checking:
    """The findings about every open file, and about files that open ones depend on."""

    buffers: Buffers
    _found: dict[str, tuple[Diagnostic, ...]] = field(default_factory=dict)
    _told: dict[str, tuple[int, tuple[Diagnostic, ...]]] = field(default_factory=dict)

    def check(self, changed: Iterable[str]) -> dict[str, tuple[Diagnostic, ...]]:
        """Checks what depends on the files `changed`. Gives the findings of each file for which they are news."""
        touched = set(changed)
        for path in touched:
            self._found.pop(path, None)
        for buffer in self.buffers:
            if buffer.path in touched or self.buffers.registry_path(buffer.path) in touched:
                self._found[buffer.path] = findings_in(self.buffers, buffer.path)
        return dict(self._news())

    def findings(self, path: str) -> tuple[Diagnostic, ...]:
        """What the last check of an open file found; it may be about an older text."""
        return self._found.get(path, ())

    def _news(self) -> Iterable[tuple[str, tuple[Diagnostic, ...]]]:
        by_path: dict[str, list[Diagnostic]] = {path: [] for path in (*self._told, *self._found)}
        for found in in_order(each for findings in self._found.values() for each in findings):
            by_path.setdefault(found.path, []).append(found)
        for path, findings in by_path.items():
            buffer = self.buffers.get(path)
            telling = (0 if buffer is None else buffer.version, tuple(findings))
            if self._told.get(path) != telling:
                self._told[path] = telling
                yield path, telling[1]
