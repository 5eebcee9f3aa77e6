"""The state of a run: what the events so far add up to. Only `evolve` makes a new one.

It holds what is alive and what is counted, not history: its size is bounded by the plan.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from akm_specs.canonical import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Result:
    """What an assignment came to.

    `outcome` is one of the step's outcomes; `code` is the machine code of a failure. `hash` is over
    what later steps can see of it, so that equal work has equal results.
    """

    outcome: str
    result_class: Literal["outcome", "outcome_unknown", "producer_rejected", "cancelled"]
    code: str | None
    output: Json
    evidence: JsonObject
    tokens: int
    cost_microdollars: int
    hash: str


@dataclass(frozen=True, slots=True)
class StepAttempt:
    """One entry of `step`. `due_ms` and `shown` are there for approvals and waits."""

    id: str
    step: str
    number: int
    status: str
    entered_ms: int
    due_ms: int | None = None
    shown: str | None = None  # hash of what an approval shows
    outcome: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """Invariant: `attempts` counts its physical attempts; all but the newest are terminal.

    `lost` and `granted` count those that replaced a lost one, and those that a person's resolution called for.
    """

    id: str
    step_attempt: str
    status: str
    input_hash: str
    attempts: int = 0
    lost: int = 0
    granted: int = 0
    result: Result | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    id: str
    assignment: str
    number: int
    status: str


@dataclass(frozen=True, slots=True)
class Effect:
    """What attempt `id` does to the world. `observed` is the result that waits for its receipt."""

    id: str
    assignment: str
    effect_class: str
    key: str
    status: str
    observed: JsonObject | None = None
    blocked: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Signal:
    """A signal in the mailbox; `number` is its place in the run's inbox."""

    number: int
    name: str
    data: Json


@dataclass(frozen=True, slots=True)
class Ending:
    """The run is to end as `terminal` once nothing of it is alive or unresolved."""

    terminal: Literal["failed", "cancelled"]
    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Counters:
    """Everything that a budget bounds, folded from the events."""

    transitions: int = 0
    units: int = 0
    tokens: int = 0
    cost_microdollars: int = 0
    entries: Mapping[str, int] = field(default_factory=dict)  # step -> entries
    edges: Mapping[str, int] = field(default_factory=dict)  # "STEP OUTCOME" -> times taken


@dataclass(frozen=True, slots=True)
class RunState:
    """Invariant: while `status` is not final, `active` is the one step attempt that is not final, or None
    before the first and between two. Assignments, attempts and effects are those of `active`."""

    run: str
    status: str
    sequence: int
    plan_hash: str
    parameters: JsonObject
    simulated: bool
    counters: Counters = Counters()
    active: StepAttempt | None = None
    assignments: Mapping[str, Assignment] = field(default_factory=dict)
    attempts: Mapping[str, Attempt] = field(default_factory=dict)
    effects: Mapping[str, Effect] = field(default_factory=dict)
    outputs: Mapping[str, Json] = field(default_factory=dict)  # step -> its latest output, null for none
    signals: tuple[Signal, ...] = ()
    ending: Ending | None = None
    next_step: str | None = None  # where the last transition leads, until that step is entered
    selected: str | None = None  # the terminal that a transition selected
    last_step: str | None = None
    last_outcome: str | None = None
    reason: JsonObject | None = None  # why it ended, when not by a transition
