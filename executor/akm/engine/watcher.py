"""Who looks on while a run is driven: told what happens, and never asked."""

from collections.abc import Sequence
from pathlib import Path

from akm.journal.history import OpenRun
from akm.kernel.event import Event
from akm.kernel.state import RunState


class Watcher:
    """Sees a run and its children being driven. This one looks away; others tell what they see."""

    def began(self, run: OpenRun, folder: Path) -> None:
        """A driver takes `run` up, which keeps its files in `folder`."""

    def committed(self, before: RunState, after: RunState, events: Sequence[Event]) -> None:
        """`events` were appended, and made `after` of `before`."""

    def let_go(self, run: str) -> None:
        """The driver of `run` is done with it, which may not have ended."""


class Watchers(Watcher):
    """Several that look on together."""

    def __init__(self, *each: Watcher) -> None:
        self._each = each

    def began(self, run: OpenRun, folder: Path) -> None:
        """Tell each."""
        for one in self._each:
            one.began(run, folder)

    def committed(self, before: RunState, after: RunState, events: Sequence[Event]) -> None:
        """Tell each."""
        for one in self._each:
            one.committed(before, after, events)

    def let_go(self, run: str) -> None:
        """Tell each."""
        for one in self._each:
            one.let_go(run)
