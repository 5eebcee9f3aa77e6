"""What still runs of the process that we supervise.

Where the host lets us adopt orphans, everything that it started stays below us however it detaches: a daemon that
left its session, its group, its environment and its parent becomes our own child. We supervise one process at a
time, so whatever is below us is its family; and when we have no child any more, nothing of it is left.
"""

import os
from collections.abc import Set

from akm.dispatch.supervisor.spawn import TOKEN_VARIABLE
from akm.dispatch.table import ProcessRow, ProcessTable, descendants

#: How often we look again for who has moved between two looks at the table, before those count as out of reach.
_LOOKS_MAX = 50


class Family:
    """The process `pid`, which we started with `token`, and all that came of it.

    `status` is how the process ended, as `waitpid` tells it; None while it runs.
    """

    def __init__(self, pid: int, token: str, table: ProcessTable, adopts: bool) -> None:
        self.pid = pid
        self.status: int | None = None
        self._token = token
        self._table = table
        self._adopts = adopts
        self._childless = False

    def reap(self) -> None:
        """Take notice of everything that has ended."""
        while not self._childless:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                self._childless = True
                return
            if pid == 0:
                return
            if pid == self.pid:
                self.status = status

    def running(self, known: Set[ProcessRow] = frozenset()) -> tuple[ProcessRow, ...]:
        """What of it still runs; `known` is what was found of it before."""
        for _ in range(_LOOKS_MAX):
            self.reap()
            if self._adopts and self._childless:
                return ()
            rows = self._table.rows()
            found = descendants(rows, self._roots(rows, known)) - {os.getpid()}
            family = tuple(rows[pid] for pid in found if pid in rows and not rows[pid].ended)
            if family or not self._adopts:
                return family
        return ()  # what is left is hidden from us, and so nothing that we may signal

    def _roots(self, rows: dict[int, ProcessRow], known: Set[ProcessRow]) -> set[int]:
        """Below whom we look. By kinship where we adopt, else by session, group, token and what we knew."""
        if self._adopts:
            return {os.getpid()}
        keys = {row.key for row in known}
        return {
            row.pid
            for row in rows.values()
            if row.key in keys
            or row.parent == os.getpid()
            or self.pid in (row.group, row.session)
            or self._table.variable(row.pid, TOKEN_VARIABLE) == self._token
        }
