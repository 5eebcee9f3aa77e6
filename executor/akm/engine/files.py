"""Files of the workspace that results and gates name.

A path is relative to the workspace and stays inside it, links included; whatever leads out is not there.
"""

from collections.abc import Mapping
from pathlib import Path

from akm.kernel.observation import StoredFile
from akm_specs.canonical import hash_bytes

#: Largest file that is copied into the content-addressed store, in bytes.
FILE_BYTES_MAX = 64 * 1024 * 1024


class Files:
    """`kept` holds what was read but not yet committed, by hash; the next append stores it."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace
        self.kept: dict[str, bytes] = {}

    def exists(self, path: str) -> bool:
        """Whether a file of the workspace is at `path`."""
        return self._inside(path, ".") is not None

    def sha256(self, path: str, directory: str) -> str | None:
        """The hash of a file, or None where it is not there or cannot be read."""
        found = self._inside(path, directory, strict=False)
        try:
            return hash_bytes(found.read_bytes()) if found is not None else None
        except OSError:
            return None

    def keep(self, path: str, root: Path | None = None) -> StoredFile | None:
        """Read a file for the content-addressed store; None where it is not there, outside, or too large.

        `root` is another workspace than the run's own.
        """
        found = (self if root is None else Files(root))._inside(path, ".")
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

    def _inside(self, path: str, directory: str, *, strict: bool = True) -> Path | None:
        """The file at `path`, if it is one; with `strict` only inside the workspace."""
        try:
            root = self.workspace.resolve()
            found = (root / directory / path).resolve()
            inside = not strict or found.is_relative_to(root)
            return found if inside and found.is_file() else None
        except (OSError, ValueError):
            return None
