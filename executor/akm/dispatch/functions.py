"""Functions of the host program, called in the place of processes.

A plain function runs in a thread, a coroutine function on an event loop. Both live and die with this process, and
a thread can't be stopped: of a function that goes on after its time the end says so.
"""

import os
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from inspect import iscoroutinefunction
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from akm.dispatch.processes import GRACE_MS
from akm.dispatch.spellings import spellings
from akm.dispatch.supervisor.mask import Masker
from akm_specs.canonical import Json, NotCanonical, canonical

if TYPE_CHECKING:  # it is slow to load, and only coroutines need it
    import asyncio


@dataclass(frozen=True, slots=True)
class CurrentAttempt:
    """The attempt that a tool's function is called for. `key` is the same on every retry of the same effect.

    `workspace` is where it may work: the run's workspace, or the step's own worktree.
    """

    run: str
    step: str
    attempt: str
    key: str
    workspace: Path


#: Set while a tool's function runs, in its thread or task.
CURRENT: ContextVar[CurrentAttempt] = ContextVar("akm_current_attempt")


@dataclass(frozen=True, slots=True)
class FunctionRequest:
    """A call: `function` gets `input`, or nothing where that is None.

    `folder` is this attempt's own, made when there is something to leave in it. `secrets` are masked in the
    traceback that a function leaves there; `answers` says whether what it returns is looked at.
    """

    function: Callable[..., Any]
    input: Json
    current: CurrentAttempt
    timeout_ms: int
    output_bytes_max: int
    secrets: tuple[str, ...]
    folder: Path
    answers: bool


@dataclass(frozen=True, slots=True)
class FunctionEnd:
    """How a call ended. `never_started` is a machine code; `goes_on`: it runs still, whatever else is said.

    `unknown`: an engine before us has begun it. `stdout` is what a process would have printed.
    """

    exit_code: int = 1
    stdout: bytes | None = None
    truncated: bool = False
    never_started: str | None = None
    timed_out: bool = False
    stopped: bool = False
    goes_on: bool = False
    unknown: bool = False


@dataclass(slots=True)
class _Call:
    """A call under way. `cut` says why it was asked to end, and `grace_s` until when it may take to."""

    request: FunctionRequest
    deadline_s: float
    task: "asyncio.Task[None] | None" = None
    cut: str | None = None
    grace_s: float = 0.0


class Functions:
    """The calls of one engine. Everything is for the engine's thread but what the calls themselves do.

    Invariant: `_calls` holds what is under way, by key, and `_ends` what has ended and was not asked for yet.
    """

    def __init__(
        self,
        wake: Callable[[], None],
        loop: "asyncio.AbstractEventLoop | None" = None,
        grace_ms: int = GRACE_MS,
    ) -> None:
        """`wake` is called at each end, from any thread; coroutines run on `loop`, or else on one of our own."""
        self._wake = wake
        self._loop = loop
        self._own_loop = False
        self._grace_s = grace_ms / 1000
        self._calls: dict[str, _Call] = {}
        self._ends: deque[tuple[str, FunctionEnd]] = deque()
        self._queue: SimpleQueue[tuple[str, _Call] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._busy = 0
        self._closed = False

    # beginning

    def start(self, key: str, request: FunctionRequest) -> None:
        """Begin a call; `ended` tells its end. `key` must not be in use."""
        assert key not in self._calls, key
        call = self._calls[key] = _Call(request, time.monotonic() + request.timeout_ms / 1000)
        if iscoroutinefunction(request.function):
            self._on_loop(key, call)
        else:
            self._in_thread(key, call)

    def refuse(self, key: str, end: FunctionEnd) -> None:
        """Tell the end of a call that was not made here."""
        self._ends.append((key, end))

    def _in_thread(self, key: str, call: _Call) -> None:
        with self._lock:
            self._busy += 1
            more = self._busy > self._threads
            self._threads += more
        if more:
            threading.Thread(target=self._work, name="akm function", daemon=True).start()
        self._queue.put((key, call))

    def _work(self) -> None:
        """One thread: a call after the other."""
        while (given := self._queue.get()) is not None:
            key, call = given
            CURRENT.set(call.request.current)
            try:
                end = _answer(call.request, call.request.function(*_arguments(call.request)))
            except BaseException as error:
                end = _raised(call.request, error)
            with self._lock:
                self._busy -= 1
            self._tell(key, call, end)

    def _on_loop(self, key: str, call: _Call) -> None:
        loop = self._running_loop()

        def begin() -> None:
            call.task = loop.create_task(self._awaited(key, call))
            if call.cut is not None:
                call.task.cancel()

        loop.call_soon_threadsafe(begin)

    async def _awaited(self, key: str, call: _Call) -> None:
        from asyncio import CancelledError

        CURRENT.set(call.request.current)
        try:
            end = _answer(call.request, await call.request.function(*_arguments(call.request)))
        except CancelledError:
            cut = call.cut or "stopped"  # else the loop's own host has cancelled it
            end = FunctionEnd(timed_out=cut == "timed_out", stopped=cut == "stopped")
        except BaseException as error:
            end = _raised(call.request, error)
        self._tell(key, call, end)

    def _running_loop(self) -> "asyncio.AbstractEventLoop":
        if self._loop is None:
            import asyncio

            self._loop, self._own_loop = asyncio.new_event_loop(), True
            threading.Thread(target=self._loop.run_forever, name="akm loop", daemon=True).start()
        return self._loop

    def _tell(self, key: str, call: _Call, end: FunctionEnd) -> None:
        """From any thread. Of a call that was given up, nobody wants to know any more."""
        with self._lock:
            if not self._closed and self._calls.get(key) is call:
                del self._calls[key]
                self._ends.append((key, end))
                self._wake()

    # ending

    def ended(self) -> tuple[str, FunctionEnd] | None:
        """The next end, if there is one. To be asked often: it is here that timeouts are looked at."""
        if self._calls:
            self._look_at_time()
        return self._ends.popleft() if self._ends else None

    def stop(self, key: str) -> None:
        """Ask a call to end: a coroutine is cancelled, a thread only waited for. Returns at once."""
        call = self._calls.get(key)
        if call is not None and call.cut is None:
            self._cut(call, "stopped")

    def drain(self) -> None:
        """Ask all to end and see each end, at most for the grace. May be called again."""
        for key in tuple(self._calls):
            self.stop(key)
        while self._calls:
            self._look_at_time()
            time.sleep(0.002)

    def close(self) -> None:
        """Let all threads go, after `drain`. To be called once."""
        with self._lock:
            self._closed = True
            threads = self._threads
        for _ in range(threads):
            self._queue.put(None)
        if self._own_loop and self._loop is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)

    def _look_at_time(self) -> None:
        now = time.monotonic()
        for key, call in tuple(self._calls.items()):
            if call.cut is None and now >= call.deadline_s:
                self._cut(call, "timed_out")
            if call.cut is not None and now >= call.grace_s:
                end = FunctionEnd(timed_out=call.cut == "timed_out", stopped=call.cut == "stopped", goes_on=True)
                self._tell(key, call, end)

    def _cut(self, call: _Call, why: str) -> None:
        """A thread that is over its time gets no grace: it is not told to end."""
        call.cut = why
        plain = not iscoroutinefunction(call.request.function)
        call.grace_s = time.monotonic() + (0 if plain and why == "timed_out" else self._grace_s)
        if call.task is not None and self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed, and what ran on it with it
                self._loop.call_soon_threadsafe(call.task.cancel)


def _arguments(request: FunctionRequest) -> tuple[Json, ...]:
    return () if request.input is None else (request.input,)


def _answer(request: FunctionRequest, value: Any) -> FunctionEnd:
    """What a process that returns `value` would have printed. What is no JSON is told as such by the kernel."""
    if not request.answers:
        return FunctionEnd(exit_code=0)
    try:
        data = _masked(request, canonical(value))
    except (NotCanonical, TypeError, RecursionError) as error:
        _leave(request, f"it returned what is no JSON: {error}\n")
        return FunctionEnd(exit_code=0, stdout=b"")
    return FunctionEnd(exit_code=0, stdout=data, truncated=len(data) > request.output_bytes_max)


def _raised(request: FunctionRequest, error: BaseException) -> FunctionEnd:
    """An exception fails, SystemExit by its code as that of a process."""
    _leave(request, "".join(traceback.format_exception(error)))
    code = error.code if isinstance(error, SystemExit) else 1
    if code is None:
        code = 0
    return FunctionEnd(exit_code=code if isinstance(code, int) and 0 <= code < 256 else 1, stdout=b"")


def _masked(request: FunctionRequest, data: bytes) -> bytes:
    masker = Masker(spelling for secret in request.secrets for spelling in spellings(secret))
    return masker.feed(data) + masker.finish()


def _leave(request: FunctionRequest, text: str) -> None:
    """Write what went wrong where a process's standard error is kept, masked and bounded."""
    data = _masked(request, text.encode("utf-8", "replace"))
    with suppress(OSError):
        request.folder.mkdir(mode=0o700, exist_ok=True)
        handle = os.open(request.folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with open(handle, "wb") as file:
            file.write(data[: request.output_bytes_max])
