"""What is asked of a process, and what is known of it once it is gone."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class ProcessRequest:
    """A process to start: `argv` in `directory`, with no shell and no environment but `environment`.

    `stdin` None closes standard input (it reads as empty). `secrets` are masked in what is captured.
    `output_bytes_max` bounds each stream. `folder` is this attempt's own: `stdout`, `stderr`, `input.json`
    and the record of the process are written there, readable by their owner alone. `work` says what it is the
    process of; `token` is unique to that and to this store.

    Invariant: there is a program to run, a time to run it in, and no negative cap.
    """

    argv: tuple[str, ...]
    directory: Path
    stdin: bytes | None
    environment: Mapping[str, str]
    secrets: tuple[str, ...]
    timeout_ms: int
    output_bytes_max: int
    folder: Path
    work: str
    token: str

    def __post_init__(self) -> None:
        assert self.argv, "a program"
        assert self.timeout_ms > 0, self.timeout_ms
        assert self.output_bytes_max >= 0, self.output_bytes_max


class ProcessKeeper(Protocol):
    """What an engine needs of whoever starts its processes and sees each of them through."""

    def warm_up(self) -> None:
        """A process will be started soon."""

    def start(self, key: str, request: ProcessRequest) -> None:
        """Start a process; `wait` tells its end. `key` must not be in use."""

    def take_over(self, key: str, folder: Path, work: str, token: str) -> None:
        """Go on with what another engine started. Raises OSError."""

    def wait(self, timeout_s: float) -> "tuple[str, ProcessEnd] | None":
        """The next end, waiting at most `timeout_s`; None when there was none, or `wake` was called."""

    def wake(self) -> None:
        """Make a waiting `wait` return; safe in a signal handler, and from any thread."""

    def stop(self, key: str) -> None:
        """Ask the process to end. Returns at once."""

    def drain(self) -> "tuple[Survivor, ...]":
        """Stop everything and see every end, which `wait` still tells; what could not be killed."""

    def close(self) -> None:
        """Let all go, after `drain`."""


@dataclass(frozen=True, slots=True)
class Captured:
    """One stream, as its file holds it: masked, and cut at the cap.

    `bytes` counts what came in all, as it was kept, and raw beyond the cap. `truncated`: there was more than
    the cap, and the file ends with a line that says so. `lost`: the file could not be written, and so proves
    nothing.
    """

    path: Path
    bytes: int = 0
    truncated: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Survivor:
    """A process that outlived what should have ended it. `command` is the program's name, no arguments."""

    pid: int
    command: str


def told(survivors: tuple[Survivor, ...]) -> tuple[str, ...]:
    """Survivors as they are recorded."""
    return tuple(f"{survivor.pid} {survivor.command}" for survivor in survivors)


@dataclass(frozen=True, slots=True)
class ProcessEnd:
    """How a process ended; every descendant of it is gone as well, but for `survivors`.

    One of `exit_code`, `signal` and `spawn_error` says how; all are None only when nobody can know: the
    process survived, or its supervisor did not. `spawn_error` is a machine code, and proves that nothing
    ever ran: not_found, not_executable, directory_missing, argument_list_too_long, folder_unusable,
    stopped_before_start, spawn_failed. `timed_out` or `stopped` says that we ended the process, and why;
    it may have answered that with an exit code of its own, even with 0. `taken`: it goes on, or ended, as the
    process of another engine, and is no business of ours any more.
    """

    stdout: Captured
    stderr: Captured
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    stopped: bool = False
    spawn_error: str | None = None
    survivors: tuple[Survivor, ...] = ()
    duration_ms: int = 0
    taken: bool = False


def never_started(folder: Path, code: str) -> ProcessEnd:
    """The end of a process that never was."""
    stdout, stderr = Captured(folder / "stdout"), Captured(folder / "stderr")
    return ProcessEnd(stdout, stderr, stopped=code == "stopped_before_start", spawn_error=code)


def unknown_end(folder: Path, survivors: tuple[Survivor, ...] = (), *, taken: bool = False) -> ProcessEnd:
    """The end of a process that nobody has seen. It proves nothing."""
    stdout, stderr = Captured(folder / "stdout", lost=True), Captured(folder / "stderr", lost=True)
    return ProcessEnd(stdout, stderr, survivors=survivors, taken=taken)


def recorded_end(folder: Path, told: Mapping[str, Any], survivors: tuple[Survivor, ...]) -> ProcessEnd:
    """The end that a supervisor recorded. Raises KeyError, TypeError or ValueError on what none would write."""
    for name in ("exit_code", "signal"):
        if not isinstance(told[name], int | None):
            raise TypeError(name)
    return ProcessEnd(
        stdout=_captured(folder / "stdout", told["stdout"]),
        stderr=_captured(folder / "stderr", told["stderr"]),
        exit_code=told["exit_code"],
        signal=told["signal"],
        timed_out=bool(told["timed_out"]),
        stopped=bool(told["stopped"]),
        survivors=survivors,
        duration_ms=int(told["duration_ms"]),
    )


def _captured(path: Path, told: Mapping[str, Any]) -> Captured:
    return Captured(path, int(told["bytes"]), bool(told["truncated"]), bool(told["lost"]))
