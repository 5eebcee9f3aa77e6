"""Where a run stands when its driver lets go, and the exit code that says so."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from akm.kernel.state import RunState


class Exit(IntEnum):
    """The exit codes of `akm` (source: the table in docs/reference/cli.md)."""

    COMPLETED = 0
    FAILED = 1
    USAGE = 2
    CANCELLED = 3
    PARKED = 4
    BLOCKED = 5
    LEASED = 6
    INTEGRITY = 7
    INTERNAL = 70
    INTERRUPTED = 130


class Cause(StrEnum):
    """Why a driver stopped before the run's end."""

    WAITING = "waiting"  # for a person, a signal or a moment
    STEP_LIMIT = "step_limit"
    TIME_LIMIT = "time_limit"
    INTERRUPT = "interrupt"


@dataclass(frozen=True, slots=True)
class Standing:
    """`cause` is None when the run has ended or is blocked."""

    state: "RunState"
    cause: Cause | None

    @property
    def exit(self) -> Exit:
        """The exit code that says so."""
        return exit_code(self.state.status, self.cause)


def exit_code(status: str, cause: Cause | None) -> Exit:
    """The exit code of a run in `status` whose driver stopped for `cause`."""
    ended = {"completed": Exit.COMPLETED, "failed": Exit.FAILED, "cancelled": Exit.CANCELLED}
    if status in ended:
        return ended[status]
    if cause is Cause.INTERRUPT:
        return Exit.INTERRUPTED
    return Exit.BLOCKED if status == "blocked_uncertain" else Exit.PARKED
