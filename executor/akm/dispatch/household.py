"""Which processes belong to which attempt, among all that this process has started.

Where the host lets us adopt orphans, everything an attempt started stays below us however it detaches:
a daemon that left its session, its group, its environment and its parent becomes our own child. So when
we have no child but the processes that we started ourselves, nothing is left, and that is cheap to ask.

While anything is dispatched, this process must start no session of its own by other means: its leader
would look like such an orphan.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Set
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from threading import Lock

from akm.dispatch.host import host_table
from akm.dispatch.process import TOKEN_VARIABLE, Survivor
from akm.dispatch.spawn import Process
from akm.dispatch.table import ProcessRow, ProcessTable, descendants


@dataclass(frozen=True, slots=True)
class Main:
    """The process that an attempt started itself, the leader of its own session."""

    pid: int
    start_time: int
    token: str


class Household:
    """The main processes of this process's attempts, and their families.

    Invariant: `_mains` holds every main process that is not reaped, so its pid means no other process;
    `_settling` those of them whose attempt is being torn down.
    """

    def __init__(self, table: ProcessTable) -> None:
        self.table = table
        self._lock = Lock()  # a process between its spawn and its place in `_mains` would look like an orphan
        self._adopts: bool | None = None
        self._mains: dict[int, Main] = {}
        self._settling: set[int] = set()

    def start(self, spawn: Callable[[], Process], token: str) -> tuple[Process, Main]:
        """Run `spawn`, whose errors it raises, and know the process from its first moment on."""
        with self._lock:
            if self._adopts is None:
                self._adopts = self.table.adopt_orphans()
            process = spawn()
            row = self.table.row(process.pid)  # there even if it has ended: nobody has reaped it
            main = Main(process.pid, row.start_time if row else 0, token)
            self._mains[main.pid] = main
            return process, main

    def settle(self, main: Main) -> None:
        """The attempt of `main` is being torn down: what nobody else can have started is taken for its."""
        with self._lock:
            self._settling.add(main.pid)

    def forget(self, main: Main) -> None:
        """`main` has been reaped."""
        with self._lock:
            del self._mains[main.pid]
            self._settling.discard(main.pid)

    def family(self, main: Main, known: Set[ProcessRow] = frozenset()) -> tuple[ProcessRow, ...]:
        """`main` and everything it started, as far as it still runs; `known` is what was found of it before.

        Reaps what ended as our own child.
        """
        with self._lock:
            while not self._nothing_left(main):
                rows = self.table.rows()
                orphans = self._orphans(rows.values())
                found = descendants(rows, self._roots(main, rows, orphans, known))
                family = tuple(rows[pid] for pid in found if pid in rows and not rows[pid].ended)
                # Where an orphan ended while we looked, its own orphans may have moved out of our sight.
                if family or not _reap(orphans):
                    return family
            return ()

    def describe(self, rows: Iterable[ProcessRow]) -> tuple[Survivor, ...]:
        """`rows` as they are told to people."""
        return tuple(Survivor(row.pid, self.table.command(row.pid)) for row in rows)

    def _nothing_left(self, main: Main) -> bool:
        children = self.table.children() if self._adopts else None
        if children is None or children - self._mains.keys():
            return False
        row = self.table.row(main.pid)
        return row is None or row.ended

    def _roots(
        self,
        main: Main,
        rows: Mapping[int, ProcessRow],
        orphans: Iterable[ProcessRow],
        known: Set[ProcessRow],
    ) -> set[int]:
        keys = {row.key for row in known}
        roots = {main.pid}
        roots |= {row.pid for row in rows.values() if row.key in keys or main.pid in (row.group, row.session)}
        roots |= {row.pid for row in orphans if self._owns(main, row)}
        if not self._adopts:
            roots |= {pid for pid in rows if self.table.variable(pid, TOKEN_VARIABLE) == main.token}
        return roots

    def _orphans(self, rows: Iterable[ProcessRow]) -> list[ProcessRow]:
        """Our children that we did not start: they left our session, and came after the first main."""
        if not self._adopts or not self._mains:
            return []
        ours, our_session = os.getpid(), os.getsid(0)
        first = min(main.start_time for main in self._mains.values())
        return [
            row
            for row in rows
            if row.parent == ours
            and row.session != our_session
            and row.pid not in self._mains
            and row.start_time >= first
        ]

    def _owns(self, main: Main, orphan: ProcessRow) -> bool:
        """Whether `orphan` was started by `main`: by its token, or because nobody else can have."""
        if orphan.start_time < main.start_time:
            return False
        others = [other for other in self._mains.values() if other != main]
        token = self.table.variable(orphan.pid, TOKEN_VARIABLE)
        if token == main.token:
            return True
        if any(other.token == token or other.pid in (orphan.group, orphan.session) for other in others):
            return False
        return not any(
            other.pid not in self._settling and other.start_time <= orphan.start_time for other in others
        )


def _reap(rows: Iterable[ProcessRow]) -> bool:
    """Reap those of our children `rows` that have ended; whether there were any."""
    reaped = False
    for row in rows:
        if row.ended:
            with suppress(ChildProcessError):
                reaped |= os.waitpid(row.pid, os.WNOHANG) != (0, 0)
    return reaped


@cache
def household() -> Household:
    """The one of this process: adoption, and so whose an orphan can be, is a matter of the whole process."""
    return Household(host_table())
