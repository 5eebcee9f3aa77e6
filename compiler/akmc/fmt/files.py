"""Files and their canonical layout: which of them differ from it, how, and putting them into it."""

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.fmt import formatted
from akmc.plan_file import NotWritten, write_whole
from akmc.source import Source, SourceUnreadable


@dataclass(frozen=True, slots=True)
class Change:
    """A file that is not in canonical layout: the text that it holds, and the one that it should hold."""

    path: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Layouts:
    """What looking at several files gave. A file with syntax errors has findings, and no layout."""

    changes: tuple[Change, ...]
    findings: tuple[Diagnostic, ...]
    unreadable: tuple[SourceUnreadable, ...]


def layouts_of(paths: Iterable[str]) -> Layouts:
    """How the files `paths` differ from their canonical layout."""
    changes: list[Change] = []
    findings: list[Diagnostic] = []
    unreadable: list[SourceUnreadable] = []
    for path in paths:
        try:
            source = Source.read(path)
            change = Change(path, Path(path).read_bytes().decode("utf-8"), formatted(source))
        except SourceUnreadable as error:
            unreadable.append(error)
        except CompileFailed as failed:
            findings += failed.diagnostics
        else:
            if change.before != change.after:
                changes.append(change)
    return Layouts(tuple(changes), in_order(findings), tuple(unreadable))


def replace(change: Change) -> None:
    """Puts the file into its canonical layout, in one step, and keeps its mode. Raises NotWritten."""
    path = Path(os.path.realpath(change.path))
    if not os.access(path, os.W_OK):
        raise NotWritten(f"{change.path}: cannot be written: you have no permission to change it")
    write_whole(path, change.after.encode("utf-8"), mode=stat.S_IMODE(path.stat().st_mode))


def difference(change: Change) -> str:
    """The change as a unified diff."""
    return "".join(unified_diff(_lines(change.before), _lines(change.after), change.path, change.path))


def _lines(text: str) -> list[str]:
    *lines, last = text.split("\n")
    return [f"{line}\n" for line in lines] + ([f"{last}\n\\ No newline at end of file\n"] if last else [])
