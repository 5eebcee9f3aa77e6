"""A host that is made up: its processes, its clocks and its boots. It is a `ProcessTable` and a `TimeSource`."""

import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from akm.dispatch.identity import ProcessIdentity
from akm.dispatch.supervisor.spawn import TOKEN_VARIABLE
from akm.dispatch.table import ProcessRow

_WALL = datetime(2026, 1, 1, tzinfo=UTC)
#: A start time that no engine shares with an earlier one.
_FIRST_START = 1_000


class Life(Protocol):
    """What a process and its supervisor do, without any engine."""

    due_ms: int
    heeds: bool
    folder: Path

    def ends(self) -> None:
        """By itself, when it is due."""

    def stopped(self) -> None:
        """Because its engine asked for it."""


@dataclass(slots=True)
class SimulatedProcess:
    """One process. `life` says when it is due and what becomes of it; once `asked`, it is stopped instead."""

    row: ProcessRow
    token: str
    life: Life
    asked: bool = False


class SimulatedHost:
    """Invariant: `_processes` holds what runs, by pid; this program's own pid is that of the engine at work."""

    def __init__(self) -> None:
        self.now_ms = 1_000_000
        self._wall_ms = 0
        self._boot = 1
        self._starts = _FIRST_START
        self._next_pid = os.getpid() + 1
        self._processes: dict[int, SimulatedProcess] = {}
        self._engine = self._row(os.getpid(), 1)

    # what happens to it

    def engine_restarts(self) -> None:
        """The engine's process is gone, and another has its pid."""
        self._engine = self._row(os.getpid(), 1)

    def reboots(self) -> None:
        """Every process is gone without a word."""
        self._boot += 1
        self.now_ms = 1_000
        self._processes.clear()
        self.engine_restarts()

    def passes(self, ms: int) -> None:
        """Time passes, and what is due meanwhile happens in its order."""
        until = self.now_ms + ms
        while (first := self._first_due()) is not None and first.life.due_ms <= until:
            self.now_ms = max(self.now_ms, first.life.due_ms)
            del self._processes[first.row.pid]
            if first.asked:
                first.life.stopped()
            else:
                first.life.ends()
        self.now_ms = until

    def next_due_ms(self) -> int | None:
        """When the next process ends."""
        first = self._first_due()
        return None if first is None else first.life.due_ms

    def wall_jumps(self, ms: int) -> None:
        """Somebody sets the wall clock."""
        self._wall_ms += ms

    def begins(self, token: str, life: Life) -> ProcessIdentity:
        """A process in a session of its own."""
        row = self._row(self._next_pid, os.getpid())
        self._next_pid += 1
        self._processes[row.pid] = SimulatedProcess(row, token, life)
        return ProcessIdentity(row.pid, row.start_time, self.boot_id(), self.pid_namespace())

    def asks(self, process: ProcessIdentity, grace_ms: int) -> None:
        """A supervisor is asked to stop its process, which may take `grace_ms`, or end by itself meanwhile."""
        found = self._processes.get(process.pid)
        if found is None or found.asked:
            return
        stops_ms = self.now_ms + (1 if found.life.heeds else grace_ms)
        if stops_ms <= found.life.due_ms:
            found.asked, found.life.due_ms = True, stops_ms

    def leaves(self, process: ProcessIdentity) -> None:
        """A process ends, having done nothing."""
        self._processes.pop(process.pid, None)

    @property
    def alive(self) -> Iterable[SimulatedProcess]:
        """What runs, beside the engine."""
        return tuple(self._processes.values())

    def _first_due(self) -> SimulatedProcess | None:
        return min(self._processes.values(), key=lambda one: (one.life.due_ms, one.row.pid), default=None)

    def _row(self, pid: int, parent: int) -> ProcessRow:
        self._starts += 1
        return ProcessRow(pid, parent, pid, pid, self._starts, ended=False)

    # as a process table

    def rows(self) -> dict[int, ProcessRow]:
        """Every process."""
        return {self._engine.pid: self._engine, **{pid: one.row for pid, one in self._processes.items()}}

    def row(self, pid: int) -> ProcessRow | None:
        """The process `pid`."""
        return self.rows().get(pid)

    def variable(self, pid: int, name: str) -> str | None:
        """The token of an attempt."""
        return self._processes[pid].token if name == TOKEN_VARIABLE and pid in self._processes else None

    def command(self, pid: int) -> str:
        """They are all one program."""
        return "simulated"

    def send(self, row: ProcessRow, signal_number: int) -> None:
        """A signal that ends a process ends its supervisor too: nobody records it."""
        found = self._processes.get(row.pid)
        if found is not None and found.row == row and signal_number in (signal.SIGTERM, signal.SIGKILL):
            del self._processes[row.pid]

    def boot_id(self) -> str:
        """Names this boot."""
        return f"00000000-0000-0000-0000-{self._boot:012d}"

    def pid_namespace(self) -> str:
        """There is one."""
        return "simulated"

    def adopt_orphans(self) -> bool:
        """There are none."""
        return True

    # as clocks

    def boottime_ms(self) -> int:
        """Milliseconds since this boot."""
        return self.now_ms

    def utc(self) -> str:
        """The wall clock."""
        wall = _WALL + timedelta(milliseconds=self.now_ms + self._wall_ms)
        return wall.isoformat(timespec="milliseconds").replace("+00:00", "Z")
