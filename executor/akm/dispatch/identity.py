"""Which process is meant, beyond a pid that the host will use again."""

from typing import Literal, NamedTuple, TypeAlias

from akm.dispatch.host import host_table

#: `unseen`: of another boot, host or container, so that nothing can be proven from here.
Presence: TypeAlias = Literal["alive", "gone", "unseen"]


class ProcessIdentity(NamedTuple):
    """One process, on one boot of one host, seen from one pid namespace. A named tuple: see `ProcessRow`."""

    pid: int
    start_time: int
    boot_id: str
    pid_namespace: str


def boot_id() -> str:
    """Names this boot of this host. Raises HostUnsupported."""
    return host_table().boot_id()


def pid_namespace() -> str:
    """Names the space in which our pids count; empty on systems that have only one."""
    return host_table().pid_namespace()


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
