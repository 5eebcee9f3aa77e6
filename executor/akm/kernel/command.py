"""Commands: what `pending` asks the shell to do, or to wait for. They are derived anew after every event."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from akm_specs.canonical import Json
from akm_specs.plan import Script


@dataclass(frozen=True, slots=True)
class Prepare:
    """Verify tools, workspace and environment before the first step."""


@dataclass(frozen=True, slots=True)
class StartAttempt:
    """Start the process of `attempt`, unless it was started already. `input` None: standard input is closed.

    Where `python` names a function of the host program, that is called instead.
    """

    attempt: str
    step: str
    tool: str
    argv: tuple[str, ...]
    directory: str
    scripts: tuple[Script, ...]
    input: Json
    env: tuple[str, ...]
    timeout_ms: int
    output_bytes_max: int
    key: str
    reads_stdout: bool
    variables: tuple[tuple[str, str], ...] = ()  # of the environment, and no secrets
    python: str | None = None
    session: str | None = None  # the session that is asked instead of a process that is started


@dataclass(frozen=True, slots=True)
class StopAttempt:
    """Stop the process of `attempt`, or say that it never started."""

    attempt: str


@dataclass(frozen=True, slots=True)
class AskReceipt:
    """Ask the receipt query whether the effect of attempt `effect` is there.

    `pushed` is the receipt that git's answer proves where the query asks after a push; None: the query speaks JSON.
    """

    effect: str
    tool: str
    argv: tuple[str, ...]
    directory: str
    scripts: tuple[Script, ...]
    input: Json
    env: tuple[str, ...]
    timeout_ms: int
    key: str
    variables: tuple[tuple[str, str], ...] = ()
    pushed: Json = None


@dataclass(frozen=True, slots=True)
class RepositoryLook:
    """What a delivery has to know of one repository: `commit` None asks for the one that is checked out."""

    repository: str
    directory: str
    remote: str
    commit: str | None


@dataclass(frozen=True, slots=True)
class LookAtRepositories:
    """Look whether each commit is there, and whether its remote answers and has nothing else on `branch`."""

    step_attempt: str
    branch: str
    timeout_ms: int
    looks: tuple[RepositoryLook, ...]


@dataclass(frozen=True, slots=True)
class DriveChild:
    """Drive `run`, the child that does `assignment`, to its end. `stop` is why it is to be cancelled first."""

    assignment: str
    run: str
    stop: str | None


@dataclass(frozen=True, slots=True)
class CheckArtifacts:
    """Look whether the files are there."""

    step_attempt: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CheckPins:
    """Look what the pinned files hold now: before the step starts, or before it may pass."""

    step_attempt: str
    when: Literal["start", "end"]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AwaitDecision:
    step_attempt: str
    step: str
    by: tuple[str, ...]
    shown: str
    due_ms: int


@dataclass(frozen=True, slots=True)
class AwaitSignal:
    step_attempt: str
    step: str
    signal: str
    due_ms: int


@dataclass(frozen=True, slots=True)
class AwaitTimer:
    step_attempt: str
    step: str
    due_ms: int


@dataclass(frozen=True, slots=True)
class AwaitResolution:
    effect: str


Dispatched: TypeAlias = StartAttempt | StopAttempt | AskReceipt | LookAtRepositories | CheckArtifacts | CheckPins
Wait: TypeAlias = AwaitDecision | AwaitSignal | AwaitTimer | AwaitResolution
Command: TypeAlias = Prepare | Dispatched | DriveChild | Wait
