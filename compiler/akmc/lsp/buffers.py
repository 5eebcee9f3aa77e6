"""What an editor has open, before the files on disk: a buffer counts even where it was never saved."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from akmc.front_ends import REGISTRY_FILE
from akmc.source import Source, read_bytes


@dataclass(frozen=True, slots=True)
class Buffer:
    """One open file. `path` names it as findings do; a buffer that has no file has its address for a path."""

    uri: str
    path: str
    version: int
    text: str


@dataclass(frozen=True, slots=True)
class Buffers:
    """The open files, by their paths, and the disk behind them."""

    _open: dict[str, Buffer] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Buffer]:
        return iter(tuple(self._open.values()))

    def get(self, path: str) -> Buffer | None:
        """The buffer of the file `path`, if it is open."""
        return self._open.get(path)

    def put(self, buffer: Buffer) -> None:
        """Takes a buffer's text, unless a newer version of it is known."""
        known = self._open.get(buffer.path)
        if known is None or buffer.version > known.version:
            self._open[buffer.path] = buffer

    def close(self, path: str) -> None:
        """From now on the file on disk counts."""
        self._open.pop(path, None)

    def source(self, path: str) -> Source:
        """The source in a buffer or, without one, in the file. Raises SourceUnreadable."""
        buffer = self._open.get(path)
        data = read_bytes(path) if buffer is None else buffer.text.encode("utf-8", "surrogatepass")
        return Source.decode(path, data)

    def registry_path(self, path: str) -> str | None:
        """Where the registry beside the file `path` would be; None beside a buffer that is no file yet."""
        return str(Path(path).with_name(REGISTRY_FILE)) if os.path.isabs(path) else None

    def registry_beside(self, path: str) -> Source | None:
        """The registry beside the file `path`, open or on disk, if there is one. Raises SourceUnreadable."""
        beside = self.registry_path(path)
        if beside is None or not (beside in self._open or os.path.exists(beside)):
            return None
        return self.source(beside)
