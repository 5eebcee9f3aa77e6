"""Waiting for what a running process does: it writes, it ends, or somebody wants it stopped."""

import os
import selectors
import time

from akm.dispatch.capture import Capture

#: Bytes read at once.
READ_BYTES_MAX = 64 * 1024


#: Longest single wait, in seconds; callers look again. The system takes no more than 24 days at once.
WAIT_S_MAX = 3_600.0


class Bell:
    """Wakes a waiting thread.

    Its descriptors live as long as anybody can still ring it, so that a late `ring` never writes into
    one that was closed and given to something else.
    """

    def __init__(self) -> None:
        """Raises OSError when this process has no descriptors left."""
        self.reader, self._writer = os.pipe()

    def ring(self) -> None:
        """Safe in a signal handler, and from any thread."""
        os.write(self._writer, b".")

    def __del__(self) -> None:
        if hasattr(self, "reader"):
            os.close(self.reader)
            os.close(self._writer)


class Streams:
    """Moves what arrives at some descriptors into their captures. A bell wakes once, then it is ignored."""

    def __init__(self) -> None:
        """Raises OSError when this process has no descriptors left."""
        self._selector = selectors.DefaultSelector()
        self._open: set[int] = set()

    def add(self, source: int, capture: Capture) -> None:
        """Move what can be read from `source` into `capture`, until it ends."""
        self._selector.register(source, selectors.EVENT_READ, capture)
        self._open.add(source)

    def add_bell(self, bell: int) -> None:
        """Let `wait` return when `bell` can be read."""
        self._selector.register(bell, selectors.EVENT_READ)

    @property
    def open(self) -> bool:
        """Whether any source has not come to its end."""
        return bool(self._open)

    def wait(self, seconds: float) -> None:
        """Wait until something arrives, a bell rings, or `seconds` are over; move what arrived."""
        for key, _ in self._selector.select(min(max(0.0, seconds), WAIT_S_MAX)):
            if not isinstance(key.data, Capture):
                self._selector.unregister(key.fd)
                continue
            chunk = os.read(key.fd, READ_BYTES_MAX)
            if chunk:
                key.data.feed(chunk)
            else:
                self._selector.unregister(key.fd)
                self._open.discard(key.fd)

    def pause(self, seconds: float) -> None:
        """Wait the whole time, moving what arrives, so that a full pipe blocks nobody."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.wait(left)

    def read_rest(self, seconds: float) -> None:
        """Read every source to its end, but no longer than `seconds`."""
        deadline = time.monotonic() + seconds
        while self._open and (left := deadline - time.monotonic()) > 0:
            self.wait(left)

    def close(self) -> None:
        """Forget all descriptors, which stay open."""
        self._selector.close()
