"""The life of one process: announced, started, watched, stopped if need be, followed to its last descendant."""

import os
import subprocess
import time
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from typing import Literal, TypeAlias

from akm.dispatch import start
from akm.dispatch.capture import Capture
from akm.dispatch.household import Household, Main
from akm.dispatch.identity import identify
from akm.dispatch.process import Captured, ProcessEnd, ProcessRequest
from akm.dispatch.spawn import ExitStatus, NotSpawned, Process, Stdin, exit_status, spawn
from akm.dispatch.streams import Bell, Streams
from akm.dispatch.table import ProcessRow
from akm.dispatch.teardown import stop_family

#: How long descendants may take, in seconds, once the process itself has ended and they were asked to end.
LEFTOVER_GRACE_S = 1.0
#: How long the streams are read, in seconds, when all is over: only a survivor can still hold one open.
REST_WAIT_S = 1.0
#: How often we look whether a process has ended, in seconds, on a system that cannot tell us.
LOOK_INTERVAL_S = 0.02

_Verdict: TypeAlias = Literal["ended", "timed_out", "stopped"]


@dataclass(frozen=True, slots=True)
class _Desk:
    """What is opened for a process before it starts."""

    stdin: Stdin
    stdout: Capture
    stderr: Capture
    streams: Streams


class Attempt:
    """One process. `run` is its whole life, on the thread that calls it; `stop` is for any other thread.

    Invariant: while `pid` is None nothing was started, and once `stop` was called nothing ever will be.
    """

    def __init__(self, request: ProcessRequest, household: Household, grace_s: float) -> None:
        self.request = request
        self.pid: int | None = None
        self._household = household
        self._grace_s = grace_s
        self._stop_asked = False
        self._bell: Bell | None = None

    def stop(self) -> None:
        """Ask for the end. Returns at once; safe in a signal handler, any number of times."""
        if not self._stop_asked:
            self._stop_asked = True
            if self._bell is not None:
                self._bell.ring()

    def run(self) -> ProcessEnd:
        """Start the process and see it through: on return nothing of it runs that can be stopped."""
        begun = time.monotonic()
        with ExitStack() as resources:
            try:
                desk = self._prepare(resources)
                process, main = self._start(desk.stdin)
            except NotSpawned as failure:
                return never_started(self.request, failure.code)
            return self._see_through(process, main, desk, begun)

    def _prepare(self, resources: ExitStack) -> _Desk:
        """Open everything first, so that a full disk means that nothing was started. Raises NotSpawned."""
        request, folder = self.request, self.request.folder
        stdin: Stdin = subprocess.DEVNULL
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            stdout, stderr = (
                resources.enter_context(closing(Capture(folder / name, request.output_bytes_max, request.secrets)))
                for name in ("stdout", "stderr")
            )
            if request.stdin is not None:
                given = folder / "input.json"
                given.touch(mode=0o600)
                given.write_bytes(request.stdin)
                stdin = resources.enter_context(given.open("rb"))
        except OSError as error:
            raise NotSpawned("folder_unusable") from error
        return _Desk(stdin, stdout, stderr, self._listen(resources))

    def _listen(self, resources: ExitStack) -> Streams:
        """From here on a stop is heard at once. Raises NotSpawned."""
        try:
            streams = resources.enter_context(closing(Streams()))
            self._bell = Bell()
        except OSError as error:
            raise NotSpawned("spawn_failed") from error
        streams.add_bell(self._bell.reader)
        return streams

    def _start(self, stdin: Stdin) -> tuple[Process, Main]:
        """Spawn, with the start record written around it. Raises NotSpawned."""
        request, folder = self.request, self.request.folder
        if self._stop_asked:
            raise NotSpawned("stopped_before_start")
        try:
            start.announce(folder)
        except OSError as error:
            raise NotSpawned("folder_unusable") from error
        try:
            process, main = self._household.start(lambda: spawn(request, stdin), request.token)
        except NotSpawned:
            with suppress(OSError):  # the announcement stays then, and a later engine knows less
                start.withdraw(folder)
            raise
        self.pid = process.pid
        with suppress(OSError):
            identity = identify(process.pid)
            if identity is not None:
                start.record(folder, identity)
        return process, main

    def _see_through(self, process: Process, main: Main, desk: _Desk, begun: float) -> ProcessEnd:
        verdict: _Verdict = "stopped"
        survivors: tuple[ProcessRow, ...] = ()
        with ExitStack() as resources:
            for pipe, capture in ((process.stdout, desk.stdout), (process.stderr, desk.stderr)):
                assert pipe is not None, "both were asked for"
                desk.streams.add(resources.enter_context(pipe).fileno(), capture)
            told = _tell_of_end(process, desk.streams, resources)
            try:
                verdict = self._watch(process, desk.streams, begun + self.request.timeout_ms / 1000, told)
            finally:
                grace_s = LEFTOVER_GRACE_S if verdict == "ended" else self._grace_s
                survivors = self._tear_down(main, desk.streams, grace_s)
            desk.streams.read_rest(REST_WAIT_S)
        status = self._reap(process, main)
        return ProcessEnd(
            stdout=desk.stdout.finish(),
            stderr=desk.stderr.finish(),
            exit_code=status.exit_code,
            signal=status.signal,
            timed_out=verdict == "timed_out",
            stopped=verdict == "stopped",
            survivors=self._household.describe(survivors),
            duration_ms=round((time.monotonic() - begun) * 1000),
        )

    def _watch(self, process: Process, streams: Streams, deadline: float, told: bool) -> _Verdict:
        """Move output until the process has ended, or has to be."""
        while exit_status(process) is None:
            left = deadline - time.monotonic()
            if self._stop_asked:
                return "stopped"
            if left <= 0:
                return "timed_out"
            streams.wait(left if told else min(left, LOOK_INTERVAL_S))
        return "ended"

    def _tear_down(self, main: Main, streams: Streams, grace_s: float) -> tuple[ProcessRow, ...]:
        household = self._household
        household.settle(main)
        return stop_family(lambda known: household.family(main, known), household.table, grace_s, streams.pause)

    def _reap(self, process: Process, main: Main) -> ExitStatus:
        """How the process ended, and its pid is free again. One that survived stays ours, and says nothing."""
        status = exit_status(process)
        if status is None:
            return ExitStatus()
        process.wait()
        self._household.forget(main)
        return status


def never_started(request: ProcessRequest, code: str) -> ProcessEnd:
    """The end of a process that never was."""
    return ProcessEnd(
        Captured(request.folder / "stdout"),
        Captured(request.folder / "stderr"),
        stopped=code == "stopped_before_start",
        spawn_error=code,
    )


def unknown_end(request: ProcessRequest) -> ProcessEnd:
    """The end of a process that something unforeseen kept us from following. It proves nothing."""
    return ProcessEnd(
        Captured(request.folder / "stdout", lost=True), Captured(request.folder / "stderr", lost=True)
    )


def _tell_of_end(process: Process, streams: Streams, resources: ExitStack) -> bool:
    """Let `streams` wake when the process ends; False where the host offers no way."""
    if not hasattr(os, "pidfd_open"):
        return False
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:  # an old kernel, a sandbox, no descriptors left
        return False
    resources.callback(os.close, handle)
    streams.add_bell(handle)
    return True
