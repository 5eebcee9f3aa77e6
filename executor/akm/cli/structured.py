"""`--log-format json`: each event of a run as one line of JSON on standard error, for programs that collect logs.

What events say is told as far as it may leave this host (`journal.disclosure`): names, states, counts and codes, no
outputs and no texts that people or tools wrote.
"""

import json
import sys
from collections.abc import Sequence
from typing import TextIO

from akm.clock import HostTime
from akm.engine.watcher import Watcher
from akm.journal.disclosure import allowed
from akm.kernel.event import Event
from akm.kernel.state import RunState
from akm_specs.canonical import JsonObject

#: Triggers and facts that somebody should look at, and those that somebody has to.
_WARNINGS = frozenset({"retry", "lose", "skip", "refused", "rejected", "unread", "unconsumed"})
_ERRORS = frozenset({"fail", "block", "exhausted", "violated"})


class StructuredLog(Watcher):
    """Writes each commit of a run. A reader that went away is no reason to stop."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr

    def committed(self, before: RunState, after: RunState, events: Sequence[Event]) -> None:
        """Tell what `events` changed."""
        for number, event in enumerate(events, before.sequence + 1):
            self._write(_record(after.run, number, event))

    def close(self) -> None:
        """Nothing is left open."""

    def _write(self, record: JsonObject) -> None:
        try:
            self._stream.write(json.dumps(record, ensure_ascii=False) + "\n")
            self._stream.flush()
        except (OSError, ValueError):
            pass


def _record(run: str, sequence: int, event: Event) -> JsonObject:
    return {
        "time": now(),
        "level": _level(event),
        "event": event.name,
        "run": run,
        "sequence": sequence,
        "entity": event.entity,
        "source": event.source,
        "target": event.target,
        "data": allowed(event),
    }


def fault(name: str, message: str, code: int) -> str:
    """The line that tells why a command could not go on."""
    return json.dumps(
        {"time": now(), "level": "error", "event": "fault", "name": name, "message": message, "exit": code},
        ensure_ascii=False,
    )


def now() -> str:
    """This moment in UTC, to the millisecond."""
    return HostTime().utc()


def _level(event: Event) -> str:
    if event.trigger in _ERRORS:
        return "error"
    return "warning" if event.trigger in _WARNINGS else "info"
