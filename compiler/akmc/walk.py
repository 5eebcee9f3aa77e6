"""Which files are meant by the paths of a command: those it names, and the sources in the folders it names."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from akmc.front_ends import is_source
from akmc.source import SUFFIXES, SourceUnreadable

#: Sources that one folder may hold. More is a folder named by mistake, such as the root of a disk.
FILES_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Sources:
    """The files that were found, each once, and what could not be looked into."""

    files: tuple[str, ...]
    unreadable: tuple[SourceUnreadable, ...]


@dataclass(frozen=True, slots=True)
class _Walk:
    suffixes: tuple[str, ...]
    unreadable: list[SourceUnreadable] = field(default_factory=list)

    def under(self, path: str) -> Iterator[str]:
        if not _is_folder(path):
            yield path
            return
        found = 0
        for folder, subfolders, names in os.walk(path, onerror=self._refuse):
            subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
            for name in sorted(names):
                place = Path(folder, name)
                if self._may_be_source(place) and is_source(place):
                    found += 1
                    if found > FILES_MAX:
                        self.unreadable.append(SourceUnreadable(path, f"it holds more than {FILES_MAX} sources"))
                        return
                    yield str(place)
        if not found and not self.unreadable:
            self.unreadable.append(
                SourceUnreadable(path, f"no file under it is a source ({', '.join(self.suffixes)})")
            )

    def _may_be_source(self, place: Path) -> bool:
        return place.name.endswith(self.suffixes) and not place.name.startswith(".") and place.is_file()

    def _refuse(self, error: OSError) -> None:
        self.unreadable.append(SourceUnreadable(error.filename, f"cannot be searched: {error.strerror}"))


def sources_under(paths: Iterable[str], suffixes: tuple[str, ...] = SUFFIXES) -> Sources:
    """The files that `paths` name, and the sources in the folders that they name, folder by folder in order.

    Of the files in a folder only those count whose names end in one of `suffixes`; those that other files end in
    too have to begin like a source.

    A link to a file is followed, a link to a folder only where a path names it, so no ring of links is walked
    twice. Names that begin with a dot are left out below a folder. A folder without any source counts as
    unreadable: checking nothing must not look like finding nothing.
    """
    walk = _Walk(suffixes)
    files: dict[str, str] = {}
    for path in paths:
        for found in walk.under(path):
            files.setdefault(os.path.abspath(found), found)
    return Sources(tuple(files.values()), tuple(walk.unreadable))


def _is_folder(path: str) -> bool:
    try:
        return os.path.isdir(path)
    except ValueError:  # a path with a NUL in it, which reading will refuse
        return False
