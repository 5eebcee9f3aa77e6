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
    """Start the process of `attempt`, unless it was started already. `input` None: standard input is closed."""

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


@dataclass(frozen=True, slots=True)
class StopAttempt:
    """Stop the process of `attempt`, or say that it never started."""

    attempt: str


@dataclass(frozen=True, slots=True)
class AskReceipt:
    """Ask the receipt query whether the effect of attempt `effect` is there."""

    effect: str
    tool: str
    argv: tuple[str, ...]
    directory: str
    scripts: tuple[Script, ...]
    input: Json
    env: tuple[str, ...]
    timeout_ms: int
    key: str


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


Wait: TypeAlias = AwaitDecision | AwaitSignal | AwaitTimer | AwaitResolution
Command: TypeAlias = Prepare | StartAttempt | StopAttempt | AskReceipt | CheckArtifacts | CheckPins | Wait
