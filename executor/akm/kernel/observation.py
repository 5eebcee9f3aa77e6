"""Observations: everything the kernel learns of the world. Each says when, on the run's own clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from akm_specs.canonical import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Ticked:
    """Time passed, nothing else."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class Prepared:
    """Tools, workspace and environment were looked at; `problems` says in words what is missing."""

    at_ms: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that a result names, as it was copied into the content-addressed store."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class AttemptEnded:
    """The process of `attempt` is gone, and so is everything it started, but for `survivors`.

    Exactly one of `exit_code`, `signal` and `never_started` (a machine code) says how. `stdout` is there
    when the step reads it; `files` holds what was found under each path that the output names. `stored` names
    the supervisor when it was the only one to see the end: its driver was gone.
    """

    at_ms: int
    attempt: str
    exit_code: int | None = None
    signal: int | None = None
    never_started: str | None = None
    timed_out: bool = False
    stopped: bool = False
    stdout: bytes | None = None
    truncated: bool = False
    output_lost: bool = False  # it could not be written down
    files: Mapping[str, StoredFile | None] = field(default_factory=dict)
    survivors: tuple[str, ...] = ()
    stored: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class UsageSeen:
    """What `attempt`, which goes on, says that it has used so far, in all: `tokens` and `cost_usd`."""

    at_ms: int
    attempt: str
    usage: JsonObject


@dataclass(frozen=True, slots=True)
class AttemptReattached:
    """The process of `attempt`, whose driver is gone, still runs: `supervisor` is proven to be its own."""

    at_ms: int
    attempt: str
    supervisor: JsonObject


LossCause: TypeAlias = Literal["crash", "interrupt", "unobserved"]


@dataclass(frozen=True, slots=True)
class AttemptLost:
    """Nobody saw how `attempt` ended, and it may have acted. What was left of it has been stopped.

    `changed` names what differs in the workspace from before the attempt; None where that was not compared.
    """

    at_ms: int
    attempt: str
    cause: LossCause
    survivors: tuple[str, ...] = ()
    changed: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class ReceiptAnswered:
    """The receipt query of `effect` answered, or gave no clear answer (`detail` says why).

    `files` holds what was found under each path that a found receipt names.
    """

    at_ms: int
    effect: str
    answer: Literal["found", "absent", "ambiguous"]
    receipt: Json = None
    detail: str = ""
    files: Mapping[str, StoredFile | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ArtifactsChecked:
    """Which of the paths that the gate names are missing."""

    at_ms: int
    step_attempt: str
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PinsChecked:
    """What each pinned file holds now, by its path; None where it is not there."""

    at_ms: int
    step_attempt: str
    when: Literal["start", "end"]
    found: Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class RepositoriesSeen:
    """What a delivery found: the exact commit by repository, and in words why others cannot be delivered."""

    at_ms: int
    step_attempt: str
    commits: Mapping[str, str]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ChildSeen:
    """Whether the child run `run`, which does `assignment`, stands at an effect that nobody can prove."""

    at_ms: int
    assignment: str
    run: str
    blocked: bool


@dataclass(frozen=True, slots=True)
class ChildEnded:
    """The child run that does `assignment` has ended. `message` says why, where it did not complete.

    `outputs` holds what each of its steps made last; the amounts are what it spent, its own children included.
    """

    at_ms: int
    assignment: str
    status: Literal["completed", "failed", "cancelled"]
    digest: str
    outputs: JsonObject
    message: str | None = None
    units: int = 0
    tokens: int = 0
    cost_microdollars: int = 0
    agent_time_ms: int = 0
    unmetered: int = 0


@dataclass(frozen=True, slots=True)
class SessionsClosed:
    """A session is over, or all of them (`session` None); `ends` are those of everything that it was asked."""

    at_ms: int
    session: str | None
    why: str
    ends: "tuple[AttemptEnded | AttemptLost, ...]" = ()


@dataclass(frozen=True, slots=True)
class HostSeen:
    """How many processes the driver's host allows at once."""

    at_ms: int
    parallel: int


@dataclass(frozen=True, slots=True)
class DecisionGiven:
    """A person's decision, bound to what that person was shown. `number` is its place in the inbox."""

    at_ms: int
    number: int
    step_attempt: str
    approve: bool
    by: str
    reason: str
    shown: str


@dataclass(frozen=True, slots=True)
class SignalGiven:
    at_ms: int
    number: int
    name: str
    data: Json


@dataclass(frozen=True, slots=True)
class CancelAsked:
    at_ms: int
    number: int
    by: str
    reason: str


ResolutionAction: TypeAlias = Literal["mark-completed", "confirm-absent", "compensated", "mark-failed", "cancel"]


@dataclass(frozen=True, slots=True)
class ResolutionGiven:
    """A person settles an uncertain effect. `reference` is a receipt or what else proves it.

    `files` holds what was found under each path that a reference in the place of an output names.
    """

    at_ms: int
    number: int
    effect: str
    action: ResolutionAction
    by: str
    reason: str
    reference: str | None
    files: Mapping[str, StoredFile | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandUnread:
    """The run is about to end, and this inbox command has come too late to be looked at."""

    at_ms: int
    number: int
    kind: str
    body: JsonObject


@dataclass(frozen=True, slots=True)
class Arrived:
    """Several ends and answers that came together; they are decided together, and so committed together."""

    at_ms: int
    observations: "tuple[Arrival, ...]"


Arrival: TypeAlias = (
    AttemptEnded
    | AttemptReattached
    | AttemptLost
    | ReceiptAnswered
    | ArtifactsChecked
    | PinsChecked
    | RepositoriesSeen
    | SessionsClosed
    | UsageSeen
)
Observation: TypeAlias = (
    Ticked
    | Arrived
    | HostSeen
    | ChildSeen
    | ChildEnded
    | PinsChecked
    | RepositoriesSeen
    | SessionsClosed
    | Prepared
    | UsageSeen
    | AttemptEnded
    | AttemptReattached
    | AttemptLost
    | ReceiptAnswered
    | ArtifactsChecked
    | DecisionGiven
    | SignalGiven
    | CancelAsked
    | ResolutionGiven
    | CommandUnread
)
