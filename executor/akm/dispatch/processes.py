"""All processes that one engine has running, and the one way to end them all.

Each is in the care of a supervisor. Those that we started tell us what became of theirs; what an earlier engine
started and we have taken over is followed by its record.
"""

import os
import selectors
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL, SIGUSR1

from akm.dispatch import record
from akm.dispatch.crew import Supervisor
from akm.dispatch.found import NeverStarted, Supervised, ask_stop, end_told, look, owner, take
from akm.dispatch.identity import is_alive, signal_process
from akm.dispatch.process import Captured, ProcessEnd, ProcessRequest, Survivor, never_started, unknown_end
from akm.dispatch.spellings import spellings
from akm.dispatch.strays import stop_strays
from akm.dispatch.supervisor.life import REST_WAIT_S
from akm.dispatch.supervisor.request import Request
from akm.dispatch.teardown import KILL_WAIT_S

__all__ = ["Captured", "ProcessEnd", "ProcessRequest", "Processes", "Survivor"]

#: How long a process and its descendants may take to end, in milliseconds, after they were asked to.
GRACE_MS = 10_000

#: How often the record of a process that we have taken over is looked at, in seconds.
_FOLLOW_INTERVAL_S = 0.02
#: What a teardown may take beyond its waits, in seconds: scans of a long process table, a busy machine.
_DRAIN_SLACK_S = 5.0


@dataclass(slots=True)
class _Charge:
    """A process under way. `supervisor` is ours; None: another engine's, that we only follow."""

    folder: Path
    work: str
    token: str
    supervisor: Supervisor | None
    stop_asked: bool = False


class Processes:
    """The teardown registry of an engine, which holds its lease under the fencing token `fence`.

    Invariant: `_charges` holds what is under way, by key; `_ends` what has ended and was not waited for yet;
    `_idle` the supervisors without work. Everything but `wake` is for one thread.
    """

    def __init__(self, grace_ms: int = GRACE_MS, fence: int = 1) -> None:
        self._grace_ms = grace_ms
        self._fence = fence
        self._charges: dict[str, _Charge] = {}
        self._idle: list[Supervisor] = []
        self._ends: deque[tuple[str, ProcessEnd]] = deque()
        self._survivors: list[Survivor] = []
        self._draining = False
        self._selector = selectors.DefaultSelector()
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)
        self._selector.register(self._woken, selectors.EVENT_READ)

    # beginning

    def warm_up(self) -> None:
        """Let a first supervisor start while there is something else to do."""
        if not self._idle and not self._charges:
            with suppress(OSError):  # told when there is work for it
                self._idle.append(Supervisor())

    def start(self, key: str, request: ProcessRequest) -> None:
        """Start a process; `wait` tells its end. `key` must not be in use.

        After `drain` nothing is started any more: the end says `stopped_before_start`.
        """
        assert key not in self._charges, key
        refusal = "stopped_before_start" if self._draining else _make_folder(request.folder)
        supervisor = self._asked(self._request(request)) if refusal is None else None
        if supervisor is None:
            self._ends.append((key, never_started(request.folder, refusal or "spawn_failed")))
            return
        self._charges[key] = _Charge(request.folder, request.work, request.token, supervisor)
        self._selector.register(supervisor.replies, selectors.EVENT_READ, key)

    def take_over(self, key: str, folder: Path, work: str, token: str) -> None:
        """Go on with what another engine started: from now on only we can stop it. Raises OSError."""
        assert key not in self._charges, key
        take(folder, self._fence)
        self._charges[key] = _Charge(folder, work, token, None)

    def _request(self, asked: ProcessRequest) -> Request:
        return Request(
            folder=str(asked.folder),
            work=asked.work,
            token=asked.token,
            fence=self._fence,
            argv=asked.argv,
            directory=str(asked.directory),
            environment=dict(asked.environment),
            stdin=asked.stdin,
            spellings=tuple({spelling for secret in asked.secrets for spelling in spellings(secret)}),
            timeout_ms=asked.timeout_ms,
            grace_ms=self._grace_ms,
            output_bytes_max=asked.output_bytes_max,
        )

    def _asked(self, request: Request) -> Supervisor | None:
        """The supervisor that has taken `request`: an idle one, or else a new one; None when there can be none."""
        while True:
            fresh = not self._idle
            try:
                supervisor = self._idle.pop() if self._idle else Supervisor()
                supervisor.ask(request)
            except BrokenPipeError:
                supervisor.leave()
                if fresh:
                    return None
            except OSError:
                return None
            else:
                return supervisor

    # ending

    def wait(self, timeout_s: float) -> tuple[str, ProcessEnd] | None:
        """The next end, waiting at most `timeout_s`; None when there was none, or `wake` was called."""
        deadline = time.monotonic() + timeout_s
        while not self._ends:
            self._follow()
            if self._ends:
                break
            left = max(0.0, deadline - time.monotonic())
            follows = any(charge.supervisor is None for charge in self._charges.values())
            ready = self._selector.select(min(left, _FOLLOW_INTERVAL_S) if follows else left)
            for one, _ in ready:
                if one.data is not None:
                    self._hear(one.data)
            woken = any(one.data is None for one, _ in ready)
            if woken:
                os.read(self._woken, 4096)
            if not self._ends and (woken or left <= 0):
                return None
        return self._ends.popleft()

    def wake(self) -> None:
        """Make a waiting `wait` return; safe in a signal handler, and from any thread."""
        with suppress(BlockingIOError):
            os.write(self._waker, b".")

    def stop(self, key: str) -> None:
        """Ask the process to end: SIGTERM to it and all its descendants, SIGKILL after the grace.

        Returns at once. No effect when there is no such process any more, or another engine has taken it over.
        """
        charge = self._charges.get(key)
        if charge is None:
            return
        charge.stop_asked = True
        with suppress(OSError):
            ask_stop(charge.folder, self._fence)
        found = look(charge.folder)
        if not isinstance(found, Supervised):
            return  # it looks for itself before it starts anything
        if charge.supervisor is not None:
            charge.supervisor.wake()
        elif is_alive(found.supervisor):
            signal_process(found.supervisor, SIGUSR1)

    def drain(self) -> tuple[Survivor, ...]:
        """Stop everything and see every end, which `wait` still tells; what could not be killed of all there was.

        What another engine has taken over is left to it. May be called again, and when nothing was started. Takes
        at most the grace, the wait after SIGKILL and a few seconds.
        """
        self._draining = True
        for key in tuple(self._charges):
            self.stop(key)
        deadline = time.monotonic() + self._grace_ms / 1000 + KILL_WAIT_S + REST_WAIT_S + _DRAIN_SLACK_S
        told, self._ends = self._ends, deque()
        while self._charges:
            self._hand_over()
            end = self.wait(min(_FOLLOW_INTERVAL_S, max(0.0, deadline - time.monotonic())))
            if end is not None:
                told.append(end)
            elif time.monotonic() >= deadline:
                self._cut_off()
        self._ends = told + self._ends
        return tuple(self._survivors)

    def close(self) -> None:
        """Let all supervisors go, after `drain`. To be called once."""
        for charge in self._charges.values():
            if charge.supervisor is not None:
                charge.supervisor.leave(at_work=True)
        for supervisor in self._idle:
            supervisor.leave()
        self._selector.close()
        os.close(self._woken)
        os.close(self._waker)

    def _hear(self, key: str) -> None:
        """A supervisor of ours has something to tell, or is gone."""
        charge = self._charges[key]
        assert charge.supervisor is not None, key
        supervisor = charge.supervisor
        told = supervisor.hear()
        self._selector.unregister(supervisor.replies)
        if told is None:
            supervisor.leave()
            self._tell(key, self._abandoned(charge))
            return
        kind, content = told
        if kind == "refused" and content["code"] == "started_already":
            self._idle.append(supervisor)
            charge.supervisor = None  # by an engine before us, at the last moment
            with suppress(OSError):
                take(charge.folder, self._fence)
            return
        if kind == "refused":
            end = never_started(charge.folder, content["code"])
        else:
            end = end_told(charge.folder, content)
        if end.survivors:
            supervisor.leave()
        else:
            self._idle.append(supervisor)
        self._tell(key, end)

    def _follow(self) -> None:
        """Look at the records of what others started."""
        for key, charge in tuple(self._charges.items()):
            if charge.supervisor is not None:
                continue
            found = look(charge.folder)
            if isinstance(found, Supervised) and found.end is not None:
                self._tell(key, found.end)
            elif not isinstance(found, Supervised) or not found.lives_for(charge.work, charge.token):
                self._tell(key, self._abandoned(charge))

    def _abandoned(self, charge: _Charge) -> ProcessEnd:
        """The end of a process whose supervisor is gone: by its record, or else unknown, and then stopped."""
        found = look(charge.folder)
        if isinstance(found, Supervised) and found.end is not None:
            return found.end
        if isinstance(found, NeverStarted) and found.code is not None:
            return never_started(charge.folder, found.code)
        if not (charge.folder / record.NAME).exists():
            return never_started(charge.folder, "stopped_before_start" if charge.stop_asked else "spawn_failed")
        leader = found.process if isinstance(found, Supervised) else None
        return unknown_end(charge.folder, stop_strays(charge.token, leader, self._grace_ms))

    def _cut_off(self) -> None:
        """End what no supervisor has ended in time: one that was itself stopped, say."""
        for key, charge in tuple(self._charges.items()):
            found = look(charge.folder)
            if charge.supervisor is not None:
                self._selector.unregister(charge.supervisor.replies)
                charge.supervisor.kill()
            elif isinstance(found, Supervised) and found.lives_for(charge.work, charge.token):
                with suppress(PermissionError):
                    signal_process(found.supervisor, SIGKILL)
            self._tell(key, self._abandoned(charge))

    def _hand_over(self) -> None:
        """Let go of what another engine has taken over."""
        for key, charge in tuple(self._charges.items()):
            found = look(charge.folder)
            if isinstance(found, Supervised) and owner(charge.folder, found) > self._fence:
                if charge.supervisor is not None:
                    self._selector.unregister(charge.supervisor.replies)
                    charge.supervisor.leave(at_work=True)
                self._tell(key, unknown_end(charge.folder, taken=True))

    def _tell(self, key: str, end: ProcessEnd) -> None:
        del self._charges[key]
        self._survivors += end.survivors
        self._ends.append((key, end))


def _make_folder(folder: Path) -> str | None:
    """Why nothing can be started in `folder`, or None."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return "folder_unusable"
    return None
