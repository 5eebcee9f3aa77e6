"""The life of one process: claimed, started, watched, stopped if need be, followed to its last descendant.

Nothing here asks whether an engine lives. What becomes of the process is written down in its folder, whoever reads
it: the engine that asked for it, or the next one.
"""

import os
import time
from collections.abc import Iterable
from contextlib import ExitStack, closing, suppress
from signal import SIGUSR1
from typing import Any, NamedTuple

from akm.dispatch import record
from akm.dispatch.identity import identify
from akm.dispatch.supervisor.capture import Capture
from akm.dispatch.supervisor.family import Family
from akm.dispatch.supervisor.request import Request
from akm.dispatch.supervisor.spawn import TOKEN_VARIABLE, NotSpawned, spawn
from akm.dispatch.supervisor.streams import Streams
from akm.dispatch.table import ProcessTable
from akm.dispatch.teardown import stop_family

#: How long descendants may take, in seconds, once the process itself has ended and they were asked to end.
LEFTOVER_GRACE_S = 1.0
#: How long the streams are read, in seconds, when all is over: only a survivor can still hold one open.
REST_WAIT_S = 1.0
#: How long a process has to run before it is named in the record, in seconds. To name one takes half as long as
#: `true` runs, and only who outlives its supervisor is looked for by name.
NAME_AFTER_S = 0.05
#: How many survivors are told, so that the record of an end is written into a pipe at once.
SURVIVORS_MAX = 16


class Host(NamedTuple):
    """What a supervisor has of its machine.

    `adopts`: orphans below us become our own children. `signals` can be read when a signal came; `defaults` are
    those that we treat in our own way, and that are set back in what we start.
    """

    table: ProcessTable
    adopts: bool
    signals: int
    defaults: tuple[int, ...]
    supervisor: dict[str, object]


class Life:
    """One process, from the request to its end. `run` is all of it; afterwards `flush` and `close`."""

    def __init__(self, request: Request, host: Host) -> None:
        self._request = request
        self._host = host
        self._open = ExitStack()
        self._folder = -1
        self._record = -1
        self._captures: tuple[Capture, ...] = ()
        self._flushed = True

    def run(self) -> dict[str, Any]:
        """Start the process and see it through: on return nothing of it runs that can be stopped.

        How it ended, as it is recorded. Raises NotSpawned.
        """
        try:
            self._folder = os.open(self._request.folder, os.O_RDONLY | os.O_DIRECTORY)
            self._open.callback(os.close, self._folder)
            self._record = record.claim(self._folder, "starting", self._claim())
            self._open.callback(os.close, self._record)
        except FileExistsError as error:
            raise NotSpawned("started_already") from error
        except OSError as error:
            raise NotSpawned("folder_unusable") from error
        try:
            return self._see_through(Streams(self._host.signals))
        except NotSpawned as failure:
            with suppress(OSError):  # a later engine knows less then
                record.append(self._record, "revoked", {"fence": self._request.fence, "code": failure.code})
            raise

    @property
    def handed_over(self) -> bool:
        """Whether another engine has taken it over from the one that asked for it."""
        with suppress(OSError):
            return record.owner(self._folder, self._request.fence) != self._request.fence
        return False

    def flush(self) -> None:
        """Bring everything that is known of it to the disk, unless it is there already."""
        if self._flushed:
            return
        self._flushed = True
        for capture in self._captures:
            capture.flush()
        for file in (self._record, self._folder):
            with suppress(OSError):
                os.fsync(file)

    def close(self) -> None:
        """Close everything."""
        self._open.close()

    def _claim(self) -> dict[str, object]:
        request = self._request
        return {
            "generation": record.GENERATION,
            "work": request.work,
            "token": request.token,
            "fence": request.fence,
            "supervisor": self._host.supervisor,
        }

    def _see_through(self, streams: Streams) -> dict[str, Any]:
        with ExitStack() as pipes:
            begun = time.monotonic()
            family = self._start(streams, pipes)
            verdict = self._watch(family, streams, begun + self._request.timeout_ms / 1000)
            grace_s = LEFTOVER_GRACE_S if verdict == "ended" else self._request.grace_ms / 1000
            survivors = stop_family(family.running, self._host.table, grace_s, streams.pause)
            streams.read_rest(REST_WAIT_S)
        family.reap()
        end = self._end(family, verdict, (row.pid for row in survivors), time.monotonic() - begun)
        self._flushed = False
        with suppress(OSError):  # a full disk: the engine hears of it all the same, if there is one
            record.append(self._record, "ended", end)
        return end

    def _start(self, streams: Streams, pipes: ExitStack) -> Family:
        """Open everything first, so that a full disk means that nothing was started. Raises NotSpawned."""
        request = self._request
        with ExitStack() as theirs:
            try:
                stdin = self._stdin()
                theirs.callback(os.close, stdin)
                stdout, stderr = (self._pipe(name, streams, pipes, theirs) for name in ("stdout", "stderr"))
                if record.stop_is_asked(self._folder, request.fence):
                    raise NotSpawned("stopped_before_start")
            except OSError as error:
                raise NotSpawned("folder_unusable") from error
            environment = {**request.environment, TOKEN_VARIABLE: request.token}
            given = (stdin, stdout, stderr)
            pid = spawn(request.argv, request.directory, environment, given, self._host.defaults)
        return Family(pid, request.token, self._host.table, self._host.adopts)

    def _stdin(self) -> int:
        """What the process reads: the given bytes, which are kept, or nothing. Raises OSError."""
        if self._request.stdin is None:
            return os.open(os.devnull, os.O_RDONLY)
        file = os.open("input.json", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600, dir_fd=self._folder)
        with open(file, "wb", closefd=False) as writing:
            writing.write(self._request.stdin)
        os.lseek(file, 0, os.SEEK_SET)
        return file

    def _pipe(self, name: str, streams: Streams, ours: ExitStack, theirs: ExitStack) -> int:
        """The end that the process writes to; what arrives at ours is captured. Raises OSError."""
        request = self._request
        capture = self._open.enter_context(
            closing(Capture(self._folder, name, request.output_bytes_max, request.spellings))
        )
        self._captures += (capture,)
        reader, writer = os.pipe()
        ours.callback(os.close, reader)
        theirs.callback(os.close, writer)
        streams.add(reader, capture)
        return writer

    def _watch(self, family: Family, streams: Streams, deadline: float) -> str:
        """Move output until the process has ended, or has to be: `ended`, `timed_out` or `stopped`."""
        name_in_s = NAME_AFTER_S
        while True:
            family.reap()
            if family.status is not None:
                return "ended"
            now = time.monotonic()
            if now >= deadline:
                return "timed_out"
            if SIGUSR1 in streams.wait(min(deadline - now, name_in_s)) and self._stop_is_asked():
                return "stopped"
            name_in_s -= time.monotonic() - now
            if name_in_s <= 0:
                self._name(family.pid)
                name_in_s = float("inf")

    def _name(self, pid: int) -> None:
        """Say which process it is, for whoever finds it without us."""
        with suppress(OSError):
            identity = identify(pid)
            if identity is not None:
                record.append(self._record, "running", identity._asdict())

    def _stop_is_asked(self) -> bool:
        with suppress(OSError):
            return record.stop_is_asked(self._folder, self._request.fence)
        return False

    def _end(self, family: Family, verdict: str, survivors: Iterable[int], seconds: float) -> dict[str, Any]:
        code = None if family.status is None else os.waitstatus_to_exitcode(family.status)
        stdout, stderr = (capture.finish() for capture in self._captures)
        return {
            "exit_code": code if code is not None and code >= 0 else None,
            "signal": -code if code is not None and code < 0 else None,
            "timed_out": verdict == "timed_out",
            "stopped": verdict == "stopped",
            "survivors": list(survivors)[:SURVIVORS_MAX],
            "duration_ms": round(seconds * 1000),
            "stdout": stdout,
            "stderr": stderr,
        }
