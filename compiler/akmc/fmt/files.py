"""Files and their canonical layout: which of them differ from it, how, and putting them into it."""

import os
import stat
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path

from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.fmt import formatted
from akmc.plan_file import NotWritten, write_whole
from akmc.source import Source, SourceUnreadable, read_bytes
from akmc.walk import Sources


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


def layouts_of(sources: Sources) -> Layouts:
    """How the files of `sources` differ from their canonical layout."""
    changes: list[Change] = []
    findings: list[Diagnostic] = []
    unreadable = list(sources.unreadable)
    for path in sources.files:
        try:
            data = read_bytes(path)
            after = formatted(Source.decode(path, data))
        except SourceUnreadable as error:
            unreadable.append(error)
        except CompileFailed as failed:
            findings += failed.diagnostics
        else:
            if data != after.encode("utf-8"):
                changes.append(Change(path, data.decode("utf-8"), after))
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
