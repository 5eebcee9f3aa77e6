"""Which process table this host has."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from akm.dispatch.table import ProcessTable

_brought: list[ProcessTable] = []


def host_table() -> ProcessTable:
    """The table of the machine that this runs on, or that which was brought in its place."""
    return _brought[-1] if _brought else _own_table()


@contextmanager
def another_host(table: ProcessTable) -> Iterator[None]:
    """All that is done inside sees the processes and the boot of `table` instead of this machine's."""
    _brought.append(table)
    try:
        yield
    finally:
        _brought.pop()


@cache
def _own_table() -> ProcessTable:
    if sys.platform == "linux":
        from akm.dispatch.linux_table import LinuxTable

        return LinuxTable()
    from akm.dispatch.psutil_table import PsutilTable

    return PsutilTable()
