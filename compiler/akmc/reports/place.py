"""Where a file lies for the services of a team: below the root of its repository, however it was named here."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Root:
    """The folder from which a report names files. Invariant: `folder` is absolute, and above each file named."""

    folder: str

    def path(self, file: str) -> str:
        """`file` from here, with forward slashes."""
        return Path(os.path.relpath(_absolute(file, self.folder), self.folder)).as_posix()

    def uri(self, file: str) -> str:
        """`file` from here as a relative reference (RFC 3986): whatever is not plain in it is percent-encoded."""
        return quote(os.fsencode(self.path(file)))


def root_of(files: Iterable[str], here: str) -> Root:
    """The nearest folder, from the repository that holds the folder `here` upwards, that holds all `files`.

    Without a repository, from `here` itself upwards.
    """
    start = Path(here)
    repository = next((each for each in (start, *start.parents) if (each / ".git").exists()), start)
    folders = [os.path.dirname(_absolute(file, str(repository))) for file in files]
    return Root(os.path.commonpath([str(repository), *folders]))


def _absolute(file: str, root: str) -> str:
    """Where `file` lies. Links on the way are resolved only if it does not seem to lie below `root` otherwise."""
    plain = os.path.abspath(file)
    if os.path.commonpath([root, plain]) == root:
        return plain
    folder, name = os.path.split(plain)
    resolved = os.path.join(os.path.realpath(folder), name)
    return resolved if os.path.commonpath([root, resolved]) == root else plain
