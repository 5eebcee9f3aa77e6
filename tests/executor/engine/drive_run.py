"""A process that makes run `r` of a plan, or finds it, drives it, and exits as `akm` would.

Started by tests as `drive_run.py STORE PLAN WORKSPACE`. Environment: DIE_AT_COMMIT=N kills it right after its
Nth commit; STOP_AFTER=EVENT freezes it right after the commit of such an event; LEASE_MS=N shortens its leases.
"""

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from akm.engine import driver
from akm.engine.opening import open_new, this_host
from akm.engine.plans import read
from akm.engine.watcher import Watcher
from akm.journal import lease
from akm.journal.store import Store
from akm.kernel.event import Event
from akm.kernel.state import RunState


class Saboteur(Watcher):
    """Does to its own process what the environment asks for."""

    def __init__(self) -> None:
        self._left = int(os.environ.get("DIE_AT_COMMIT", "0"))
        self._stop_after = os.environ.get("STOP_AFTER")

    def committed(self, before: RunState, after: RunState, events: Sequence[Event]) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        if self._stop_after in [event.name for event in events]:
            os.kill(os.getpid(), signal.SIGSTOP)


def shorten_leases(to_ms: int) -> None:
    for module, name, value in (
        (lease, "LEASE_DURATION_MS", to_ms),
        (driver, "RENEW_INTERVAL_MS", to_ms // 3),
    ):
        assert hasattr(module, name), name
        setattr(module, name, value)


def main(directory: Path, plan: Path, workspace: Path) -> int:
    store = Store(directory, create=True)
    limits, host = driver.Limits(), this_host()
    found = open_new(store, read(plan), {"value": "x"}, "r", workspace, limits, Saboteur(), host)
    signal.signal(signal.SIGTERM, lambda *_: found.interrupt())
    return found.drive().exit


if __name__ == "__main__":
    if "LEASE_MS" in os.environ:
        shorten_leases(int(os.environ["LEASE_MS"]))
    sys.exit(main(*map(Path, sys.argv[1:])))
