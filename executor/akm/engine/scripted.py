"""Carrying out commands of a simulated run: a script answers, and nothing is started, asked or looked at."""

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from akm.engine.script import End, Script
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
    PinsChecked,
    ReceiptAnswered,
    RepositoriesSeen,
    ResolutionGiven,
    StoredFile,
)
from akm.kernel.resolution import files_named
from akm.kernel.units import Unit, unit_of
from akm_specs.canonical import canonical, hash_bytes
from akm_specs.plan import Plan

#: What every file holds that a scripted output names.
NOTHING = b""
#: The commit that is delivered where the plan leaves it to the checked-out one, of which there is none.
NO_COMMIT = "0" * 40


class Scripted:
    """The place of a `Dispatcher`. Ends are a function of the attempt alone, so that a crash changes none."""

    def __init__(self, plan: Plan, script: Script, now_ms: Callable[[], int]) -> None:
        self._plan = plan
        self._script = script
        self._now_ms = now_ms
        self._arrivals: deque[Arrival] = deque()
        self._kept: dict[str, bytes] = {}

    def carry_out(self, command: Dispatched) -> None:
        """What the script says comes of `command` can be fetched at once."""
        self._arrivals.append(self._answer(command))

    def _answer(self, command: Dispatched) -> Arrival:
        at_ms = self._now_ms()
        match command:
            case StartAttempt():
                return self._ended(command.attempt)
            case StopAttempt():
                return AttemptEnded(at_ms, command.attempt, never_started="not_started")
            case AskReceipt():
                return self._asked(command)
            case CheckArtifacts():
                step = command.step_attempt.partition("#")[0]
                missing = () if self._script.gates[step] else command.paths
                return ArtifactsChecked(at_ms, command.step_attempt, missing)
            case CheckPins():
                found = dict.fromkeys(command.paths, hash_bytes(NOTHING))
                return PinsChecked(at_ms, command.step_attempt, command.when, found)
            case LookAtRepositories():
                commits = {one.repository: one.commit or NO_COMMIT for one in command.looks}
                return RepositoriesSeen(at_ms, command.step_attempt, commits)
            case _:
                assert_never(command)

    def _ended(self, attempt: str) -> AttemptEnded:
        unit = unit_of(self._plan, assignment_of(attempt))
        end = self._script.end(attempt)
        if end is None:
            return AttemptEnded(self._now_ms(), attempt, never_started="not_scripted")
        stdout = said(unit, end)
        names = outcome.named_files(unit, stdout) if stdout is not None else ()
        return AttemptEnded(
            at_ms=self._now_ms(),
            attempt=attempt,
            exit_code=exit_code(unit, end),
            signal=15 if end.get("timed_out") else end.get("signal"),
            never_started=end.get("never_started"),
            timed_out="timed_out" in end,
            stdout=stdout if unit.reads_stdout else None,
            files=self._files(names),
        )

    def _asked(self, command: AskReceipt) -> ReceiptAnswered:
        at_ms, end = self._now_ms(), self._script.end(command.effect)
        if command.pushed is not None and end is not None:
            there = exit_code(unit_of(self._plan, assignment_of(command.effect)), end) == 0
            return ReceiptAnswered(at_ms, command.effect, *(("found", command.pushed) if there else ("absent",)))
        if end is None or "receipt" not in end:
            return ReceiptAnswered(at_ms, command.effect, "ambiguous", detail="the script has no receipt")
        if not end["receipt"]["found"]:
            return ReceiptAnswered(at_ms, command.effect, "absent")
        receipt = end["receipt"].get("receipt")
        names = outcome.receipt_files(unit_of(self._plan, assignment_of(command.effect)), receipt)
        return ReceiptAnswered(at_ms, command.effect, "found", receipt, files=self._files(names))

    def _files(self, names: Iterable[str]) -> dict[str, StoredFile | None]:
        """The files that a scripted output names: they have to be in the store, and are empty."""
        found: dict[str, StoredFile | None] = dict.fromkeys(names, StoredFile(hash_bytes(NOTHING), len(NOTHING)))
        if found:
            self._kept[hash_bytes(NOTHING)] = NOTHING
        return found

    def fetch(self, timeout_s: float) -> Arrival | None:
        """The next answer. There is nothing to wait for."""
        return self._arrivals.popleft() if self._arrivals else None

    @property
    def idle(self) -> bool:
        """Whether nothing can be fetched."""
        return not self._arrivals

    def take_files(self) -> dict[str, bytes]:
        """The files that results named since the last call, by hash."""
        kept, self._kept = self._kept, {}
        return kept

    def give_back_files(self, files: Mapping[str, bytes]) -> None:
        """Files that were taken, but whose append was refused."""
        self._kept.update(files)

    def with_files(self, asked: ResolutionGiven) -> ResolutionGiven:
        """A resolution with the files that its reference names."""
        return replace(asked, files=self._files(files_named(self._plan, asked)))

    # what a dispatcher of processes does, and for which there is nothing to do here

    def recover(self, command: StartAttempt | StopAttempt) -> Arrival | None:
        """Nothing was started."""
        return None

    def recover_question(self, command: AskReceipt | LookAtRepositories) -> None:
        """Nobody was asked."""

    def recover_sessions(self, left: Iterable[str]) -> None:
        """No session was begun."""

    def make_ready(self, events: Sequence[Event]) -> None:
        """No attempt leaves output."""

    def warm_up(self) -> None:
        """No process will be started."""

    def wake(self) -> None:
        """Nothing waits."""

    def abandon(self) -> None:
        """Nothing is under way."""

    def close(self) -> None:
        """Nothing is held."""


def exit_code(unit: Unit, end: End) -> int | None:
    """The exit code of a process that ended so; None where it did not end by itself."""
    if "exit" in end:
        return end["exit"]
    if not end.keys() & {"outcome", "reply", "verdict"}:
        return None
    wanted, step = end.get("outcome", "passed"), unit.step
    if unit.reply not in ("exit", "push"):
        return 0
    exits = step["exits"] if step["kind"] == "exec" else {}
    named = next((int(code) for code, word in exits.items() if word == wanted), None)
    if named is not None:
        return named
    passing = 1 if step["kind"] == "gate" and step["expect"] == "fail" else 0
    return (
        passing
        if wanted == "passed"
        else next(code for code in range(256) if code != passing and str(code) not in exits)
    )


def said(unit: Unit, end: End) -> bytes | None:
    """What the process wrote on standard output; None where it did not end by itself."""
    if "reply" in end:
        return end["reply"].encode()
    if "verdict" in end:
        return canonical(end["verdict"])
    if exit_code(unit, end) is None:
        return None
    if unit.reply != "outcome":
        return canonical(end["output"]) if "output" in end else b""
    output = end.get("output")
    return canonical({**(output if isinstance(output, dict) else {}), "outcome": end["outcome"]})
