"""Capturing a stream in a file: masked, bounded, never whole in memory."""

import os
from collections.abc import Iterable
from pathlib import Path

from akm.dispatch.mask import Masker
from akm.dispatch.process import Captured


class Capture:
    """One stream's file. Masking comes before the cap, so that the cut never goes through a secret."""

    def __init__(self, path: Path, bytes_max: int, secrets: Iterable[str]) -> None:
        """Raises OSError when the file cannot be made."""
        self._path = path
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self._bytes_max = bytes_max
        self._masker = Masker(secrets)
        self._bytes = 0
        self._lost = False

    def feed(self, chunk: bytes) -> None:
        """Keep what still fits of `chunk`; the rest is only counted, so that its writer never blocks."""
        if self._bytes > self._bytes_max:
            self._bytes += len(chunk)
        else:
            self._keep(self._masker.feed(chunk))

    def finish(self) -> Captured:
        """The stream has ended: keep what was held back, and mark the cut, if there is one."""
        self._keep(self._masker.finish())
        truncated = self._bytes > self._bytes_max
        if truncated:
            self._write(f"\n[output cut: {self._bytes_max} of {self._bytes} bytes kept]\n".encode())
        return Captured(self._path, self._bytes, truncated, self._lost)

    def close(self) -> None:
        """Close the file. To be called once, whether the stream was finished or not."""
        os.close(self._file)

    def _keep(self, data: bytes) -> None:
        room = max(0, self._bytes_max - self._bytes)
        self._bytes += len(data)
        self._write(data[:room])

    def _write(self, data: bytes) -> None:
        left = memoryview(data)
        while left and not self._lost:
            try:
                left = left[os.write(self._file, left) :]
            except OSError:  # a full disk, above all
                self._lost = True
