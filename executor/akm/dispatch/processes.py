"""All processes that one engine has running, and the one way to end them all."""

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from akm.dispatch.attempt import REST_WAIT_S, Attempt, never_started, unknown_end
from akm.dispatch.household import household
from akm.dispatch.process import Captured, ProcessEnd, ProcessRequest, Survivor
from akm.dispatch.teardown import KILL_WAIT_S

__all__ = ["Captured", "OnEnd", "ProcessEnd", "ProcessRequest", "Processes", "Survivor"]

#: How long a process and its descendants may take to end, in milliseconds, after they were asked to.
GRACE_MS = 10_000

_DRAIN_LOOK_S = 0.005
#: What a teardown may take beyond its waits, in seconds: scans of a long process table, a busy machine.
_DRAIN_SLACK_S = 5.0

OnEnd: TypeAlias = Callable[[str, ProcessEnd], None]


class Processes:
    """The teardown registry of an engine.

    Invariant: `_living` holds each attempt until its `on_end` has returned; `_by_key` those of them that can
    still be stopped. No lock is ever taken here, so every method may be called from a signal handler.
    """

    def __init__(self, grace_ms: int = GRACE_MS) -> None:
        self._grace_s = grace_ms / 1000
        self._living: set[Attempt] = set()
        self._by_key: dict[str, Attempt] = {}
        self._begun: set[Attempt] = set()
        self._survivors: list[Survivor] = []
        self._draining = False
        _hear_of_children()

    def start(self, key: str, request: ProcessRequest, on_end: OnEnd) -> None:
        """Start a process. Returns at once; `on_end(key, end)` is called exactly once, on another thread.

        `key` must not be in use; it is free again when `on_end` is called. After `drain` nothing is started
        any more: the end says `stopped_before_start`.
        """
        assert key not in self._by_key, key
        attempt = Attempt(request, household(), self._grace_s)
        thread = threading.Thread(target=self._live, args=(key, attempt, on_end), name=f"akm {key}", daemon=True)
        self._living.add(attempt)
        self._by_key[key] = attempt
        if self._draining:
            attempt.stop()
        try:
            thread.start()
        except RuntimeError:  # the host refuses another thread
            self._end(key, attempt, never_started(request, "spawn_failed"), on_end)

    def stop(self, key: str) -> None:
        """Ask the process to end: SIGTERM to it and all its descendants, SIGKILL after the grace.

        Returns at once. No effect when there is no such process any more.
        """
        attempt = self._by_key.get(key)
        if attempt is not None:
            attempt.stop()

    def drain(self) -> tuple[Survivor, ...]:
        """Stop everything and wait for every `on_end`; what of all that was ever started could not be killed.

        May be called again, also while it runs, and when nothing was started. Takes at most the grace, the
        wait after SIGKILL and a few seconds.
        """
        self._draining = True
        for attempt in tuple(self._living):
            attempt.stop()
        deadline = time.monotonic() + self._grace_s + KILL_WAIT_S + REST_WAIT_S + _DRAIN_SLACK_S
        # An attempt whose thread has not begun starts nothing any more. Its `start` may be what we interrupted.
        while self._begun and time.monotonic() < deadline:
            time.sleep(_DRAIN_LOOK_S)
        stuck = [
            Survivor(attempt.pid, Path(attempt.request.argv[0]).name)
            for attempt in tuple(self._begun)
            if attempt.pid is not None
        ]
        return (*self._survivors, *stuck)

    def _live(self, key: str, attempt: Attempt, on_end: OnEnd) -> None:
        self._begun.add(attempt)
        end = unknown_end(attempt.request)
        try:
            end = attempt.run()
        finally:
            self._survivors += end.survivors
            self._end(key, attempt, end, on_end)

    def _end(self, key: str, attempt: Attempt, end: ProcessEnd, on_end: OnEnd) -> None:
        del self._by_key[key]
        try:
            on_end(key, end)
        finally:
            self._living.discard(attempt)
            self._begun.discard(attempt)


def _hear_of_children() -> None:
    """Undo an inherited "ignore" for SIGCHLD: with it the kernel throws exit codes away."""
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
