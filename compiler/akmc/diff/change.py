"""One difference between two plans, and what it means for authority."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal, TypeAlias

from akm_specs.canonical import Json, JsonObject

#: `widens`: a run may do more, longer, or with less proof or sign-off than before, or something else that nobody
#: has reviewed. `narrows`: it may do less. `neutral`: neither.
Direction: TypeAlias = Literal["widens", "narrows", "neutral"]


class Absent(Enum):
    """What stands for a member that a plan does not have. None will not do, which is a value of its own."""

    ABSENT = "absent"


ABSENT = Absent.ABSENT
Side: TypeAlias = Json | Literal[Absent.ABSENT]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a difference means, in words that follow its place."""

    direction: Direction
    says: str


@dataclass(frozen=True, slots=True)
class Change:
    """A difference at `place`, the names that lead to it through the plan."""

    place: tuple[str, ...]
    verdict: Verdict

    @property
    def direction(self) -> Direction:
        """Whether it widens authority."""
        return self.verdict.direction

    def __str__(self) -> str:
        return f"{self.direction:<7}  {' '.join(self.place)}: {self.verdict.says}"

    def within(self, *outer: str) -> "Change":
        """The same change as part of a plan around its own."""
        return Change((*outer, *self.place), self.verdict)

    def to_json(self) -> JsonObject:
        """The machine form."""
        return {"direction": self.direction, "place": list(self.place), "says": self.verdict.says}
