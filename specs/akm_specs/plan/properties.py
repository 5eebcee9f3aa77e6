"""What must hold in every run of a plan: proved by the compiler, enforced by the executor."""

from typing import Literal, TypeAlias, TypedDict


class Before(TypedDict):
    """Whenever `step` is entered, the last attempt of `first` has passed."""

    kind: Literal["before"]
    first: str
    step: str


class AtMost(TypedDict):
    """A run enters `step` at most `count` times."""

    kind: Literal["at_most"]
    step: str
    count: int


class OnlyThrough(TypedDict):
    """After `step`, no run reaches `completed` without having entered `through`."""

    kind: Literal["only_through"]
    step: str
    through: str


class NeverAfter(TypedDict):
    """No run enters `step` once it has entered `after`."""

    kind: Literal["never_after"]
    step: str
    after: str


Property: TypeAlias = Before | AtMost | OnlyThrough | NeverAfter
