"""Stopping a family: asking first, killing then, and telling the truth about what survives."""

import signal
from collections.abc import Callable, Set
from dataclasses import dataclass, field

from akm.dispatch.table import ProcessRow, descendants
from akm.dispatch.teardown import stop_family


def row(pid: int, parent: int = 1) -> ProcessRow:
    return ProcessRow(pid, parent, pid, pid, start_time=pid, ended=False)


@dataclass
class Host:
    """A process table whose processes answer signals as told. Pausing moves its clock's hands by hand."""

    alive: dict[int, ProcessRow]
    deaf: set[int] = field(default_factory=set)
    forbidden: set[int] = field(default_factory=set)
    sent: list[tuple[int, int]] = field(default_factory=list)
    when_asked: Callable[[int], None] = lambda pid: None

    def family(self, known: Set[ProcessRow]) -> tuple[ProcessRow, ...]:
        return tuple(self.alive.values())

    def rows(self) -> dict[int, ProcessRow]:
        return dict(self.alive)

    def row(self, pid: int) -> ProcessRow | None:
        return self.alive.get(pid)

    def variable(self, pid: int, name: str) -> str | None:
        return None

    def command(self, pid: int) -> str:
        return f"program-{pid}"

    def boot_id(self) -> str:
        return "a boot"

    def pid_namespace(self) -> str:
        return ""

    def adopt_orphans(self) -> bool:
        return False

    def send(self, row: ProcessRow, signal_number: int) -> None:
        if row.pid in self.forbidden:
            raise PermissionError(row.pid)
        self.sent.append((row.pid, signal_number))
        if signal_number == signal.SIGTERM:
            self.when_asked(row.pid)
        if signal_number == signal.SIGKILL or (signal_number == signal.SIGTERM and row.pid not in self.deaf):
            self.alive.pop(row.pid, None)


def stop(host: Host, grace_s: float = 0.02) -> tuple[ProcessRow, ...]:
    return stop_family(host.family, host, grace_s, pause=lambda seconds: None)


def test_nothing_is_signalled_when_there_is_nothing() -> None:
    host = Host({})
    assert (stop(host), host.sent) == ((), [])


def test_what_obeys_is_never_killed() -> None:
    host = Host({2: row(2), 3: row(3)})
    assert stop(host) == ()
    assert {number for _, number in host.sent} == {signal.SIGTERM, signal.SIGCONT}


def test_each_process_is_asked_once_and_the_deaf_one_is_killed() -> None:
    host = Host({2: row(2), 3: row(3)}, deaf={3})
    assert stop(host) == ()
    assert host.sent.count((3, signal.SIGTERM)) == 1
    assert host.sent[-1] == (3, signal.SIGKILL)


def test_what_is_started_while_stopping_is_stopped_too() -> None:
    host = Host({2: row(2)})

    def start_another(pid: int) -> None:
        if pid < 6:
            host.alive[pid + 1] = row(pid + 1, parent=pid)

    host.when_asked = start_another
    assert stop(host) == ()
    assert [pid for pid, number in host.sent if number == signal.SIGTERM] == [2, 3, 4, 5, 6]


def test_what_was_found_once_is_remembered_when_its_links_are_gone() -> None:
    host = Host({2: row(2), 3: row(3)}, deaf={3})
    found: list[int] = []

    def family(known: Set[ProcessRow]) -> tuple[ProcessRow, ...]:
        found.append(len(known))
        linked = 2 in host.alive  # 3 is known only through 2, which obeys at once
        return tuple(row for row in host.alive.values() if linked or row in known)

    assert stop_family(family, host, 0.02, pause=lambda seconds: None) == ()
    assert host.alive == {}
    assert found[:2] == [0, 2]


def test_what_may_not_be_killed_is_a_survivor_and_the_rest_is_gone() -> None:
    host = Host({2: row(2), 3: row(3)}, deaf={2}, forbidden={3})
    assert stop(host) == (row(3),)
    assert host.alive == {3: row(3)}


def test_descendants_of_a_table_with_a_cycle_are_finite() -> None:
    rows = {2: row(2, parent=4), 3: row(3, parent=2), 4: row(4, parent=3), 9: row(9)}
    assert descendants(rows, [3]) == {2, 3, 4}
    assert descendants(rows, [7]) == {7}
