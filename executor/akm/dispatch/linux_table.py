"""Linux's process table, read from /proc by hand.

A start time here is in clock ticks since boot, which no step of the wall clock changes. psutil would
derive its own from the wall clock, and takes longer to import than a tool like `true` takes to run.
"""

import os
import signal
from contextlib import suppress
from functools import cache

from akm.dispatch.table import ProcessRow

_PR_SET_CHILD_SUBREAPER = 36


class LinuxTable:
    """A `ProcessTable`. Processes that `hidepid` hides from us are other users', and none of ours."""

    def rows(self) -> dict[int, ProcessRow]:
        """Every process that can be seen, by pid."""
        found = (self.row(int(name)) for name in os.listdir("/proc") if name.isdigit())
        return {row.pid: row for row in found if row is not None}

    def row(self, pid: int) -> ProcessRow | None:
        """The process `pid`, if there is one."""
        text = _read(f"/proc/{pid}/stat")
        # pid (command) state parent group session ...; a command may itself hold blanks and parentheses
        fields = text[text.rfind(b")") + 2 :].split()
        if len(fields) < 20:
            return None
        parent, group, session = (int(field) for field in fields[1:4])
        return ProcessRow(pid, parent, group, session, int(fields[19]), fields[0] in (b"Z", b"X"))

    def variable(self, pid: int, name: str) -> str | None:
        """An environment variable that `pid` was started with."""
        prefix = os.fsencode(name) + b"="
        for entry in _read(f"/proc/{pid}/environ").split(b"\0"):
            if entry.startswith(prefix):
                return os.fsdecode(entry[len(prefix) :])
        return None

    def command(self, pid: int) -> str:
        """The first 15 bytes of the program's name, which is what the kernel keeps."""
        return _read(f"/proc/{pid}/comm").decode(errors="replace").strip()

    def send(self, row: ProcessRow, signal_number: int) -> None:
        """Signal through a pid file descriptor, so that a reused pid is never hit."""
        with suppress(ProcessLookupError):
            try:
                handle = os.pidfd_open(row.pid)
            except OSError as error:
                if isinstance(error, ProcessLookupError | PermissionError):
                    raise
                os.kill(row.pid, signal_number)  # a kernel or a sandbox without such descriptors
                return
            try:
                now = self.row(row.pid)
                if now is not None and now.start_time == row.start_time:
                    signal.pidfd_send_signal(handle, signal_number)
            finally:
                os.close(handle)

    def boot_id(self) -> str:
        """Names this boot, as the kernel does."""
        return _boot_id()

    def pid_namespace(self) -> str:
        """Names the pid namespace of this process."""
        return _pid_namespace()

    def adopt_orphans(self) -> bool:
        """Become a child subreaper."""
        import ctypes  # here, because only who starts processes needs it

        prctl = getattr(ctypes.CDLL(None), "prctl", None)
        return prctl is not None and prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0


@cache
def _boot_id() -> str:
    with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
        return file.read().strip()


@cache
def _pid_namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


def _read(path: str) -> bytes:
    """The file's content; empty when the process is gone, or none of our business."""
    try:
        with open(path, "rb", buffering=0) as file:
            return file.readall()
    except OSError:
        return b""
