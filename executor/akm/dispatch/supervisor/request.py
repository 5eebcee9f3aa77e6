"""What an engine asks of a supervisor, and how it is sent: one length-prefixed message in a pipe."""

import marshal
import os
from typing import NamedTuple

_LENGTH_BYTES = 8


class Request(NamedTuple):
    """A process to start and to see through.

    `work` names what it is the process of, `token` marks it and its descendants, and `fence` is the fencing token
    of the lease under which it is started. `spellings` are masked in each stream of at most `output_bytes_max`.
    """

    folder: str
    work: str
    token: str
    fence: int
    argv: tuple[str, ...]
    directory: str
    environment: dict[str, str]
    stdin: bytes | None
    spellings: tuple[bytes, ...]
    timeout_ms: int
    grace_ms: int
    output_bytes_max: int


def send(pipe: int, request: Request) -> None:
    """Write `request` whole. Raises BrokenPipeError when nobody reads any more."""
    data = marshal.dumps(tuple(request))
    left = memoryview(len(data).to_bytes(_LENGTH_BYTES, "big") + data)
    while left:
        left = left[os.write(pipe, left) :]


def receive(pipe: int) -> Request | None:
    """The next request; None when there will be none. Waits for it."""
    length = _read(pipe, _LENGTH_BYTES)
    data = None if length is None else _read(pipe, int.from_bytes(length, "big"))
    return None if data is None else Request(*marshal.loads(data))  # noqa: S302  # written by our own engine


def _read(pipe: int, count: int) -> bytes | None:
    """Exactly so many bytes, or None when the pipe ends before."""
    pieces = []
    while count > 0:
        piece = os.read(pipe, min(count, 1 << 20))
        if not piece:
            return None
        pieces.append(piece)
        count -= len(piece)
    return b"".join(pieces)
