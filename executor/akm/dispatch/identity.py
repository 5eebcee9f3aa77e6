"""Which process is meant, beyond a pid that the host will use again."""

import os
import sys
from functools import cache
from typing import Literal, NamedTuple, TypeAlias

from akm.dispatch.host import host_table

#: `unseen`: of another boot, host or container, so that nothing can be proven from here.
Presence: TypeAlias = Literal["alive", "gone", "unseen"]


class HostUnsupported(OSError):
    """This system has no boot id, so no process can be told from a later one with the same pid."""


class ProcessIdentity(NamedTuple):
    """One process, on one boot of one host, seen from one pid namespace. A named tuple: see `ProcessRow`."""

    pid: int
    start_time: int
    boot_id: str
    pid_namespace: str


@cache
def boot_id() -> str:
    """Names this boot of this host. Raises HostUnsupported."""
    if sys.platform == "linux":
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    if sys.platform == "darwin":
        return _darwin_boot_id()
    raise HostUnsupported(f"{sys.platform} has no boot id: run akm on Linux or macOS")


@cache
def pid_namespace() -> str:
    """Names the space in which our pids count; empty on systems that have only one."""
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def identify(pid: int) -> ProcessIdentity | None:
    """The process that `pid` is now, a zombie included; None when there is none. Raises HostUnsupported."""
    row = host_table().row(pid)
    return None if row is None else ProcessIdentity(pid, row.start_time, boot_id(), pid_namespace())


def presence(identity: ProcessIdentity) -> Presence:
    """Whether that very process still runs. A zombie is gone. Raises HostUnsupported."""
    if (identity.boot_id, identity.pid_namespace) != (boot_id(), pid_namespace()):
        return "unseen"
    row = host_table().row(identity.pid)
    return "alive" if row is not None and not row.ended and row.start_time == identity.start_time else "gone"


def signal_process(identity: ProcessIdentity, number: int) -> None:
    """Signal that very process; no effect once it is gone. Raises PermissionError."""
    table = host_table()
    row = table.row(identity.pid)
    if row is not None and row.start_time == identity.start_time:
        table.send(row, number)


def is_alive(identity: ProcessIdentity) -> bool:
    """Whether that very process is seen running. Not the opposite of provably gone: see `presence`."""
    return presence(identity) == "alive"


def _darwin_boot_id() -> str:
    import ctypes

    buffer = ctypes.create_string_buffer(64)
    size = ctypes.c_size_t(len(buffer))
    if ctypes.CDLL(None).sysctlbyname(b"kern.bootsessionuuid", buffer, ctypes.byref(size), None, 0) != 0:
        raise HostUnsupported("the kernel does not tell its boot session")
    return buffer.value.decode("ascii")
