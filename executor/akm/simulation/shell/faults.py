"""Faults: where the engine's process is cut off, and when the disk refuses."""

import random
from collections import Counter
from collections.abc import Callable

from akm.journal.faults import StoreBusy, StoreFull


class Cut(BaseException):
    """The engine's process is gone. Nothing of it runs any more, not even what would tidy up."""


class Faults:
    """Counts the places that an engine comes by, and cuts it off at one of them.

    `at` names that place by its number among all of a run, from 1. With a `rate` above 0 it happens by chance
    instead, and so does a disk that is full or a database that is locked.
    """

    def __init__(self, *, at: int | None = None, chance: random.Random | None = None, rate: float = 0.0) -> None:
        self._at = at
        self._chance = chance
        self._rate = rate
        self._gone = False
        self._stalled = False
        self._stall: Callable[[], None] | None = None
        self.places = 0
        self.cuts = 0
        self.met: Counter[str] = Counter()

    def place(self, name: str) -> None:
        """The engine comes by. Raises Cut, also at every later place, until it is `reborn`."""
        if self._gone:
            raise Cut(name)
        self.places += 1
        if self._stall is not None and not self._stalled and self._happens():
            self._stalled = True
            self.met[f"stalled {name}"] += 1
            try:
                self._stall()
            finally:
                self._stalled = False
        elif self.places == self._at or self._happens():
            self._gone = True
            self.cuts += 1
            self.met[f"cut {name}"] += 1
            raise Cut(name)

    def disk(self) -> None:
        """A transaction is about to begin. Raises StoreFull or StoreBusy."""
        if self._chance is not None and self._happens():
            fault = self._chance.choice((StoreFull, StoreBusy))
            self.met[fault.__name__] += 1
            raise fault("simulated")

    def stall_by(self, others: Callable[[], None]) -> None:
        """From now on an engine may also stand still for a while, in which `others` do what they do."""
        self._stall = others

    def reborn(self) -> None:
        """Another engine begins."""
        self._gone = False

    def _happens(self) -> bool:
        return self._chance is not None and self._chance.random() < self._rate
