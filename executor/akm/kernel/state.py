"""The state of a run: what the events so far add up to. Only `evolve` makes a new one.

It holds what is alive and what is counted, not history: its size is bounded by the plan. What may be many is kept
in persistent maps, so that a new state shares with the old one all that an event did not touch.

What moves often is *owned*: a step attempt, an assignment, an attempt, an effect and the counters may be changed in
place by the one state that made them, and every other state copies them first (`RunState.own_active` and the like).
A copy of a state owns nothing, and so a state that was handed out never changes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, Literal, TypeVar

from immutables import Map

from akm_specs.canonical import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Result:
    """What an assignment came to.

    `outcome` is one of the step's outcomes; `code` is the machine code of a failure, and `detail` says more.
    `hash` is over what later steps can see of it, so that equal work has equal results. `metered` says whether
    it reported what it spent.
    """

    outcome: str
    result_class: Literal["outcome", "outcome_unknown", "producer_rejected", "cancelled"]
    code: str | None
    output: Json
    evidence: JsonObject
    tokens: int
    cost_microdollars: int
    hash: str
    detail: str | None = None
    metered: bool = False


@dataclass(frozen=True, slots=True)
class WorkList:
    """What a step attempt has to have done, in order: the part of the id of each assignment, and a map's items."""

    parts: tuple[str, ...] = ()
    items: tuple[Json, ...] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """The outcome that the step attempt will end with, unless its gate or a pin has something against it."""

    outcome: str
    data: JsonObject


@dataclass(slots=True)
class StepAttempt:
    """One entry of `step`. `due_ms` and `shown` are there for approvals and waits.

    `loop` counts the rounds of its gate and `feedback` is what the last one found; `made` counts the assignments
    of this round. `decided`: a panel's join needs no more of them. `pins_held` says when the pins that the step
    requires were last seen to hold.
    """

    id: str
    step: str
    number: int
    status: str
    entered_ms: int
    due_ms: int | None = None
    shown: str | None = None  # hash of what an approval shows
    outcome: str | None = None
    work: WorkList = WorkList()
    made: int = 0
    loop: int = 1
    feedback: JsonObject | None = None
    decided: bool = False
    proposed: Proposal | None = None
    pins_held: Literal["start", "end"] | None = None
    owner: object = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Assignment:
    """Invariant: `attempts` counts its physical attempts; all but the newest are terminal.

    `place` is its place in the work list. `lost` and `granted` count the attempts that replaced a lost one, and
    those that a person's resolution called for.
    """

    id: str
    step_attempt: str
    status: str
    input_hash: str
    place: int = 0
    attempts: int = 0
    lost: int = 0
    granted: int = 0
    result: Result | None = None
    owner: object = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Attempt:
    """`began_ms` is when its intent was recorded; the amounts are what it said to have used so far."""

    id: str
    assignment: str
    number: int
    status: str
    began_ms: int
    tokens: int = 0
    cost_microdollars: int = 0
    owner: object = field(default=None, compare=False, repr=False)


@dataclass(slots=True)
class Effect:
    """What attempt `id` does to the world. `observed` is the result that waits for its receipt."""

    id: str
    assignment: str
    effect_class: str
    key: str
    status: str
    observed: JsonObject | None = None
    blocked: JsonObject | None = None
    owner: object = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal in the mailbox; `number` is its place in the run's inbox."""

    number: int
    name: str
    data: Json


@dataclass(frozen=True, slots=True)
class Parent:
    """Whose child a run is: it does `assignment` of the run `run`, and may spend `share` of what that has left."""

    run: str
    assignment: str
    share: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ending:
    """The run is to end as `terminal` once nothing of it is alive or unresolved."""

    terminal: Literal["failed", "cancelled"]
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a passed step attempt left behind: how many pieces, the hash over them, and the files that they name."""

    step_attempt: str
    count: int
    hash: str
    files: Mapping[str, str] = field(default_factory=dict)  # path -> sha256


@dataclass(frozen=True, slots=True)
class Session:
    """A long-lived process of one worker. `scope` is the hash of all that it was started for; `at_work` are the
    attempts that it serves."""

    id: str
    epoch: int
    scope: str
    status: str
    at_work: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Share:
    """One repository's share of a delivery: `id` is that of the assignment that pushes it."""

    id: str
    status: str
    receipt: Json = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """The manifest of a delivery, by repository. `id` is that of its step attempt.

    `branch` and `commits` are known once the repositories were looked at. `problem` says why that failed.
    """

    id: str
    status: str
    repositories: tuple[str, ...]
    branch: str = ""
    commits: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, Share] = field(default_factory=dict)  # those that were assigned, the latest of each
    problem: str | None = None

    @property
    def delivered(self) -> tuple[str, ...]:
        """The repositories that have it."""
        return tuple(each for each in self.repositories if self.is_delivered(each))

    def is_delivered(self, repository: str) -> bool:
        """Whether `repository` has it."""
        return repository in self.shares and self.shares[repository].status == "delivered"


@dataclass(frozen=True, slots=True)
class Passage:
    """The last entry of a step: its place among all entries of the run, and how it ended, if it has."""

    entered: int
    outcome: str | None = None
    passed: bool = False


@dataclass(slots=True)
class Counters:
    """Everything that a budget bounds, folded from the events.

    `agent_time_ms` is what ended attempts of agents took; `agents` of them are at work, and began at times that
    add up to `agents_began_ms`.
    """

    transitions: int = 0
    units: int = 0
    nested_units: int = 0  # those of child runs that have ended
    attempts: int = 0
    granted: int = 0  # attempts that a person's resolution called for
    tokens: int = 0
    cost_microdollars: int = 0
    unmetered: int = 0  # attempts of agents that did not report what they spent
    agent_time_ms: int = 0
    agents: int = 0
    agents_began_ms: int = 0
    entered: int = 0  # entries of all steps
    entries: Map[str, int] = field(default_factory=Map)  # step -> entries
    edges: Map[str, int] = field(default_factory=Map)  # "STEP OUTCOME" -> times taken
    owner: object = field(default=None, compare=False, repr=False)


Owned = TypeVar("Owned", StepAttempt, Assignment, Attempt, Effect, Counters)


@dataclass(slots=True)
class RunState:
    """A value to all who read it; only `fold` changes one, which is its own, and of its parts what it owns.

    Invariant: while `status` is not final, `active` is the one step attempt that is not final, or None
    before the first and between two. Assignments, attempts and effects are those of `active`.

    Of the assignments, `open` counts those that are not terminal; `ready` are those of them that wait to be
    dispatched, and `uncertain` those that a person has to resolve. All others are at work.
    """

    run: str
    status: str
    sequence: int
    plan_hash: str
    parameters: JsonObject
    simulated: bool
    counters: Counters = field(default_factory=Counters)
    active: StepAttempt | None = None
    assignments: Map[str, Assignment] = field(default_factory=Map)
    attempts: Map[str, Attempt] = field(default_factory=Map)
    effects: Map[str, Effect] = field(default_factory=Map)
    open: int = 0
    ready: tuple[str, ...] = ()
    uncertain: tuple[str, ...] = ()
    outputs: Map[str, Json] = field(default_factory=Map)  # step -> its latest output, null for none
    passages: Map[str, Passage] = field(default_factory=Map)  # step -> its last entry
    evidence: Map[str, Evidence] = field(default_factory=Map)  # "STEP NAME" -> what was captured last
    deliveries: Mapping[str, Delivery] = field(default_factory=dict)  # step -> its latest delivery
    sessions: Mapping[str, Session] = field(default_factory=dict)  # worker -> its latest session
    signals: tuple[Signal, ...] = ()
    host_parallel: int | None = None  # processes that the driver's host allows at once
    ending: Ending | None = None
    next_step: str | None = None  # where the last transition leads, until that step is entered
    selected: str | None = None  # the terminal that a transition selected
    last_step: str | None = None
    last_outcome: str | None = None
    parent: Parent | None = None
    reason: JsonObject | None = None  # why it ended, when not by a transition
    script: str | None = None  # the hash of the script that stands in for its tools
    owner: object = field(init=False, default_factory=object, compare=False, repr=False)  # of all that it made

    def __copy__(self) -> "RunState":
        """The same, to be changed: it owns nothing yet."""
        return RunState(*_VALUES[RunState](self))

    # what is about to be changed

    def own_active(self) -> StepAttempt:
        """The active step attempt, which is there, as one to be changed in place."""
        assert self.active is not None, "no step attempt is active"
        if self.active.owner is not self.owner:
            self.active = self._owned(self.active)
        return self.active

    def own_assignment(self, one: Assignment) -> Assignment:
        """The assignment `one` to be changed in place; so of the others."""
        if one.owner is not self.owner:
            one = self._owned(one)
            self.assignments = self.assignments.set(one.id, one)
        return one

    def own_attempt(self, one: Attempt) -> Attempt:
        """A physical attempt."""
        if one.owner is not self.owner:
            one = self._owned(one)
            self.attempts = self.attempts.set(one.id, one)
        return one

    def own_effect(self, one: Effect) -> Effect:
        """An effect."""
        if one.owner is not self.owner:
            one = self._owned(one)
            self.effects = self.effects.set(one.id, one)
        return one

    def own_counters(self) -> Counters:
        """The counters."""
        if self.counters.owner is not self.owner:
            self.counters = self._owned(self.counters)
        return self.counters

    def _owned(self, one: Owned) -> Owned:
        mine = type(one)(*_VALUES[type(one)](one))
        mine.owner = self.owner
        return mine

    # what it comes to

    @property
    def at_work(self) -> int:
        """Assignments with a process under way, or a receipt asked for."""
        return self.open - len(self.ready) - len(self.uncertain)


#: Reads all that makes another one.
_VALUES: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    kind: attrgetter(*(each.name for each in fields(kind) if each.init))
    for kind in (RunState, StepAttempt, Assignment, Attempt, Effect, Counters)
}
