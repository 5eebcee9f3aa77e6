"""Files of the workspace that results and gates name.

A path is relative to the workspace and stays inside it, links included; whatever leads out is not there.
"""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from stat import S_ISREG

from akm.kernel.observation import StoredFile
from akm_specs.canonical import hash_bytes

#: Largest file that is copied into the content-addressed store, in bytes.
FILE_BYTES_MAX = 64 * 1024 * 1024
#: A file that was changed as long ago changes its version with the next change: file systems count time in grains.
_SETTLED_NS = 2_000_000_000


class Files:
    """`kept` holds what was read but not yet committed, by hash; the next append stores it.

    Invariant: `_hashes` has the version and the hash of files that had not changed for a while when they were read.
    """

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.kept: dict[str, bytes] = {}
        self._hashes: dict[Path, tuple[tuple[int, ...], str]] = {}

    def exists(self, path: str) -> bool:
        """Whether a file of the workspace is at `path`."""
        return self._inside(path) is not None

    def sha256(self, path: str, directory: str) -> str | None:
        """The hash of a file, or None where it is not there or cannot be read."""
        found = self.workspace / directory / path
        try:
            seen = found.stat()
            return self._hash(found, seen) if S_ISREG(seen.st_mode) else None
        except (OSError, ValueError):
            return None

    def _hash(self, file: Path, seen: os.stat_result) -> str:
        """The hash of a file, read again unless it is provably the one that was read last. Raises OSError."""
        version = (seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns)
        known = self._hashes.get(file)
        if known is not None and known[0] == version:
            return known[1]
        sha256 = hash_bytes(file.read_bytes())
        if time.time_ns() - seen.st_ctime_ns > _SETTLED_NS:
            self._hashes[file] = version, sha256
        return sha256

    def keep(self, path: str, root: Path | None = None) -> StoredFile | None:
        """Read a file for the content-addressed store; None where it is not there, outside, or too large.

        `root` is another workspace than the run's own.
        """
        found = (self if root is None else Files(root))._inside(path)
        try:
            if found is None or found.stat().st_size > FILE_BYTES_MAX:
                return None
            data = found.read_bytes()
        except OSError:
            return None
        return self.keep_bytes(data)

    def keep_bytes(self, data: bytes) -> StoredFile:
        """Put `data` into the content-addressed store."""
        sha256 = hash_bytes(data)
        self.kept[sha256] = data
        return StoredFile(sha256, len(data))

    def take_kept(self) -> dict[str, bytes]:
        """What the next append has to store."""
        kept, self.kept = self.kept, {}
        return kept

    def give_back(self, files: Mapping[str, bytes]) -> None:
        """What the last append was to store, and did not: the next has to."""
        self.kept.update(files)

    def _inside(self, path: str) -> Path | None:
        """The file at `path`, if it is one inside the workspace."""
        try:
            root = self.workspace.resolve()
            found = (root / path).resolve()
            return found if found.is_relative_to(root) and found.is_file() else None
        except (OSError, ValueError):
            return None
