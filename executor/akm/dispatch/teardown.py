"""Stopping processes: ask, wait, kill, and tell what could not be killed."""

import signal
import time
from collections.abc import Callable, Sequence, Set

from akm.dispatch.table import ProcessRow, ProcessTable

#: How long killed processes may take to vanish. Only one that hangs in the kernel needs longer.
KILL_WAIT_S = 5.0

_PAUSE_MIN_S = 0.002
_PAUSE_MAX_S = 0.05

#: Finds what still runs of a family, given what was found of it before: members lose their links to
#: each other when some of them end.
Family = Callable[[Set[ProcessRow]], Sequence[ProcessRow]]
Pause = Callable[[float], None]


def stop_family(family: Family, table: ProcessTable, grace_s: float, pause: Pause) -> tuple[ProcessRow, ...]:
    """SIGTERM to all that `family` finds, SIGKILL after `grace_s` to what is left; what survives even that.

    `family` is asked again and again, since what is being stopped may start more. `pause` waits for a number
    of seconds. Takes at most `grace_s` + KILL_WAIT_S and a pause; no time when there is no family.
    """
    known: set[ProcessRow] = set()
    asked: set[tuple[int, int]] = set()

    def find() -> Sequence[ProcessRow]:
        rows = family(known)
        known.update(rows)
        return rows

    def ask(rows: Sequence[ProcessRow]) -> bool:
        for row in rows:
            if row.key not in asked:
                asked.add(row.key)
                _send(table, row, signal.SIGTERM)
                _send(table, row, signal.SIGCONT)  # a stopped process would never see the first one
        return True

    def kill(rows: Sequence[ProcessRow]) -> bool:
        sent = [_send(table, row, signal.SIGKILL) for row in rows]
        return any(sent)

    if not _until_gone(find, ask, grace_s, pause):
        return ()
    return _until_gone(find, kill, KILL_WAIT_S, pause)


def _until_gone(
    find: Callable[[], Sequence[ProcessRow]],
    act: Callable[[Sequence[ProcessRow]], bool],
    seconds: float,
    pause: Pause,
) -> tuple[ProcessRow, ...]:
    """`act` on what is left until nothing is, the time is over, or `act` says that it can do nothing."""
    deadline = time.monotonic() + seconds
    wait = _PAUSE_MIN_S
    while rows := find():
        if not act(rows) or time.monotonic() >= deadline:
            return tuple(rows)
        pause(min(wait, max(0.0, deadline - time.monotonic())))
        wait = min(wait * 2, _PAUSE_MAX_S)
    return ()


def _send(table: ProcessTable, row: ProcessRow, signal_number: int) -> bool:
    """Whether the host let us."""
    try:
        table.send(row, signal_number)
    except PermissionError:
        return False
    return True
