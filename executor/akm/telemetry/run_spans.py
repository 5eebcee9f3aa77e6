"""The spans of one run while one driver carries it: the run, its step attempts, their physical attempts.

What is told of a run is what may leave its host: names, ids, numbers, outcomes and machine codes. No texts that
people or tools wrote are told, no parameters, outputs or paths.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from opentelemetry.context import Context
from opentelemetry.trace import Span, StatusCode, Tracer, set_span_in_context
from opentelemetry.util.types import AttributeValue

from akm.journal.history import OpenRun
from akm.kernel.event import BIRTH, Event
from akm.kernel.identity import assignment_of, read_id
from akm.kernel.machines import finals
from akm.kernel.state import RunState
from akm.telemetry import links
from akm.telemetry.meters import Meters

#: Outcomes that say by themselves that something went wrong. Others do where a machine code is with them.
_BAD = frozenset({"failed", "timed_out"})
#: Moves of an attempt that are worth a mark on its span.
_MARKED = frozenset({"lose", "reattach", "block"})

_About = dict[str, AttributeValue]


@dataclass(frozen=True, slots=True)
class _Open:
    """A span that has not ended; `began_s` is when, on this process's monotonic clock."""

    span: Span
    began_s: float
    about: _About
    continued: bool


class RunSpans:
    """Invariant: `_step` and `_attempts` are what is open of the run; `_ended` are attempts whose end is committed
    with what it means for their assignment."""

    def __init__(self, tracer: Tracer, meters: Meters, run: OpenRun, folder: Path, around: Context) -> None:
        """Open the span of the run, in `around`, and those of what an earlier driver left under way."""
        self._tracer = tracer
        self._meters = meters
        self._moment = time.time_ns()
        self._common: _About = {"akm.workflow.name": run.plan["workflow"], "akm.run.simulated": run.state.simulated}
        self._run = tracer.start_span(
            f"run {run.plan['workflow']}",
            around,
            attributes={"akm.run.id": run.run, "akm.plan.hash": run.plan_hash, **self._common},
            links=links.earlier(folder),
            start_time=self._moment,
        )
        self._id = run.run
        self._step: _Open | None = None
        self._attempts: dict[str, _Open] = {}
        self._ended: dict[str, _Open] = {}
        self._tools: dict[str, str] = {}  # of assignments whose next attempt is not made yet
        self._status = run.state.status
        links.keep(folder, self._run)
        self._take_up(run.state)

    @property
    def inside(self) -> Context:
        """Where the spans of a child belong: in the step that is open, or in the run."""
        return set_span_in_context(self._run if self._step is None else self._step.span, Context())

    def tell(self, after: RunState, events: Sequence[Event]) -> None:
        """Tell what `events`, which are one commit, changed; all of it happened at the same moment."""
        self._moment = time.time_ns()
        for event in events:
            if event.lifecycle == "run":
                self._tell_run(event, after)
            elif event.lifecycle == "step_attempt":
                self._tell_step(event)
            elif event.lifecycle == "assignment":
                self._tell_assignment(event)
            elif event.lifecycle == "attempt":
                self._tell_attempt(event)
            elif event.name == "effect.block":
                self._meters.blocked({**self._common, "akm.effect.class": event.data["class"]})
        for attempt in tuple(self._ended):
            self._end(self._ended.pop(attempt))

    def close(self) -> None:
        """End what is open. What is under way goes on in the trace of the next driver."""
        self._moment = time.time_ns()
        for one in (*self._attempts.values(), *(() if self._step is None else (self._step,))):
            one.span.set_attribute("akm.parked", True)
            self._end(one)
        self._attempts, self._step = {}, None
        self._run.set_attribute("akm.run.status", self._status)
        self._run.end(self._moment)

    def _take_up(self, state: RunState) -> None:
        active = state.active
        if active is None or active.status in finals("step_attempt"):
            return
        self._open_step(active.id, active.step, active.number, continued=True)
        for attempt in state.attempts.values():
            if attempt.status not in finals("attempt"):
                self._open_attempt(attempt.id, attempt.assignment, attempt.number, continued=True)

    # one event

    def _tell_run(self, event: Event, after: RunState) -> None:
        self._status = event.target or self._status
        if event.target in finals("run"):
            about: _About = {"akm.run.status": self._status}
            self._meters.run_ended({**self._common, **about})
            reason = after.reason if self._status == "failed" else None
            self._judge(self._run, about, None if reason is None else reason["code"])

    def _tell_step(self, event: Event) -> None:
        if event.trigger == BIRTH:
            self._open_step(event.entity, event.data["step"], event.data["number"])
        elif self._step is None:
            return
        elif event.target in finals("step_attempt"):
            about: _About = {"akm.step.outcome": event.data["outcome"]}
            self._judge(self._step.span, about, event.data.get("code"))
            self._meters.step_ended({**self._common, **self._step.about, **about})
            self._end(self._step)
            self._step = None
        elif event.trigger in ("wait", "wake", "block", "unblock"):
            self._step.span.add_event(event.trigger, timestamp=self._moment)

    def _tell_assignment(self, event: Event) -> None:
        if event.trigger == "accept" and "tool" in event.data:  # a child run has none
            self._tools[event.entity] = event.data["tool"]
        elif event.trigger == "retry":
            reason: _About = {"akm.retry.reason": event.data["reason"]}
            self._meters.retried({**self._common, "akm.step.name": read_id(event.entity).step, **reason})
            self._settle(event.data["attempt"], reason, event.data["reason"])
        elif event.trigger == "cancel" and event.data.get("attempt") is not None:
            self._settle(event.data["attempt"], {"akm.attempt.outcome": "cancelled"}, None)
        elif event.trigger == "record_result":
            result = event.data["result"]
            for attempt in self._ended:
                if assignment_of(attempt) == event.entity:
                    self._settle(attempt, {"akm.attempt.outcome": result["outcome"]}, result["code"])

    def _tell_attempt(self, event: Event) -> None:
        if event.trigger == BIRTH:
            self._open_attempt(event.entity, event.data["assignment"], event.data["number"])
            return
        one = self._attempts.get(event.entity)
        if one is None:
            return
        if event.trigger in _MARKED:
            one.span.add_event(event.trigger, timestamp=self._moment)
        elif event.trigger == "settle":
            one.span.set_attribute("akm.attempt.end", event.data["end"])
            if not one.continued:
                about = {**self._common, **one.about, "akm.attempt.end": event.data["end"]}
                self._meters.attempt_took(time.monotonic() - one.began_s, about)
        elif event.trigger == "end":
            self._ended[event.entity] = self._attempts.pop(event.entity)

    # spans

    def _open_step(self, entity: str, step: str, number: int, *, continued: bool = False) -> None:
        ids: _About = {"akm.step_attempt.id": entity, "akm.step_attempt.number": number}
        self._step = self._open(f"step {step}", self._run, {"akm.step.name": step}, ids, continued)

    def _open_attempt(self, entity: str, assignment: str, number: int, *, continued: bool = False) -> None:
        step = read_id(assignment).step
        about: _About = {"akm.step.name": step}
        tool = self._tools.pop(assignment, None)
        if tool is not None:
            about["akm.tool.name"] = tool
        above = self._run if self._step is None else self._step.span
        ids: _About = {"akm.attempt.id": entity, "akm.attempt.number": number, "akm.assignment.id": assignment}
        self._attempts[entity] = self._open(f"attempt {step}", above, about, ids, continued)

    def _open(self, name: str, above: Span, about: _About, ids: _About, continued: bool) -> _Open:
        attributes = {"akm.run.id": self._id, **self._common, **about, **ids}
        if continued:
            attributes["akm.continued"] = True
        inside = set_span_in_context(above, Context())
        span = self._tracer.start_span(name, inside, attributes=attributes, start_time=self._moment)
        return _Open(span, time.monotonic(), about, continued)

    def _settle(self, attempt: str, about: _About, code: str | None) -> None:
        """Say of an attempt that has just ended what it came to."""
        one = self._ended.get(attempt)
        if one is not None:
            self._judge(one.span, about, code)

    def _judge(self, span: Span, about: _About, code: str | None) -> None:
        """By the conventions of OpenTelemetry: an error has a type, and only an error has a status."""
        span.set_attributes(about)
        bad = _BAD.intersection(one for one in about.values() if isinstance(one, str))
        if code is not None or bad:
            error = code or next(iter(bad))
            span.set_attribute("error.type", error)
            span.set_status(StatusCode.ERROR, error)

    def _end(self, one: _Open) -> None:
        one.span.end(self._moment)
