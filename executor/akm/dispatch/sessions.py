"""Sessions: long-lived processes that answer requests, a line of JSON each way.

What a request comes to is told as the end of a process, so that nobody else has to know the difference. A session
that dies, answers what was not asked, or is too slow is over at once, with all that it was asked.
Source: docs/reference/sessions.md.
"""

import os
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue
from threading import Semaphore, Thread
from typing import IO

from akm.dispatch import record
from akm.dispatch.process import Captured, ProcessEnd, never_started, unknown_end
from akm.dispatch.spellings import spellings
from akm.dispatch.strays import stop_strays
from akm.dispatch.supervisor.capture import Capture
from akm.dispatch.supervisor.mask import Masker
from akm.dispatch.supervisor.spawn import TOKEN_VARIABLE
from akm_specs.canonical import JsonObject, NotCanonical, NotStrictJson, canonical, parse_json

#: How long a session may take to end by itself once its input is closed, in seconds, and then after SIGTERM.
LEAVE_S = 2.0
#: What a reply may have beyond its output, in bytes: the name of the attempt and the exit code.
ENVELOPE_BYTES = 4096
#: How often a session is heard about what it has used: each time is a commit.
USAGE_EVERY_S = 1.0
#: Lines of a session that wait to be read, at most; one that says more has to wait itself.
_LINES_MAX = 256
_READ_BYTES_MAX = 64 * 1024


@dataclass(frozen=True, slots=True)
class SessionRequest:
    """One request, and the session `id` that is to answer it: started with the rest of this unless it lives.

    `work` is the folder of the request's attempt, `folder` that of the session.
    """

    id: str
    argv: tuple[str, ...]
    directory: Path
    environment: Mapping[str, str]
    secrets: tuple[str, ...]
    folder: Path
    token: str
    work: Path
    line: bytes
    timeout_ms: int
    output_bytes_max: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A session is over before it was asked to be; `ends` are those of everything that it was asked."""

    id: str
    why: str
    ends: tuple[tuple[str, ProcessEnd], ...]


@dataclass(frozen=True, slots=True)
class Used:
    """What the work at request `key` has used so far, in all, as its session says."""

    key: str
    usage: JsonObject


@dataclass(slots=True)
class _Session:
    """`asked` are the requests without an answer, with the moment by which they must have one.

    `used` is what they used and was not told yet; it was told last at `used_told`. `room` is that for lines.
    """

    process: "subprocess.Popen[bytes]"
    masks: tuple[bytes, ...]
    token: str
    output_bytes_max: int
    requests: "SimpleQueue[bytes | None]" = field(default_factory=SimpleQueue)
    asked: dict[str, tuple[float, Path]] = field(default_factory=dict)
    used: dict[str, JsonObject] = field(default_factory=dict)
    used_told: float = -USAGE_EVERY_S
    room: Semaphore = field(default_factory=lambda: Semaphore(_LINES_MAX))
    over: bool = False

    def end(self) -> None:
        """Nothing is asked any more, and nothing heard."""
        self.over = True
        self.requests.put(None)
        self.room.release()


class Sessions:
    """All sessions of one engine. Everything is for one thread; `wake` is called from others."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._live: dict[str, _Session] = {}
        self._heard: SimpleQueue[tuple[str, bytes]] = SimpleQueue()
        self._told: deque[tuple[str, ProcessEnd] | Broken | Used] = deque()

    def ask(self, key: str, request: SessionRequest) -> None:
        """Ask `request.id`; `fetch` tells what it answers. Older sessions of the same worker are closed first."""
        worker = request.id.rpartition("@")[0]
        for other in [each for each in self._live if each.rpartition("@")[0] == worker and each != request.id]:
            self._close(other)
        session = self._live.get(request.id) or self._begun(key, request)
        if session is None:
            return
        try:
            folder = os.open(request.work, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.close(record.claim(folder, "session", {"id": request.id}))
            finally:
                os.close(folder)
        except OSError:  # without the mark, a later engine would take it for never asked
            self._told.append((key, never_started(request.work, "folder_unusable")))
            return
        session.asked[key] = time.monotonic() + request.timeout_ms / 1000, request.work
        session.requests.put(request.line)

    def stop(self, key: str) -> None:
        """Stop the session that was asked `key`."""
        for name, session in tuple(self._live.items()):
            if key in session.asked:
                self._break(name, "stopped", stopped=True)

    def fetch(self) -> tuple[str, ProcessEnd] | Broken | Used | None:
        """What has come in, if anything has."""
        now = time.monotonic()
        for name, session in tuple(self._live.items()):
            late = {key for key, (deadline, _) in session.asked.items() if deadline <= now}
            if late:
                self._break(name, "timed_out", late=late)
        for _ in range(_LINES_MAX):
            if self._told or self._heard.empty():
                break
            name, line = self._heard.get()
            if (speaker := self._live.get(name)) is not None:
                speaker.room.release()
                self._hear(name, speaker, line)
        for session in self._live.values():
            if session.used and now - session.used_told >= USAGE_EVERY_S:
                session.used_told = now
                self._tell_used(session)
        return self._told.popleft() if self._told else None

    def drain(self) -> None:
        """End all of them: those without work are asked to leave, the others are stopped."""
        for name, session in tuple(self._live.items()):
            if session.asked:
                self._break(name, "stopped", stopped=True)
            else:
                self._close(name)

    def _begun(self, key: str, request: SessionRequest) -> _Session | None:
        try:
            request.folder.mkdir(mode=0o700, exist_ok=True)
            process = subprocess.Popen(
                request.argv,
                cwd=request.directory,
                env={**request.environment, TOKEN_VARIABLE: request.token},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=-1,
                start_new_session=True,
            )
        except OSError as error:
            code = "not_found" if isinstance(error, FileNotFoundError) else "spawn_failed"
            self._told.append(Broken(request.id, code, ((key, never_started(request.work, code)),)))
            return None
        masks = tuple({spelling for secret in request.secrets for spelling in spellings(secret)})
        session = _Session(process, masks, request.token, request.output_bytes_max)
        assert process.stdin is not None, "asked for"
        assert process.stdout is not None, "asked for"
        assert process.stderr is not None, "asked for"
        limit = request.output_bytes_max + ENVELOPE_BYTES
        _in_background(_write, process.stdin, session.requests)
        _in_background(self._listen, request.id, session, process.stdout, limit)
        _in_background(_capture, process.stderr, request.folder, request.output_bytes_max, masks)
        self._live[request.id] = session
        return session

    def _listen(self, name: str, session: _Session, stdout: IO[bytes], limit: int) -> None:
        """Hand on each line; an empty one is the end, and so is one that is too long."""
        with closing(stdout), suppress(OSError, ValueError):
            while line := stdout.readline(limit + 1):
                session.room.acquire()
                if session.over:
                    break
                self._heard.put((name, line))
                self._wake()
        self._heard.put((name, b""))
        self._wake()

    def _hear(self, name: str, session: _Session, line: bytes) -> None:
        said = _said(line)
        if said is None or said.get("attempt") not in session.asked:
            self._break(name, "ended" if not line else "garbage")
        elif (used := _used(said)) is not None:
            session.used[used.key] = used.usage
        elif (reply := _reply(said)) is not None:
            self._tell_used(session)
            self._answer(session, reply)
        else:
            self._break(name, "garbage")

    def _tell_used(self, session: _Session) -> None:
        self._told += [Used(key, usage) for key, usage in session.used.items()]
        session.used.clear()

    def _answer(self, session: _Session, reply: "_Reply") -> None:
        _, work = session.asked.pop(reply.attempt)
        masker = Masker(session.masks)
        data = masker.feed(reply.output) + masker.finish()
        stdout = _kept(work, data, session.output_bytes_max)
        self._told.append((reply.attempt, ProcessEnd(stdout, Captured(work / "stderr"), exit_code=reply.exit)))

    def _break(self, name: str, why: str, *, late: set[str] | None = None, stopped: bool = False) -> None:
        """The session is over, and with it everything that it was asked."""
        session = self._live.pop(name)
        session.end()
        self._tell_used(session)
        survivors = stop_strays(session.token, grace_ms=round(LEAVE_S * 1000))
        session.process.wait()
        ends: list[tuple[str, ProcessEnd]] = []
        for key, (_, work) in session.asked.items():
            end = unknown_end(work, survivors)
            if stopped or key in (late or ()):
                stdout, stderr = _kept(work, b"", session.output_bytes_max), Captured(work / "stderr")
                end = ProcessEnd(
                    stdout, stderr, signal=15, timed_out=not stopped, stopped=stopped, survivors=survivors
                )
            ends.append((key, end))
        self._told.append(Broken(name, why, tuple(ends)))

    def _close(self, name: str) -> None:
        """Let it end by itself, for it has nothing to do any more; stop what is left of it."""
        session = self._live.pop(name)
        session.end()
        with suppress(subprocess.TimeoutExpired):
            session.process.wait(LEAVE_S)
        stop_strays(session.token, grace_ms=round(LEAVE_S * 1000))
        session.process.wait()


@dataclass(frozen=True, slots=True)
class _Reply:
    attempt: str
    exit: int
    output: bytes


def _said(line: bytes) -> JsonObject | None:
    """A line as the object that it is, which names an attempt; None for anything else."""
    if not line.endswith(b"\n"):
        return None
    try:
        said = parse_json(line.decode("utf-8"))
        canonical(said)
    except (UnicodeDecodeError, NotStrictJson, NotCanonical):
        return None
    return said if isinstance(said, dict) and isinstance(said.get("attempt"), str) else None


def _used(said: JsonObject) -> Used | None:
    """A message that tells what was used so far; None for any other."""
    usage = said.get("usage")
    return Used(said["attempt"], usage) if said.keys() == {"attempt", "usage"} and isinstance(usage, dict) else None


def _reply(said: JsonObject) -> _Reply | None:
    """A message that answers a request; None for any other."""
    attempt, code = said["attempt"], said.get("exit", 0)
    if not said.keys() <= {"attempt", "exit", "output"}:
        return None
    if not isinstance(code, int) or isinstance(code, bool) or not 0 <= code <= 255:
        return None
    return _Reply(attempt, code, canonical(said["output"]) if "output" in said else b"")


def request_line(attempt: str, key: str, run: str, step: str, given: object) -> bytes:
    """A request as a session reads it."""
    asked: JsonObject = {"attempt": attempt, "key": key, "run": run, "step": step, "input": given}
    return canonical(asked) + b"\n"


def _kept(work: Path, data: bytes, bytes_max: int) -> Captured:
    """An output as a file, for whoever reads what a process of its own would have left; cut at its cap."""
    path = work / "stdout"
    try:
        path.write_bytes(data[:bytes_max])
    except OSError:
        return Captured(path, lost=True)
    return Captured(path, len(data), truncated=len(data) > bytes_max)


def _in_background(work: Callable[..., None], *given: object) -> None:
    Thread(target=work, args=given, daemon=True).start()


def _write(stdin: IO[bytes], requests: "SimpleQueue[bytes | None]") -> None:
    """Write requests until there are no more, so that nobody waits for a session that does not read."""
    with suppress(OSError), closing(stdin):
        while (line := requests.get()) is not None:
            stdin.write(line)
            stdin.flush()


def _capture(stderr: IO[bytes], folder: Path, bytes_max: int, masks: tuple[bytes, ...]) -> None:
    with suppress(OSError), closing(stderr):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            capture = Capture(handle, "stderr", bytes_max, masks)
        finally:
            os.close(handle)
        with closing(capture):
            while chunk := os.read(stderr.fileno(), _READ_BYTES_MAX):
                capture.feed(chunk)
            capture.finish()
