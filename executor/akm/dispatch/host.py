"""Which process table this host has."""

import sys
from functools import cache

from akm.dispatch.table import ProcessTable


@cache
def host_table() -> ProcessTable:
    """The table of the machine that this runs on."""
    if sys.platform == "linux":
        from akm.dispatch.linux_table import LinuxTable

        return LinuxTable()
    from akm.dispatch.psutil_table import PsutilTable

    return PsutilTable()
