"""A real store whose every transaction an engine may not survive."""

from collections.abc import Callable
from pathlib import Path

from akm.clock import TimeSource
from akm.journal.append import Entry
from akm.journal.history import OpenRun
from akm.journal.lease import Holder, Lease
from akm.journal.store import Created, Store
from akm.simulation.shell.faults import Faults
from akm_specs.plan import Plan


class MortalStore(Store):
    """Each durable write has a place before it and one after it. Others may be a moment quicker than an append."""

    def __init__(self, directory: Path, time: TimeSource, faults: Faults, others: Callable[[], None]) -> None:
        super().__init__(directory, create=True, time=time)
        self._faults = faults
        self._others = others

    def create_run(
        self, plan: Plan, data: bytes, workspace: str, holder: Holder, entry: Entry, request: str | None = None
    ) -> Created:
        """Make a run, or find it."""
        self._faults.place("before a run is made")
        found = super().create_run(plan, data, workspace, holder, entry, request)
        self._faults.place("after a run is made")
        return found

    def claim(self, run: str, holder: Holder) -> Lease:
        """Take the lease of a run."""
        self._faults.place("before a claim")
        found = super().claim(run, holder)
        self._faults.place("after a claim")
        return found

    def append(self, run: OpenRun, lease: Lease, entry: Entry) -> OpenRun:
        """The gate."""
        self._faults.place("before an append")
        self._faults.disk()
        self._others()
        after = super().append(run, lease, entry)
        self._faults.place("after an append")
        return after

    def renew(self, lease: Lease) -> None:
        """Renew a lease."""
        self._faults.place("before a renewal")
        super().renew(lease)

    def release(self, lease: Lease) -> None:
        """Give a lease back."""
        self._faults.place("before a release")
        super().release(lease)
        self._faults.place("after a release")
