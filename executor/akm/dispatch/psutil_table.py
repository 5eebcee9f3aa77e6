"""The process table of any other system that psutil knows, macOS above all."""

import os
import sys
from functools import cache

import psutil

from akm.dispatch.table import HostUnsupported, ProcessRow


class PsutilTable:
    """A `ProcessTable`. Start times are in microseconds since the epoch, as the system recorded them."""

    def rows(self) -> dict[int, ProcessRow]:
        """Every process that can be seen, by pid."""
        found = (self.row(pid) for pid in psutil.pids())
        return {row.pid: row for row in found if row is not None}

    def row(self, pid: int) -> ProcessRow | None:
        """The process `pid`, if there is one that we may look at."""
        try:
            process = psutil.Process(pid)
            with process.oneshot():
                return ProcessRow(
                    pid,
                    process.ppid(),
                    os.getpgid(pid),
                    os.getsid(pid),
                    int(process.create_time() * 1_000_000),
                    process.status() == psutil.STATUS_ZOMBIE,
                )
        except (psutil.Error, OSError):
            return None

    def variable(self, pid: int, name: str) -> str | None:
        """An environment variable that `pid` was started with."""
        try:
            return psutil.Process(pid).environ().get(name)
        except (psutil.Error, OSError):
            return None

    def command(self, pid: int) -> str:
        """The program's name."""
        try:
            return psutil.Process(pid).name()
        except (psutil.Error, OSError):
            return ""

    def send(self, row: ProcessRow, signal_number: int) -> None:
        """Signal the process if it is still the one of `row`."""
        now = self.row(row.pid)
        if now is None or now.start_time != row.start_time:
            return
        try:
            os.kill(row.pid, signal_number)
        except ProcessLookupError:
            return

    def boot_id(self) -> str:
        """Names this boot. Raises HostUnsupported."""
        return _boot_id()

    def pid_namespace(self) -> str:
        """There is only one here."""
        return ""

    def adopt_orphans(self) -> bool:
        """There is no such thing here."""
        return False


@cache
def _boot_id() -> str:
    import ctypes

    if sys.platform != "darwin":
        raise HostUnsupported(f"{sys.platform} has no boot id: run akm on Linux or macOS")
    buffer = ctypes.create_string_buffer(64)
    size = ctypes.c_size_t(len(buffer))
    if ctypes.CDLL(None).sysctlbyname(b"kern.bootsessionuuid", buffer, ctypes.byref(size), None, 0) != 0:
        raise HostUnsupported("the kernel does not tell its boot session")
    return buffer.value.decode("ascii")
