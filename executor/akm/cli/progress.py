"""The live view: one calm line a step, on standard error. On a terminal the line of the active step is redrawn."""

import os
import sys
from collections.abc import Sequence
from typing import TextIO

from akm.engine.watcher import Watcher
from akm.kernel.event import Event
from akm.kernel.state import RunState

_CLEAR = "\r\x1b[K"
_MARKS = {
    "passed": "✓",
    "failed": "✗",
    "timed_out": "✗",
    "rejected": "✗",
    "expired": "✗",
    "cancelled": "○",
    "skipped": "○",
}
_OTHER_MARK = "•"  # an outcome of the author's own
_COLOURS = {"✓": "\x1b[32m", "✗": "\x1b[31m", "!": "\x1b[33m"}


class Progress(Watcher):
    """Shows each commit of a run. A terminal that went away is no reason to stop."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._coloured = self._live and "NO_COLOR" not in os.environ
        self._open = False
        self._code: str | None = None  # why the step that just ended did not pass

    def committed(self, before: RunState, after: RunState, events: Sequence[Event]) -> None:
        """Tell what `events` changed."""
        for event in events:
            self._tell(event)
        active = after.active
        if self._live and active is not None and active.status == "running":
            self._draw(f"  … {active.step} (attempt {active.number})")

    def close(self) -> None:
        """Leave the terminal as a next prompt wants it."""
        if self._open:
            self._write(_CLEAR)
            self._open = False

    def _tell(self, event: Event) -> None:
        match event.name:
            case "step_attempt.pass" | "step_attempt.fail" | "step_attempt.skip" | "step_attempt.cancel":
                self._code = event.data.get("code")
            case "transition.taken":
                data = event.data
                why = f" ({self._code})" if self._code else ""
                mark = _MARKS.get(data["outcome"], _OTHER_MARK)
                self._line(mark, f"{event.entity} {data['outcome']}{why} → {data['target']}")
            case "attempt.create" if event.data["number"] > 1:
                self._line("↻", f"{event.entity} tries again")
            case "attempt.lose":
                self._line("!", f"{event.entity}: its outcome was lost ({event.data.get('cause', 'unknown')})")
            case "effect.block":
                self._line("!", f"{event.entity} cannot be proven: {event.data['why']}")
            case "step_attempt.wait":
                self._line("⏸", f"{event.entity} waits")
            case "cancel.requested" | "budget.exhausted":
                self._line("!", event.data["message"])
            case "decision.refused" | "signal.refused" | "resolution.refused":
                self._line("!", f"{event.name.partition('.')[0]} refused: {event.data['problem']}")

    def _line(self, mark: str, text: str) -> None:
        self.close()
        colour = _COLOURS.get(mark, "") if self._coloured else ""
        self._write(f"  {colour}{mark}{chr(27) + '[0m' if colour else ''} {text}\n")

    def _draw(self, text: str) -> None:
        self.close()
        self._write(text)
        self._open = True

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._live = False
