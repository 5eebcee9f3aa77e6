"""Waiting for what a running process does: it writes, it ends, or somebody wants it stopped."""

import os
import select
import time
from contextlib import suppress

from akm.dispatch.supervisor.capture import Capture

#: Bytes read at once.
READ_BYTES_MAX = 64 * 1024

#: Longest single wait, in seconds; callers look again. The system takes no more than 24 days at once.
WAIT_S_MAX = 3_600.0


class Streams:
    """Moves what arrives at some descriptors into their captures.

    `signals` can be read when a signal came, each as a byte of its number.
    """

    def __init__(self, signals: int) -> None:
        self._signals = signals
        self._poll = select.poll()
        self._poll.register(signals, select.POLLIN)
        self._captures: dict[int, Capture] = {}

    def add(self, source: int, capture: Capture) -> None:
        """Move what can be read from `source` into `capture`, until it ends."""
        self._poll.register(source, select.POLLIN)
        self._captures[source] = capture

    def wait(self, seconds: float) -> bytes:
        """Wait until something arrives or `seconds` are over; move what arrived. The signals that came."""
        heard = b""
        for source, _ in self._poll.poll(min(max(0.0, seconds), WAIT_S_MAX) * 1000):
            if source == self._signals:
                with suppress(BlockingIOError):
                    heard = os.read(source, READ_BYTES_MAX)
            else:
                self._move(source)
        return heard

    def pause(self, seconds: float) -> None:
        """Wait the whole time, moving what arrives, so that a full pipe blocks nobody."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.wait(left)

    def read_rest(self, seconds: float) -> None:
        """Read every source to its end, but no longer than `seconds`."""
        deadline = time.monotonic() + seconds
        while self._captures and (left := deadline - time.monotonic()) > 0:
            self.wait(left)

    def _move(self, source: int) -> None:
        chunk = os.read(source, READ_BYTES_MAX)
        if chunk:
            self._captures[source].feed(chunk)
        else:
            self._poll.unregister(source)
            del self._captures[source]
