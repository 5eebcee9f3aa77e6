"""One simulated run: the kernel's own loop over a journal in memory, cut off at any write and at any start."""

import random
from typing import Any

from akm.kernel import command as ask
from akm.kernel import observation as seen
from akm.kernel.ceilings import exceeded
from akm.kernel.decide import created, decide
from akm.kernel.event import Event, Instant, Recorded
from akm.kernel.evolve import evolve
from akm.kernel.identity import assignment_of
from akm.kernel.invariants import History, check, final_state
from akm.kernel.machines import finals
from akm.kernel.pending import pending
from akm.kernel.state import RunState
from akm.kernel.summary import summarise
from akm.kernel.units import unit_of
from akm.simulation.sample import sample
from akm.simulation.world import World
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan

#: Crashes of one run: more of them would only use up its recoveries.
CRASHES_MAX = 6
#: Turns after which a run is held to be endless.
TURNS_MAX = 20_000
#: Where the wall clock of a simulation stands; nothing depends on it.
_UTC = "2000-01-01T00:00:00Z"


class Broken(Exception):
    """Something that must always hold did not; the message says what."""


class _Crash(Exception):
    """The driver's process is gone."""


class SimulatedRun:
    """Invariant: `journal` is what survives a crash; `state` is what it adds up to."""

    def __init__(self, plan: Plan, plan_hash: str, parameters: JsonObject, world: World, crash_rate: float) -> None:
        self.plan = plan
        self.journal: list[Recorded] = []
        self.crashes = 0
        self._world = world
        self._chance = random.Random(f"{world.seed} crashes")  # noqa: S311  # no secret: a seed gives it again
        self._crash_rate = crash_rate
        self._started: set[str] = set()
        self._alive: set[str] = set()
        self._now_ms = 0
        birth = created("simulated", plan, plan_hash, parameters, simulated=True)
        self.state: RunState = evolve(plan, None, birth)
        self._record(birth)

    def drive(self) -> "SimulatedRun":
        """Carry the run to its end through all crashes, and prove its history. Raises Broken."""
        crashed = False
        for _ in range(TURNS_MAX):
            try:
                if crashed:
                    self._recover()
                    crashed = False
                if self.state.status in finals("run"):
                    self._prove()
                    return self
                self._turn()
            except _Crash:
                self.crashes += 1
                crashed = True
                self._alive.clear()
                self.state = self._loaded()
        raise Broken(f"it has not ended after {TURNS_MAX} turns")

    def _turn(self) -> None:
        """Start all that is to be started; then something of what is pending happens."""
        self._observe(seen.Ticked(self._now_ms))
        if self.state.status in finals("run"):
            return
        commands = pending(self.plan, self.state)
        if not commands:
            raise Broken(f"a run that is {self.state.status} asks for nothing")
        for command in commands:
            if isinstance(command, ask.StartAttempt):
                self._start(command.attempt)
        self._observe(self._carried_out(self._chance.choice(commands)))

    def _observe(self, observation: seen.Observation) -> None:
        events = decide(self.plan, self.state, observation)
        if not events:
            return
        self._may_crash()
        for event in events:
            over = exceeded(self.plan, self.state, event, self._now_ms)
            if over is not None:
                raise Broken(f"event {len(self.journal) + 1}: {over.message()}")
            self.state = evolve(self.plan, self.state, event)
            self._record(event)
        self._now_ms += 10
        self._may_crash()

    def _record(self, event: Event) -> None:
        at = Instant(_UTC, self._now_ms)
        self.journal.append(Recorded("simulated", len(self.journal) + 1, at, 1 + self.crashes, event))

    def _loaded(self) -> RunState:
        state = final_state(History(self.plan, tuple(self.journal)))
        assert state is not None, "the birth is recorded"
        return state

    def _prove(self) -> None:
        history = History(self.plan, tuple(self.journal), summarise(self.plan, self.state))
        for violation in check(history):
            raise Broken(f"{violation.name} at event {violation.sequence}: {violation.message}")
        if self._loaded() != self.state:
            raise Broken("its journal does not add up to its state")

    def _may_crash(self) -> None:
        if self.crashes < CRASHES_MAX and self._chance.random() < self._crash_rate:
            raise _Crash

    def _recover(self) -> None:
        for command in pending(self.plan, self.state):
            if isinstance(command, ask.StartAttempt | ask.StopAttempt) and command.attempt in self._started:
                self._observe(self._found(command.attempt))

    def _found(self, attempt: str) -> seen.Observation:
        """What a driver finds of an attempt that an earlier one started."""
        fate = self._chance.choice(("lost", "lives", "ended"))
        if fate == "lost":
            return seen.AttemptLost(self._now_ms, attempt, "crash")
        if fate == "ended":
            return self._ended(attempt, stored={"simulated": True})
        self._alive.add(attempt)
        return seen.AttemptReattached(self._now_ms, attempt, {"simulated": True})

    def _start(self, attempt: str) -> None:
        """Its process starts, unless it runs already, or will turn out never to have started."""
        if attempt in self._alive or "never_started" in self._world.end(self.state, attempt):
            return
        self._may_crash()
        if attempt in self._started:
            raise Broken(f"attempt {attempt} is started a second time")
        self._started.add(attempt)
        self._alive.add(attempt)
        self._may_crash()

    # what comes of a command

    def _carried_out(self, command: ask.Command) -> seen.Observation:
        match command:
            case ask.Prepare():
                return seen.Prepared(self._now_ms, ())
            case ask.StartAttempt():
                return self._ended(command.attempt)
            case ask.StopAttempt():
                if command.attempt in self._alive:
                    return seen.AttemptEnded(self._now_ms, command.attempt, signal=15, stopped=True)
                return seen.AttemptEnded(self._now_ms, command.attempt, never_started="not_started")
            case ask.AskReceipt():
                answer = self._world.receipt(self.state, command.effect)
                receipt = "simulated" if answer == "found" else None
                return seen.ReceiptAnswered(self._now_ms, command.effect, answer, receipt)
            case ask.CheckArtifacts():
                missing = self._world.pick("files", command.step_attempt).choice([(), command.paths[:1]])
                return seen.ArtifactsChecked(self._now_ms, command.step_attempt, missing)
            case ask.CheckPins():
                found = dict.fromkeys(command.paths)
                return seen.PinsChecked(self._now_ms, command.step_attempt, command.when, found)
            case ask.AwaitResolution():
                return self._resolved(command.effect)
            case ask.AwaitDecision() | ask.AwaitSignal() | ask.AwaitTimer():
                return self._waited(command)
        raise Broken(f"{type(command).__name__} cannot be simulated")

    def _ended(self, attempt: str, stored: JsonObject | None = None) -> seen.AttemptEnded:
        end = self._world.end(self.state, attempt)
        files = self._world.files(attempt, end)
        return seen.AttemptEnded(self._now_ms, attempt, files=files, stored=stored, **end)

    def _waited(self, command: ask.AwaitDecision | ask.AwaitSignal | ask.AwaitTimer) -> seen.Observation:
        number, chance = self.state.sequence + 1, self._world.pick("wait", command.step_attempt)
        comes = chance.random() < 0.7
        if isinstance(command, ask.AwaitDecision) and comes:
            approve, by = chance.random() < 0.7, command.by[0]
            return seen.DecisionGiven(
                self._now_ms, number, command.step_attempt, approve, by, "simulated", command.shown
            )
        if isinstance(command, ask.AwaitSignal) and comes and not self.state.signals:
            step: Any = next(step for step in self.plan["steps"] if step["name"] == command.step)
            data = None if step["output"] is None else sample(step["output"], chance)
            return seen.SignalGiven(self._now_ms, number, command.signal, data)
        self._now_ms = max(self._now_ms, command.due_ms)
        return seen.Ticked(self._now_ms)

    def _resolved(self, effect: str) -> seen.Observation:
        """A person finds out what is true; what did not end by itself counts as failed."""
        blocked = self.state.effects[effect].blocked
        assert blocked is not None, effect
        there = self._world.end(self.state, effect).get("exit_code") == 0
        unit = unit_of(self.plan, assignment_of(effect))
        action: Any = "confirm-absent"
        if "timeout" in blocked["why"] or "killed" in blocked["why"]:
            action = "mark-failed"
        elif there and unit.output is None and "mark-completed" in blocked["resolutions"]:
            action = "mark-completed"
        number = self.state.sequence + 1
        return seen.ResolutionGiven(self._now_ms, number, effect, action, "simulated", "simulated", "simulated")
