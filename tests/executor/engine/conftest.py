"""Drivers on real processes, in this process or each in its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from akm.clock import TimeSource
from akm.dispatch.found import Supervised, look
from akm.dispatch.identity import is_alive, signal_process
from akm.engine.driver import Driver, Limits
from akm.engine.opening import Host, open_existing, open_new, this_host
from akm.engine.plans import FrozenPlan
from akm.engine.standing import Standing
from akm.engine.watcher import Watcher
from akm.journal.store import Store
from akm.kernel.event import Recorded
from akm.kernel.invariants import History, check

UNLIMITED = Limits()

#: Drives a run in a process of its own.
DRIVE = Path(__file__).with_name("drive_run.py")


class Workshop:
    """A workspace and a store, and drivers of run `r` in it: in this process, or each in its own."""

    quiet = Watcher()

    def __init__(self, root: Path) -> None:
        self.workspace = root / "workspace"
        self.workspace.mkdir()
        self.directory = root / "store"
        self.plan_file = root / "plan.json"
        self._open: list[Store] = []
        self._children: list[subprocess.Popen[bytes]] = []

    def store(self, time: TimeSource | None = None) -> Store:
        """One more connection; closed with the workshop."""
        self._open.append(Store(self.directory, create=True, time=time))
        return self._open[-1]

    def new(
        self,
        frozen: FrozenPlan,
        limits: Limits = UNLIMITED,
        watcher: Watcher | None = None,
        store: Store | None = None,
        **ambient: str,
    ) -> Driver:
        """The driver of run `r`, made or found."""
        store, host = store or self.store(), Host({**os.environ, **ambient}, this_host().time)
        return open_new(store, frozen, {"value": "x"}, "r", self.workspace, limits, watcher or self.quiet, host)

    def resumed(self, limits: Limits = UNLIMITED, **ambient: str) -> Standing:
        """Run `r` driven on in this process."""
        host = Host({**os.environ, **ambient}, this_host().time)
        return open_existing(self.store(), "r", limits, self.quiet, host).drive()

    def child(self, frozen: FrozenPlan, **settings: str) -> "subprocess.Popen[bytes]":
        """A process of its own that drives run `r`."""
        self.plan_file.write_bytes(frozen.data)
        argv = [sys.executable, *map(str, (DRIVE, self.directory, self.plan_file, self.workspace))]
        self._children.append(
            subprocess.Popen(argv, env={**os.environ, **settings}, stderr=subprocess.PIPE, start_new_session=True)
        )
        return self._children[-1]

    def is_driven_by(self, child: "subprocess.Popen[bytes]") -> bool:
        """Whether the process holds the lease of run `r`."""
        with closing(Store(self.directory, create=True)) as store:
            record = store.lease("r")
        return record is not None and record.process.pid == child.pid

    def history(self) -> tuple[Recorded, ...]:
        """Everything recorded of run `r`, proved; and no recovery invariant is broken."""
        store = self.store()
        opened = store.load("r")
        events = tuple(store.recorded("r"))
        assert check(History(opened.plan, events, store.run("r").summary)) == ()
        return events

    def _supervised(self) -> list[Path]:
        """The records of attempts whose supervisor still sees them through."""
        records = self.directory.glob("runs/r/*/process")
        found = [(record, look(record.parent)) for record in records]
        return [
            record
            for record, one in found
            if isinstance(one, Supervised) and one.end is None and is_alive(one.supervisor)
        ]

    def lines(self, name: str) -> list[str]:
        """What tools have written to a file of the workspace."""
        file = self.workspace / name
        return file.read_text().splitlines() if file.exists() else []

    def left(self) -> list[str]:
        """The processes that run in the workspace, as tools and their descendants do, and supervisors at work."""
        inside = str(self.workspace)
        running = psutil.process_iter(["cwd", "name"])
        tools = [one.info["name"] for one in running if (one.info["cwd"] or "").startswith(inside)]
        return tools + [f"supervisor of {record.parent.name}" for record in self._supervised()]

    def record(self, step_attempt: str, number: int = 1) -> Path:
        """What is written down about the process of an attempt (`one.1` and its number)."""
        return self.directory / "runs" / "r" / f"{step_attempt}.{number}" / "process"

    def kill_supervisor(self, step_attempt: str, number: int = 1) -> None:
        """The supervisor of an attempt dies as well; its tool goes on."""
        found = look(self.record(step_attempt, number).parent)
        assert isinstance(found, Supervised), found
        signal_process(found.supervisor, signal.SIGKILL)
        deadline = time.monotonic() + 30
        while is_alive(found.supervisor):
            assert time.monotonic() < deadline
            time.sleep(0.002)

    def kill_supervisors(self) -> None:
        """Those of all attempts that are under way."""
        for record in self._supervised():
            step_attempt, _, number = record.parent.name.rpartition(".")
            self.kill_supervisor(step_attempt, int(number))

    def close(self) -> None:
        """Leave nothing open and nothing running."""
        for child in self._children:
            child.kill()
            child.wait()
            if child.stderr is not None:
                child.stderr.close()
        for store in self._open:
            store.close()
        if (self.directory / "runs").is_dir():
            self.kill_supervisors()
        for one in psutil.process_iter(["cwd"]):
            if (one.info["cwd"] or "").startswith(str(self.workspace)):
                one.kill()


@pytest.fixture
def workshop_in(tmp_path: Path) -> Iterator[Callable[[str], Workshop]]:
    """Makes workshops, each in a directory of its own name."""
    made: list[Workshop] = []

    def make(name: str) -> Workshop:
        (tmp_path / name).mkdir()
        made.append(Workshop(tmp_path / name))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def workshop(workshop_in: Callable[[str], Workshop]) -> Workshop:
    """A workspace and a store, and drivers on them."""
    return workshop_in("workshop")
