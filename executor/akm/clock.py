"""Time: a run's own monotonic clock, carried over restarts by persisted samples. Wall time is for reading only.

Suspend counts (the boot clock runs on). Time powered off cannot be known: after a reboot at least the
time since that boot has passed, and no more is claimed.
"""

import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from akm.dispatch.identity import boot_id
from akm.kernel.event import Instant


@dataclass(frozen=True, slots=True)
class ClockSample:
    """The run's clock showed `elapsed_ms` when the clock of boot `boot_id` showed `boottime_ms`."""

    boot_id: str
    boottime_ms: int
    elapsed_ms: int


class TimeSource(Protocol):
    """Where time comes from; tests and simulation bring their own."""

    def boot_id(self) -> str:
        """Names this boot of this host."""
        ...

    def boottime_ms(self) -> int:
        """Milliseconds since this boot, suspend included."""
        ...

    def utc(self) -> str:
        """The wall clock, ISO 8601 with milliseconds."""
        ...


class HostTime:
    """This host's clocks."""

    def boot_id(self) -> str:
        """Names this boot of this host."""
        return boot_id()

    def boottime_ms(self) -> int:
        """Milliseconds since this boot, suspend included."""
        if sys.platform == "linux":
            return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
        return time.monotonic_ns() // 1_000_000

    def utc(self) -> str:
        """The wall clock, ISO 8601 with milliseconds."""
        return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class RunClock:
    """Counts a run's milliseconds on from `sample`, or from 0 where there is none."""

    def __init__(self, source: TimeSource, sample: ClockSample | None = None) -> None:
        self._source = source
        boottime_ms = source.boottime_ms()
        if sample is None:
            self._base = ClockSample(source.boot_id(), boottime_ms, 0)
        elif sample.boot_id == source.boot_id():
            self._base = sample
        else:
            self._base = ClockSample(source.boot_id(), 0, sample.elapsed_ms)

    def elapsed_ms(self) -> int:
        """The run's clock now. It never goes back."""
        return self.elapsed_at(self._source.boottime_ms())

    def elapsed_at(self, boottime_ms: int) -> int:
        """The run's clock at a moment of the boot clock."""
        return self._base.elapsed_ms + max(0, boottime_ms - self._base.boottime_ms)

    def instant(self, elapsed_ms: int) -> Instant:
        """`elapsed_ms` with the wall time of now, for people."""
        return Instant(self._source.utc(), elapsed_ms)

    def sample(self, elapsed_ms: int) -> ClockSample:
        """What to persist with something recorded at `elapsed_ms`."""
        boottime_ms = self._base.boottime_ms + elapsed_ms - self._base.elapsed_ms
        return ClockSample(self._base.boot_id, boottime_ms, elapsed_ms)
