"""The processes of one engine on a simulated host: real folders, real records, and nothing that is started.

A process ends as its world says, and its supervisor records that as a real one does; or it goes without a word.
What an engine left behind goes on without it.
"""

import os
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from akm.dispatch import record
from akm.dispatch.found import NeverStarted, Supervised, ask_stop, look, owner, take
from akm.dispatch.process import ProcessEnd, ProcessRequest, Survivor, never_started, unknown_end
from akm.dispatch.strays import stop_strays
from akm.simulation.shell.faults import Faults
from akm.simulation.shell.host import SimulatedHost

#: How long a process goes on that does not heed SIGTERM.
_GRACE_MS = 10_000


@dataclass(frozen=True, slots=True)
class Doing:
    """What a process does: takes its time, writes files, says something, ends.

    `acts`: it does to the world what it is for. `asks`: it changes nothing, and may be asked again. `silent`:
    nobody learns how it ended.
    """

    took_ms: int
    exit_code: int | None
    signal: int | None = None
    timed_out: bool = False
    stdout: bytes = b""
    files: tuple[str, ...] = ()
    silent: bool = False
    heeds: bool = True
    spawn_error: str | None = None
    acts: bool = False
    asks: bool = False


@dataclass(slots=True)
class Deeds:
    """What was really done on a host, whatever any journal says.

    How often the process of each piece of work began, and how often one that succeeded acted under each key.
    """

    begun: Counter[str] = field(default_factory=Counter)
    acted: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class _Charge:
    folder: Path
    work: str
    token: str
    ours: bool


class SimulatedProcesses:
    """A `ProcessKeeper`. Invariant: `_charges` holds what is under way, by key."""

    def __init__(
        self,
        fence: int,
        host: SimulatedHost,
        faults: Faults,
        deeds: Deeds,
        doing: Callable[[str, ProcessRequest], Doing],
    ) -> None:
        self._fence = fence
        self._host = host
        self._faults = faults
        self._deeds = deeds
        self._doing = doing
        self._charges: dict[str, _Charge] = {}
        self._ends: list[tuple[str, ProcessEnd]] = []
        self._draining = False

    def warm_up(self) -> None:
        """There is nothing to warm up."""

    def start(self, key: str, request: ProcessRequest) -> None:
        """Record and begin a process, unless it was begun before or nothing starts any more."""
        self._faults.place("before a start")
        if self._draining:
            self._ends.append((key, never_started(request.folder, "stopped_before_start")))
            return
        request.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(request.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            self._charges[key] = _Charge(request.folder, request.work, request.token, ours=True)
            self._begin(key, request, handle)
        finally:
            os.close(handle)

    def _begin(self, key: str, request: ProcessRequest, handle: int) -> None:
        """Raises KeyError where nobody asks for this work any more, and yet it may begin."""
        life = _Life(self._host, request, self._deeds)
        supervisor = self._host.begins(request.token, life)
        starting = {
            "generation": record.GENERATION,
            "work": request.work,
            "token": request.token,
            "fence": self._fence,
            "supervisor": supervisor._asdict(),
        }
        try:
            file = record.claim(handle, "starting", starting)
        except FileExistsError:
            self._host.leaves(supervisor)
            self._charges[key].ours = False  # begun by an engine before us, at the last moment
            take(request.folder, self._fence)
            return
        try:
            doing = self._doing(key, request)
            if doing.spawn_error is not None:
                self._host.leaves(supervisor)
                record.append(file, "revoked", {"fence": self._fence, "code": doing.spawn_error})
                del self._charges[key]
                self._ends.append((key, never_started(request.folder, doing.spawn_error)))
                return
            life.does(doing)
            if not doing.asks:
                self._deeds.begun[request.work] += 1
            record.append(file, "running", supervisor._asdict())
        finally:
            os.close(file)
        self._faults.place("after a start")

    def take_over(self, key: str, folder: Path, work: str, token: str) -> None:
        """Follow what another engine started."""
        take(folder, self._fence)
        self._charges[key] = _Charge(folder, work, token, ours=False)

    def wait(self, timeout_s: float) -> tuple[str, ProcessEnd] | None:
        """The next end; time passes until there is one, or as long as was allowed."""
        self._look()
        if not self._ends:
            due, until = self._host.next_due_ms(), self._host.now_ms + round(timeout_s * 1000)
            self._host.passes(max(0, min(until if due is None else max(due, 0), until) - self._host.now_ms))
            self._look()
        return self._ends.pop(0) if self._ends else None

    def wake(self) -> None:
        """Nothing waits for real."""

    def stop(self, key: str) -> None:
        """Ask it to end."""
        charge = self._charges.get(key)
        if charge is None:
            return
        with suppress(OSError):
            ask_stop(charge.folder, self._fence)
        found = look(charge.folder)
        if isinstance(found, Supervised) and found.lives_for(charge.work, charge.token):
            self._host.asks(found.supervisor, _GRACE_MS)

    def drain(self) -> tuple[Survivor, ...]:
        """Stop everything and see every end; what another engine has taken over is left to it."""
        self._draining = True
        for key in tuple(self._charges):
            self._hand_over(key)
            self.stop(key)
        while self._charges:
            self._host.passes(_GRACE_MS)
            self._look()
        return ()

    def close(self) -> None:
        """There is nothing to let go."""

    def _hand_over(self, key: str) -> None:
        charge = self._charges[key]
        found = look(charge.folder)
        if isinstance(found, Supervised) and owner(charge.folder, found) > self._fence:
            del self._charges[key]
            self._ends.append((key, unknown_end(charge.folder, taken=True)))

    def _look(self) -> None:
        """See which of ours have ended."""
        for key, charge in tuple(self._charges.items()):
            found = look(charge.folder)
            if isinstance(found, Supervised) and found.end is not None:
                end = found.end
            elif isinstance(found, Supervised) and found.lives_for(charge.work, charge.token):
                continue
            elif isinstance(found, NeverStarted):
                end = never_started(charge.folder, found.code or "spawn_failed")
            else:
                leader = found.process if isinstance(found, Supervised) else None
                end = unknown_end(charge.folder, stop_strays(charge.token, leader))
            del self._charges[key]
            self._ends.append((key, end))


class _Life:
    """What a process and its supervisor do from their beginning to their end, without any engine."""

    def __init__(self, host: SimulatedHost, request: ProcessRequest, deeds: Deeds) -> None:
        self._request = request
        self._deeds = deeds
        self._doing = Doing(0, None)
        self.due_ms = host.now_ms
        self.heeds = True
        self.folder = request.folder

    def does(self, doing: Doing) -> None:
        """It is known what it will do."""
        self._doing, self.heeds = doing, doing.heeds
        self.due_ms += doing.took_ms

    def ends(self) -> None:
        """By itself."""
        doing = self._doing
        for name in doing.files:
            path = self._request.directory / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"simulated")
        if doing.acts:
            self._deeds.acted[self._request.environment.get("AKM_IDEMPOTENCY_KEY", "")] += 1
        if not doing.silent:
            self._record(doing.exit_code, doing.signal, doing.stdout, timed_out=doing.timed_out)

    def stopped(self) -> None:
        """Because its engine asked for it."""
        self._record(None, 15 if self.heeds else 9, b"", stopped=True)

    def _record(self, exit_code: int | None, signal: int | None, stdout: bytes, **how: Any) -> None:
        folder = self.folder
        kept = {"stdout": stdout[: self._request.output_bytes_max], "stderr": b""}
        for name, data in kept.items():
            (folder / name).write_bytes(data)
        told = {
            "exit_code": exit_code,
            "signal": signal,
            "timed_out": False,
            "stopped": False,
            "survivors": [],
            "duration_ms": self._doing.took_ms,
            **{
                name: {"bytes": len(data), "kept": len(data), "truncated": False, "lost": False}
                for name, data in kept.items()
            },
            **how,
        }
        with (folder / record.NAME).open("ab") as file:
            file.write(record.line("ended", told))
