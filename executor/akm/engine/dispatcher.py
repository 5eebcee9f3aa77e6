"""Carrying out commands: real processes and files. What comes of them is fetched as observations.

The fence: a command is carried out only after its intent was committed, and a process starts only while
the lease is provably ours. What was started here is not started again.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

from akm.dispatch.call_log import CallLog
from akm.dispatch.found import Found, NeverStarted, Supervised, forget, intend, look, revoke
from akm.dispatch.process import ProcessEnd, ProcessKeeper, told
from akm.dispatch.sessions import Broken, Sessions, Used
from akm.dispatch.strays import leader_of, stop_left, stop_strays, token_of
from akm.engine.callables import Calls, Loop
from akm.engine.files import Files
from akm.engine.git import GitRefused
from akm.engine.looks import Look, RepositoryLooks
from akm.engine.preparation import refusal
from akm.engine.receipt_reply import read_listing, read_reply
from akm.engine.starts import Starts
from akm.engine.workplaces import Workplaces
from akm.kernel import outcome
from akm.kernel.command import (
    AskReceipt,
    CheckArtifacts,
    CheckPins,
    Dispatched,
    LookAtRepositories,
    StartAttempt,
    StopAttempt,
)
from akm.kernel.event import Event
from akm.kernel.identity import assignment_of
from akm.kernel.observation import (
    Arrival,
    ArtifactsChecked,
    AttemptEnded,
    AttemptLost,
    AttemptReattached,
    LossCause,
    PinsChecked,
    ReceiptAnswered,
    ResolutionGiven,
    SessionsClosed,
    UsageSeen,
)
from akm.kernel.resolution import files_named
from akm.kernel.units import unit_of
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan

#: How much of a receipt query's answer is read, in bytes: a receipt is a reference, not a payload.
RECEIPT_BYTES_MAX = 1024 * 1024

#: Ids are made of parts; in the name of a folder a dot stands between them.
_IN_FOLDER = str.maketrans("#/:", "...")

Work = StartAttempt | AskReceipt


@dataclass(frozen=True, slots=True)
class _Underway:
    """An attempt whose process runs."""

    attempt: str
    step: str
    reads_stdout: bool


class Dispatcher:
    """Invariant: `in_flight` holds the work whose end has not been fetched yet."""

    def __init__(
        self,
        run: str,
        plan: Plan,
        files: Files,
        folder: Path,
        processes: ProcessKeeper,
        fence: int,
        now_ms: Callable[[], int],
        ambient: Mapping[str, str],
        loop: Loop = None,
    ) -> None:
        """`fence` is the token of the lease that `processes` is bound to. Coroutines run on `loop`, or on ours."""
        self._run = run
        self._plan = plan
        self._files = files
        self._folder = folder
        self._processes = processes
        self._fence = fence
        self._now_ms = now_ms
        self._ambient = ambient
        self._workplaces = Workplaces(plan, files, self.attempt_folder, folder.parent.parent)
        self._calls = Calls(run, plan, processes.wake, self._workplaces, now_ms, loop, CallLog(folder))
        self._immediate: list[Arrival] = []
        self._stopping: set[str] = set()
        self._abandoned = False
        self.in_flight: dict[str, _Underway | AskReceipt | Look] = {}
        self._looks = RepositoryLooks(now_ms)
        self._starts = Starts(run, folder, ambient)
        self._sessions = Sessions(processes.wake)

    # carrying out

    def carry_out(self, command: Dispatched) -> None:
        """Begin `command`, unless it was begun here already."""
        match command:
            case StartAttempt():
                if command.attempt not in self.in_flight:
                    self._start_attempt(command)
            case AskReceipt():
                if _receipt_key(command.effect) not in self.in_flight:
                    self._ask(command)
            case StopAttempt():
                self._stop(command.attempt)
            case LookAtRepositories():
                for look_at in self._looks.begin(command):
                    self._start_look(look_at)
            case CheckArtifacts():
                missing = tuple(path for path in command.paths if not self._files.exists(path))
                self._immediate.append(ArtifactsChecked(self._now_ms(), command.step_attempt, missing))
            case CheckPins():
                found = {path: self._files.sha256(path, ".") for path in command.paths}
                self._immediate.append(PinsChecked(self._now_ms(), command.step_attempt, command.when, found))
            case _:
                assert_never(command)

    def _start_attempt(self, command: StartAttempt) -> None:
        try:
            root = self._workplaces.enter(command.attempt)
            files = self._files if root is self._files.workspace else Files(root)
            refused = refusal(command, files, self._ambient)
        except GitRefused:
            root, refused = self._files.workspace, "worktree_failed"
        if refused is not None:
            self._workplaces.leave(command.attempt)
            if command.python is None:
                with suppress(OSError):  # so that no engine that was stopped meanwhile starts it after all
                    revoke(self.attempt_folder(command.attempt), self._fence, refused)
            self._immediate.append(AttemptEnded(self._now_ms(), command.attempt, never_started=refused))
            return
        variables = {
            "AKM_RUN": self._run,
            "AKM_STEP": command.step,
            "AKM_ATTEMPT": command.attempt,
            "AKM_IDEMPOTENCY_KEY": command.key,
        }
        self.in_flight[command.attempt] = _Underway(command.attempt, command.step, command.reads_stdout)
        if command.python is not None:
            self._calls.start(command, root, self.attempt_folder(command.attempt), self._ambient)
            return
        folder, work = self.attempt_folder(command.attempt), self._work(command.attempt)
        if command.session is not None:
            self._sessions.ask(command.attempt, self._starts.session(command, command.session, root, folder))
            return
        request = self._starts.process(command, root, folder, work, variables, command.output_bytes_max)
        self._processes.start(command.attempt, request)

    def _ask(self, command: AskReceipt) -> None:
        refused = refusal(command, self._files, self._ambient)
        if refused is not None:
            self._immediate.append(
                ReceiptAnswered(self._now_ms(), command.effect, "ambiguous", detail=f"not asked: {refused}")
            )
            return
        key = _receipt_key(command.effect)
        variables = {"AKM_RUN": self._run, "AKM_ATTEMPT": command.effect, "AKM_IDEMPOTENCY_KEY": command.key}
        self.in_flight[key] = command
        folder = self._receipt_folder(command.effect)
        with suppress(OSError):
            forget(folder)  # a query may be asked again
        request = self._starts.process(
            command, self._files.workspace, folder, self._work(key), variables, RECEIPT_BYTES_MAX
        )
        self._processes.start(key, request)

    def _start_look(self, asked: Look) -> None:
        self.in_flight[asked.key] = asked
        self._processes.start(asked.key, asked.request(self._folder, self._files.workspace, self._ambient))

    def _stop(self, attempt: str) -> None:
        if attempt not in self.in_flight:
            self._immediate.append(self._revoke(attempt))
        elif attempt not in self._stopping:
            self._stopping.add(attempt)
            self._sessions.stop(attempt)
            self._processes.stop(attempt)
            self._calls.stop(attempt)

    def _revoke(self, attempt: str) -> Arrival:
        """It was not started here, and never will be, unless an engine before us has it started at this moment."""
        if self._calls.makes(attempt):
            return self._calls.revoke(attempt)
        try:
            revoked = revoke(self.attempt_folder(attempt), self._fence)
        except OSError:
            revoked = False
        if revoked:
            return AttemptEnded(self._now_ms(), attempt, never_started="not_started")
        return self._found(StopAttempt(attempt), look(self.attempt_folder(attempt)))

    # fetching

    def fetch(self, timeout_s: float) -> Arrival | None:
        """The next observation, waiting at most `timeout_s`; None when nothing came or `wake` was called."""
        if self._immediate:
            return self._immediate.pop(0)
        if (called := self._returned()) is not None:
            return called
        arrived = self._sessions.fetch() or self._processes.wait(timeout_s) or self._sessions.fetch()
        if arrived is None:
            return self._returned()
        if isinstance(arrived, Used):
            return UsageSeen(self._now_ms(), arrived.key, arrived.usage)
        if isinstance(arrived, Broken):
            ends = tuple(self._ended(*each) for each in arrived.ends)
            seen = tuple(each for each in ends if isinstance(each, AttemptEnded | AttemptLost))
            return SessionsClosed(self._now_ms(), arrived.id, arrived.why, seen)
        return self._ended(*arrived)

    def _ended(self, key: str, end: ProcessEnd) -> Arrival | None:
        work = self.in_flight.pop(key)
        if end.taken:
            return None
        if isinstance(work, Look):
            return None if self._abandoned else self._looked(work, end)
        if self._abandoned and (end.stopped or end.spawn_error == "stopped_before_start"):
            return self._abandoned_end(work, end)
        return self._answered(work, end) if isinstance(work, AskReceipt) else self._attempt_ended(work, end)

    def _looked(self, asked: Look, end: ProcessEnd) -> Arrival | None:
        """A look has ended: another follows, or all repositories were looked at, or others are still awaited."""
        following = self._looks.answer(asked, end)
        if isinstance(following, Look):
            self._start_look(following)
            return None
        return following

    def _returned(self) -> Arrival | None:
        """The end of a function."""
        if (called := self._calls.arrival()) is not None:
            self.in_flight.pop(called.attempt, None)
        return called

    @property
    def idle(self) -> bool:
        """Whether nothing is under way that could still be fetched."""
        return not self.in_flight and not self._immediate

    def wake(self) -> None:
        """Make a waiting `fetch` return; safe in a signal handler."""
        self._processes.wake()

    def abandon(self) -> None:
        """Stop everything under way: what is fetched from now on and was stopped counts as lost. Bounded."""
        self._abandoned = True
        self._calls.abandon()
        self._sessions.drain()
        self._processes.drain()

    def warm_up(self) -> None:
        """A process will be started soon, unless all tools are functions."""
        if any(tool["argv"] for tool in self._plan["tools"].values()):
            self._processes.warm_up()

    def close(self) -> None:
        """Let go of everything, after `abandon`."""
        self._calls.close()
        self._processes.close()

    def take_files(self) -> dict[str, bytes]:
        """The files that results named since the last call, by hash; the next append stores them."""
        return self._files.take_kept()

    def give_back_files(self, files: Mapping[str, bytes]) -> None:
        """Files that were taken, but whose append was refused: the next append stores them."""
        self._files.give_back(files)

    def _abandoned_end(self, work: _Underway | AskReceipt, end: ProcessEnd) -> Arrival | None:
        """We stopped it ourselves: a receipt is asked again, what never started is simply still to do."""
        if isinstance(work, AskReceipt) or end.spawn_error is not None:
            return None
        return self._lost(work.attempt, "interrupt", told(end.survivors))

    def _attempt_ended(
        self, work: _Underway, end: ProcessEnd, stored: JsonObject | None = None
    ) -> AttemptEnded | AttemptLost:
        unit = unit_of(self._plan, assignment_of(work.attempt))
        if end.exit_code is None and end.signal is None and end.spawn_error is None:
            return self._lost(work.attempt, "unobserved", told(end.survivors))
        stdout = end.stdout.path.read_bytes() if work.reads_stdout and end.spawn_error is None else None
        names = outcome.named_files(unit, stdout) if stdout is not None and end.exit_code is not None else ()
        files = self._workplaces.keep(work.attempt, names, changes=end.exit_code is not None)
        self._workplaces.leave(work.attempt)
        return AttemptEnded(
            at_ms=self._now_ms(),
            attempt=work.attempt,
            exit_code=end.exit_code,
            signal=end.signal,
            never_started=end.spawn_error,
            timed_out=end.timed_out,
            stopped=end.stopped,
            stdout=stdout,
            truncated=end.stdout.truncated,
            output_lost=end.stdout.lost,
            files=files,
            survivors=told(end.survivors),
            stored=stored,
        )

    def _answered(self, work: AskReceipt, end: ProcessEnd) -> Arrival:
        reply = read_reply(end) if work.pushed is None else read_listing(end, work.pushed)
        unit = unit_of(self._plan, assignment_of(work.effect))
        names = outcome.receipt_files(unit, reply.receipt) if reply.answer == "found" else ()
        files = {name: self._files.keep(name) for name in names}
        return ReceiptAnswered(self._now_ms(), work.effect, reply.answer, reply.receipt, reply.detail, files)

    def with_files(self, asked: ResolutionGiven) -> ResolutionGiven:
        """A resolution with the files that its reference names where it stands in for an output."""
        return replace(asked, files={path: self._files.keep(path) for path in files_named(self._plan, asked)})

    def make_ready(self, events: Sequence[Event]) -> None:
        """Make where each attempt is recorded that `events` intend: later, that it is missing proves nothing."""
        for event in events:
            if event.name == "attempt.create" and not self._calls.intends(event.entity):
                intend(self.attempt_folder(event.entity))

    # after a crash

    def recover(self, command: StartAttempt | StopAttempt) -> Arrival | None:
        """What the last engine left of an attempt: None when it provably never started it, and we may."""
        if self._calls.makes(command.attempt):
            return self._calls.recover(command.attempt)
        found = look(self.attempt_folder(command.attempt))
        if isinstance(found, NeverStarted):
            code = found.code
            return None if code is None else AttemptEnded(self._now_ms(), command.attempt, never_started=code)
        return self._found(command, found)

    def _found(self, command: StartAttempt | StopAttempt, found: Found) -> Arrival:
        """What was, or may have been, started before us: its end, the process itself, or nothing to rely on."""
        attempt, folder = command.attempt, self.attempt_folder(command.attempt)
        underway = _Underway(attempt, attempt.partition("#")[0], reads_stdout=True)
        work, token = self._work(attempt), token_of(folder)
        if isinstance(found, Supervised) and found.work == work:
            if found.end is not None and found.end.stopped and isinstance(command, StartAttempt):
                return self._lost(attempt, "interrupt", told(found.end.survivors))
            if found.end is not None:
                return self._attempt_ended(underway, found.end, found.recorded())
            if found.lives_for(work, token) and self._taken_over(attempt, folder, work, token):
                self.in_flight[attempt] = underway
                return AttemptReattached(self._now_ms(), attempt, found.recorded())
        survivors = stop_strays(token, leader_of(found, token))
        return self._lost(attempt, "crash", told(survivors))

    def _lost(self, attempt: str, cause: LossCause, survivors: tuple[str, ...]) -> AttemptLost:
        return AttemptLost(self._now_ms(), attempt, cause, survivors, self._workplaces.give_up(attempt))

    def _taken_over(self, attempt: str, folder: Path, work: str, token: str) -> bool:
        try:
            self._processes.take_over(attempt, folder, work, token)
        except OSError:  # a full disk: what we cannot own, we may not rely on
            return False
        return True

    def recover_sessions(self, left: Iterable[str]) -> None:
        """Stop the sessions that the last engine has left."""
        for session in left:
            stop_left(self._starts.session_folder(session))

    def recover_question(self, command: AskReceipt | LookAtRepositories) -> None:
        """Stop what the last engine left of asking; it is asked again."""
        if isinstance(command, AskReceipt):
            stop_left(self._receipt_folder(command.effect))
        else:
            self._looks.stop_left(command, self._folder)

    # names

    def attempt_folder(self, attempt: str) -> Path:
        """Where the output of `attempt` (such as `STEP#N/M`) is kept."""
        return self._folder / attempt.translate(_IN_FOLDER)

    def _receipt_folder(self, effect: str) -> Path:
        return self.attempt_folder(effect) / "receipt"

    def _work(self, key: str) -> str:
        """What a process is the process of."""
        return f"{self._run} {key}"


def _receipt_key(effect: str) -> str:
    return f"{effect} receipt"
