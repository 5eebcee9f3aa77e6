"""Capturing a stream in a file: masked, bounded, never whole in memory."""

import os
from collections.abc import Iterable
from contextlib import suppress

from akm.dispatch.supervisor.mask import Masker


class Capture:
    """One stream's file. Masking comes before the cap, so that the cut never goes through a secret.

    `kept` counts what the file holds, `bytes` what came in all, as it was kept, and raw beyond the cap.
    `lost`: the file could not be written, and so proves nothing.
    """

    def __init__(self, folder: int, name: str, bytes_max: int, spellings: Iterable[bytes]) -> None:
        """Raises OSError when the file cannot be made."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC
        self._file = os.open(name, flags, 0o600, dir_fd=folder)
        self._bytes_max = bytes_max
        self._masker = Masker(spellings)
        self.bytes = 0
        self.kept = 0
        self.lost = False

    @property
    def truncated(self) -> bool:
        """Whether there was more than the cap."""
        return self.bytes > self._bytes_max

    def feed(self, chunk: bytes) -> None:
        """Keep what still fits of `chunk`; the rest is only counted, so that its writer never blocks."""
        if self.truncated:
            self.bytes += len(chunk)
        else:
            self._keep(self._masker.feed(chunk))

    def finish(self) -> dict[str, int | bool]:
        """The stream has ended: keep what was held back, mark the cut, if there is one; what to tell of it."""
        self._keep(self._masker.finish())
        if self.truncated:
            self._write(f"\n[output cut: {self._bytes_max} of {self.bytes} bytes kept]\n".encode())
        return {"bytes": self.bytes, "kept": self.kept, "truncated": self.truncated, "lost": self.lost}

    def flush(self) -> None:
        """Bring it to the disk, as far as the host can."""
        with suppress(OSError):
            os.fsync(self._file)

    def close(self) -> None:
        """Close the file. To be called once, whether the stream was finished or not."""
        os.close(self._file)

    def _keep(self, data: bytes) -> None:
        room = max(0, self._bytes_max - self.bytes)
        self.bytes += len(data)
        self._write(data[:room])

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left and not self.lost:
            try:
                written = os.write(self._file, left)
            except OSError:  # a full disk, above all
                self.lost = True
                return
            self.kept += written
            left = left[written:]
