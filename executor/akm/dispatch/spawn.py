"""Starting one process, and how it ended, in words of our own."""

import errno
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TypeAlias

from akm.dispatch.process import TOKEN_VARIABLE, ProcessRequest

Process: TypeAlias = "subprocess.Popen[bytes]"
Stdin: TypeAlias = "int | IO[bytes]"

_CODES = {
    errno.ENOENT: "not_found",
    errno.ENOTDIR: "not_found",
    errno.EACCES: "not_executable",
    errno.ENOEXEC: "not_executable",
    errno.EISDIR: "not_executable",
    errno.E2BIG: "argument_list_too_long",
}


class NotSpawned(Exception):
    """No process came to be. `code` is the `spawn_error` that says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def spawn(request: ProcessRequest, stdin: Stdin) -> Process:
    """The process that `request` asks for, as the leader of a session and group of its own.

    Raises NotSpawned.
    """
    if not _enterable(request.directory):
        raise NotSpawned("directory_missing")
    try:
        return subprocess.Popen(
            request.argv,
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=request.directory,
            env={**request.environment, TOKEN_VARIABLE: request.token},
            start_new_session=True,
        )
    except OSError as error:
        raise NotSpawned(_CODES.get(error.errno or 0, "spawn_failed")) from error
    except ValueError as error:  # a null byte somewhere, or a variable's name with an equals sign
        raise NotSpawned("spawn_failed") from error


def _enterable(directory: Path) -> bool:
    return directory.is_dir() and os.access(directory, os.X_OK)


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """At most one of the two; neither when somebody else reaped the process, so that nobody can know."""

    exit_code: int | None = None
    signal: int | None = None


def exit_status(process: Process) -> ExitStatus | None:
    """How `process` ended; None while it runs. Does not reap it where the host can tell without.

    An unreaped process keeps its pid from being used again. Popen itself would report 0 for a process that
    somebody else reaped, which is the one answer that must never be guessed.
    """
    if not hasattr(os, "waitid"):
        code = process.poll()
        return None if code is None else _status(code)
    try:
        ended = os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return ExitStatus()
    if ended is None:
        return None
    return _status(ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status)


def _status(returncode: int) -> ExitStatus:
    return ExitStatus(exit_code=returncode) if returncode >= 0 else ExitStatus(signal=-returncode)
