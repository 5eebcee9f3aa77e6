"""Every run of the real kernel over two steps, in a small world in which everything may crash at any moment.

The world is one process for the current attempt, what it did, and the losses that are left. The engine may stop
between any two commits; a host takes the process with it. Standings are what the model in `composition_promela`
counts as well: `explore` and SPIN must reach the very same ones.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

from akm.kernel import command as ask
from akm.kernel import observation as seen
from akm.kernel.decide import created, decide
from akm.kernel.evolve import evolve
from akm.kernel.machines import finals
from akm.kernel.pending import pending
from akm.kernel.state import RunState
from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.source import Source

Process: TypeAlias = Literal["none", "fresh", "acted", "exited_ok", "exited_bad", "gone"]
PROCESSES: tuple[Process, ...] = ("none", "fresh", "acted", "exited_ok", "exited_bad", "gone")
#: How often a host takes a process with it: what bounds the attempts, as a person may grant one for each.
LOSSES_MAX = 2
#: Replacements of lost attempts that the plan allows, where the class may have them.
RECOVERIES = 1
CLASSES = (
    "read_only",
    "workspace_mutation",
    "external_idempotent",
    "receipt_queryable",
    "unknown",
    "external_non_idempotent",
)
#: Classes whose lost attempts the plan may replace.
RECOVERABLE = CLASSES[:4]


class Standing(NamedTuple):
    """A run and its world, as far as both explorations look. Entities are those of the active step."""

    run: str
    step: int
    step_attempt: str
    assignment: str
    attempt: str
    effect: str
    number: int
    lost: int
    ending: str
    up: bool
    process: Process
    acts: int
    losses: int


@dataclass(frozen=True, slots=True)
class World:
    """What is there beside the run. `acts` counts what the step's processes did."""

    up: bool = True
    process: Process = "none"
    acts: int = 0
    losses: int = 0

    @property
    def running(self) -> bool:
        """Whether the process still may act."""
        return self.process in ("fresh", "acted")


def composed_plan(effect: str) -> Plan:
    """Two steps of one class, each of which ends the run when it fails."""
    recover = f", recover {RECOVERIES}" if effect in RECOVERABLE else ""
    receipt = ', receipt ["true"]' if effect == "receipt_queryable" else ""
    steps = "".join(
        f"step s{at}: exec act {{ attempts 1{recover}, on passed -> {onward}, on failed -> failed }}\n"
        for at, onward in enumerate(("s1", "completed"))
    )
    registry = f'tool act {{ argv ["true"], effect {effect}{receipt} }}\n'
    text = f'workflow composed "Two steps" {{\n{steps}}}\n'
    return compile_workflow(Source("composed.akm", text), Source("absent/registry.akm", registry)).plan


def standing(state: RunState, world: World) -> Standing:
    """The part of both that is compared; of a run that stands at no step, no entity is left to look at."""
    ending = "none" if state.ending is None else state.ending.terminal
    beside = (ending, world.up, world.process, world.acts, world.losses)
    if state.active is None:
        return Standing(state.status, 0, "none", "none", "none", "none", 0, 0, *beside)
    assignment = state.assignments[state.active.id]
    attempt = f"{assignment.id}/{assignment.attempts}"
    return Standing(
        state.status,
        int(state.active.step[1:]),
        state.active.status,
        assignment.status,
        state.attempts[attempt].status,
        state.effects[attempt].status,
        assignment.attempts,
        assignment.lost,
        *beside,
    )


class Composition:
    """The moves of a run and its world together. `Next` is what each leads to."""

    def __init__(self, effect: str) -> None:
        self.effect = effect
        self.plan = composed_plan(effect)

    def start(self) -> RunState:
        """A run that was just created."""
        state = evolve(self.plan, None, created("r", self.plan, "0" * 64, {}, simulated=False))
        return self._commit(state, seen.HostSeen(0, 8))

    def moves(self, state: RunState, world: World) -> Iterator[tuple[RunState, World]]:
        """Everything that may happen next, to the world, to the engine, or by it."""
        if state.status in finals("run"):
            return
        yield from ((state, after) for after in self._world(world))
        if not world.up:
            yield self._recovered(state, world)
            return
        yield state, replace(world, up=False)
        for observation, after in self._observations(state, world):
            yield self._kept(state, self._commit(state, observation), after)
        for command in pending(self.plan, state):
            if isinstance(command, ask.StartAttempt) and world.process == "none":
                yield state, replace(world, process="fresh")

    def _world(self, world: World) -> Iterator[World]:
        """What no engine has a say in: the process acts, ends, or is gone with its host, and the engine too."""
        if world.process == "fresh":
            yield replace(world, process="acted", acts=world.acts + 1)
            yield replace(world, process="exited_bad")
        if world.process == "acted":
            yield replace(world, process="exited_ok")
        if world.running and world.losses < LOSSES_MAX:
            yield replace(world, process="gone", up=False, losses=world.losses + 1)

    def _recovered(self, state: RunState, world: World) -> tuple[RunState, World]:
        """A new driver, and what it finds of the process that an earlier one started."""
        after = replace(world, up=True)
        at_work = [one for one in pending(self.plan, state) if isinstance(one, ask.StartAttempt | ask.StopAttempt)]
        if not at_work or world.process == "none":
            return state, after
        attempt, found = at_work[0].attempt, world.process
        if world.running:
            return self._commit(state, seen.AttemptReattached(0, attempt, {"pid": 7})), after
        if found == "gone":
            changed = None if self.effect != "workspace_mutation" else ("made.txt",) * min(world.acts, 1)
            lost = seen.AttemptLost(0, attempt, "crash", changed=changed)
            return self._kept(state, self._commit(state, lost), after)
        code = 0 if found == "exited_ok" else 1
        end = seen.AttemptEnded(0, attempt, exit_code=code, stored={"pid": 7})
        return self._kept(state, self._commit(state, end), after)

    def _observations(self, state: RunState, world: World) -> Iterator[tuple[seen.Observation, World]]:
        """What the engine may learn now."""
        if state.ending is None:
            yield seen.CancelAsked(0, 1, "alice", "enough"), world
        for command in pending(self.plan, state):
            match command:
                case ask.Prepare():
                    yield seen.Prepared(0, ()), world
                    yield seen.Prepared(0, ("no tool",)), world
                case ask.StartAttempt(attempt=attempt) | ask.StopAttempt(attempt=attempt):
                    yield from self._ends(attempt, world, stops=isinstance(command, ask.StopAttempt))
                case ask.AskReceipt(effect=effect):
                    yield seen.ReceiptAnswered(0, effect, "ambiguous"), world
                    yield seen.ReceiptAnswered(0, effect, "found" if world.acts else "absent", 7), world
                case ask.AwaitResolution(effect=effect):
                    yield from ((one, world) for one in resolutions(effect, acted=world.acts > 0))

    def _ends(self, attempt: str, world: World, *, stops: bool) -> Iterator[tuple[seen.Observation, World]]:
        if world.process == "none":
            yield seen.AttemptEnded(0, attempt, never_started="not_started"), world
        elif world.process == "exited_ok":
            yield seen.AttemptEnded(0, attempt, exit_code=0), world
        elif world.process == "exited_bad":
            yield seen.AttemptEnded(0, attempt, exit_code=1), world
        elif stops and world.running:
            yield seen.AttemptEnded(0, attempt, signal=15, stopped=True), replace(world, process="gone")

    def _commit(self, state: RunState, observation: seen.Observation) -> RunState:
        for event in decide(self.plan, state, observation):
            state = evolve(self.plan, state, event)
        return state

    def _kept(self, before: RunState, after: RunState, world: World) -> tuple[RunState, World]:
        """The world beside `after`: another attempt has no process yet, and another step has done nothing."""
        one, other = standing(before, world), standing(after, world)
        if after.active is None or other.step != one.step or one.number == 0:
            return after, replace(world, process="none", acts=0)
        return after, replace(world, process="none") if other.number != one.number else world


def resolutions(effect: str, *, acted: bool) -> Iterator[seen.ResolutionGiven]:
    """What a person may say who has looked: nothing that is not so."""
    true: seen.ResolutionAction = "mark-completed" if acted else "confirm-absent"
    actions: tuple[tuple[seen.ResolutionAction, str | None], ...] = (
        (true, "seen"),
        ("mark-failed", None),
        ("cancel", "seen"),
        ("cancel", None),
    )
    for action, reference in actions:
        yield seen.ResolutionGiven(0, 1, effect, action, "alice", "looked", reference)


def explore(effect: str) -> frozenset[Standing]:
    """All standings that runs over tools of this class reach."""
    composition = Composition(effect)
    first = (composition.start(), World())
    known, pending_ = {standing(*first)}, deque([first])
    while pending_:
        for state, world in composition.moves(*pending_.popleft()):
            one = standing(state, world)
            if one not in known:
                known.add(one)
                pending_.append((state, world))
    return frozenset(known)
