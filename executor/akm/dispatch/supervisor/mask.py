"""Masking secrets in a stream, wherever it is cut into chunks."""

import re
from collections.abc import Iterable

MASK = b"***"


#: Spellings that encoders and terminals break into lines: one word of an encoding's letters, of some length.
_WORD = re.compile(rb"[A-Za-z0-9+/_-]{16,4096}")


def _folds(spelling: bytes) -> bool:
    return _WORD.fullmatch(spelling) is not None


def _written(spelling: bytes) -> bytes:
    """The expression that finds `spelling`, also where a line ends within it."""
    if not _folds(spelling):
        return re.escape(spelling)
    return rb"(?:\r?\n)?".join(re.escape(spelling[at : at + 1]) for at in range(len(spelling)))


class Masker:
    """Replaces every spelling of every secret by `***`; spellings that overlap are replaced together.

    Invariant: what has been handed out holds no part of a spelling that was found. `_held` is the end of the
    stream so far that could still begin one; its first `_covered` bytes belong to a mask already handed out.
    """

    def __init__(self, spellings: Iterable[bytes]) -> None:
        """`spellings`: all of all secrets; see `akm.dispatch.spellings`."""
        found = sorted(set(spellings), key=len, reverse=True)
        self._longest = max((len(each) * (3 if _folds(each) else 1) for each in found), default=1)
        self._pattern = re.compile(b"|".join(map(_written, found))) if found else None
        self._held = b""
        self._covered = 0

    def feed(self, chunk: bytes) -> bytes:
        """The masked bytes that are certain once `chunk` is there."""
        if self._pattern is None:
            return chunk
        data = self._held + chunk
        return self._mask(data, max(0, len(data) - self._longest + 1))

    def finish(self) -> bytes:
        """The rest, masked: nothing more will come."""
        return self._mask(self._held, len(self._held))

    def _mask(self, data: bytes, certain: int) -> bytes:
        """Hand out `data[:certain]`, masked: a spelling that starts there lies in `data` whole."""
        pieces: list[bytes] = []
        done = self._covered  # up to here everything is handed out or masked
        match = self._pattern.search(data) if self._pattern else None
        while match is not None and match.start() < certain:
            start = match.start()
            if start >= done:
                pieces += (data[done:start], MASK)
            done = max(done, match.end())
            assert self._pattern is not None
            match = self._pattern.search(data, start + 1)
        if done < certain:
            pieces.append(data[done:certain])
            done = certain
        self._held, self._covered = data[certain:], done - certain
        return b"".join(pieces)
