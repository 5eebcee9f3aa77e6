"""The ids of assignments: made in one place, and read back in the same.

`STEP#N` is the Nth entry of a step, and the id of its only assignment. Where there are several, `:PART` follows:
the seat of a panel, the hash of a map's item, the name of a repository. `~L` is the Lth loop of the step's gate, or
the Lth round of a delivery, from the second on; `STEP.gate#N` is its judge's. `/M` after any of them is the Mth
physical attempt.
"""

import re
from dataclasses import dataclass

_ID = re.compile(
    r"(?P<step>[^.#]+)(?P<judge>\.gate)?#(?P<number>[0-9]+)(?::(?P<part>[^~/]+))?(?:~(?P<loop>[0-9]+))?"
)


class UnknownId(KeyError):
    """The text is the id of no assignment, which only an altered history names."""


@dataclass(frozen=True, slots=True)
class AssignmentId:
    """`part` tells the assignments of one step attempt apart; `judge` is for the calls of the step's gate."""

    step: str
    number: int
    part: str = ""
    loop: int = 1
    judge: bool = False

    def __str__(self) -> str:
        part = f":{self.part}" if self.part else ""
        loop = f"~{self.loop}" if self.loop > 1 else ""
        return f"{self.step}{'.gate' if self.judge else ''}#{self.number}{part}{loop}"


def read_id(text: str) -> AssignmentId:
    """The assignment that `text` names. Raises UnknownId."""
    found = _ID.fullmatch(text)
    if found is None:
        raise UnknownId(text)
    step, number, part, loop = found.group("step", "number", "part", "loop")
    return AssignmentId(step, int(number), part or "", int(loop or 1), found["judge"] is not None)


def assignment_of(attempt: str) -> str:
    """The assignment of a physical attempt, and so of its effect."""
    return attempt.rpartition("/")[0]
