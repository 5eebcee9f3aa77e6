"""Masking secrets in a stream, wherever it is cut into chunks."""

import base64
import json
import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

MASK = b"***"

#: How much of a secret's base64 must be recognisable to be masked inside a longer encoded text, in
#: characters. Less would also hit innocent text.
BASE64_PART_MIN = 8


def spellings(secret: str) -> set[bytes]:
    """The ways in which programs usually write `secret`: plain, in JSON, in a URL, in base64.

    Base64 of a longer text that contains the secret (as in `user:secret`) is covered by the part of it
    that depends on the secret alone, for each of the three ways in which it can be aligned.
    """
    plain = secret.encode("utf-8", "surrogateescape")
    texts = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]}
    texts |= {quote(plain, safe=""), quote_plus(plain)}
    encoded = {base64.b64encode(plain).rstrip(b"=")} | {_aligned(plain, shift) for shift in range(3)}
    encoded |= {part.translate(bytes.maketrans(b"+/", b"-_")) for part in encoded}
    return {plain, *(text.encode("utf-8", "surrogateescape") for text in texts), *encoded} - {b""}


def _aligned(plain: bytes, shift: int) -> bytes:
    """The base64 characters that `plain` alone decides when `shift` bytes stand before it."""
    first = -(-shift * 8 // 6)
    last = (shift + len(plain)) * 8 // 6
    part = base64.b64encode(bytes(shift) + plain)[first:last]
    return part if len(part) >= BASE64_PART_MIN else b""


class Masker:
    """Replaces every spelling of every secret by `***`; spellings that overlap are replaced together.

    Invariant: what has been handed out holds no part of a spelling that was found. `_held` is the end of the
    stream so far that could still begin one; its first `_covered` bytes belong to a mask already handed out.
    """

    def __init__(self, secrets: Iterable[str]) -> None:
        found = sorted({spelling for secret in secrets for spelling in spellings(secret)}, key=len, reverse=True)
        self._longest = len(found[0]) if found else 1
        self._pattern = re.compile(b"|".join(map(re.escape, found))) if found else None
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
