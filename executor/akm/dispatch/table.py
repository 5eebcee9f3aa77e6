"""A process table: what can be seen of other processes, and the one way to signal them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Protocol


class ProcessRow(NamedTuple):
    """One process at one moment. `start_time` tells two processes of one pid apart, and orders by age.

    `ended`: a zombie, which runs nothing any more and only waits to be reaped. A named tuple, since a supervisor
    has to start fast.
    """

    pid: int
    parent: int
    group: int
    session: int
    start_time: int
    ended: bool

    @property
    def key(self) -> tuple[int, int]:
        """What no other process has, and what never changes in this one's life."""
        return self.pid, self.start_time


class HostUnsupported(OSError):
    """This system has no boot id, so no process can be told from a later one with the same pid."""


class ProcessTable(Protocol):
    """What dispatch needs of an operating system."""

    def rows(self) -> dict[int, ProcessRow]:
        """Every process that can be seen, by pid."""

    def row(self, pid: int) -> ProcessRow | None:
        """The process `pid`, if there is one."""

    def variable(self, pid: int, name: str) -> str | None:
        """An environment variable that `pid` was started with; None also when it cannot be read."""

    def command(self, pid: int) -> str:
        """The program's name, without its arguments: those may hold secrets."""

    def send(self, row: ProcessRow, signal: int) -> None:
        """Signal exactly the process that `row` describes; no effect once it is gone.

        Raises PermissionError when the host forbids it.
        """

    def boot_id(self) -> str:
        """Names this boot of the host. Raises HostUnsupported."""

    def pid_namespace(self) -> str:
        """Names the space in which pids count; empty where there is only one."""

    def adopt_orphans(self) -> bool:
        """Become the parent of descendants whose own parent ends. False where the host has no such thing."""


def descendants(rows: Mapping[int, ProcessRow], roots: Iterable[int]) -> set[int]:
    """`roots` and everything below them. Cycles, which a table read row by row can show, are harmless."""
    children: dict[int, list[int]] = {}
    for row in rows.values():
        children.setdefault(row.parent, []).append(row.pid)
    found: set[int] = set()
    pending = list(roots)
    while pending:
        pid = pending.pop()
        if pid not in found:
            found.add(pid)
            pending.extend(children.get(pid, ()))
    return found
