"""The plan's ceilings, asked before an event is made and again by the journal's append.

Counters are folded from the journal, so they hold over all resumes. Reaching one is a hard stop.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypedDict

from akm.kernel.event import Event
from akm.kernel.state import RunState
from akm.kernel.steps import step_named
from akm.kernel.units import unit_of
from akm_specs.canonical import JsonObject
from akm_specs.plan import Bound, Plan

#: The budgets that a parent shares with its children. What time is left, it watches itself.
Shared: TypeAlias = Literal["units", "tokens", "cost_microdollars", "agent_time_ms"]


class _Share(TypedDict):
    """A limit that is no more than what a parent had left when its child was made."""

    value: int
    origin: Literal["parent's"]


@dataclass(frozen=True, slots=True)
class Exceeded:
    """A bound that an event would break: which counter, what it would count, the ceiling and whose it is."""

    counter: str
    value: int
    ceiling: int
    origin: str

    fact = "budget.exhausted"

    def data(self) -> JsonObject:
        """What is recorded of it."""
        about = {"counter": self.counter, "value": self.value, "ceiling": self.ceiling}
        return {"code": "budget_exhausted", "message": self.message(), **about}

    def message(self) -> str:
        """The counter, what it would count, the ceiling and whose it is."""
        return f"{self.counter}: {self.value} would exceed the {self.origin} ceiling of {self.ceiling}"


class CeilingExceeded(Exception):
    """An append that would break a ceiling of the plan; refused whole."""

    def __init__(self, exceeded: Exceeded) -> None:
        super().__init__(exceeded.message())
        self.exceeded = exceeded


def exceeded(plan: Plan, state: RunState, event: Event, elapsed_ms: int) -> Exceeded | None:
    """The ceiling that `event`, recorded when the run's clock shows `elapsed_ms`, would break."""
    asked = _ASKED.get(event.name)
    return None if asked is None else asked(plan, state, event, elapsed_ms)


def _transition(plan: Plan, state: RunState, event: Event, elapsed_ms: int) -> Exceeded | None:
    taken = state.counters.transitions + 1
    return (
        _over("limits.transitions", taken, plan["limits"]["transitions"])
        or _edge_exceeded(plan, state, event)
        or _beyond(plan, "transitions", taken)
    )


def _entry(plan: Plan, state: RunState, event: Event, elapsed_ms: int) -> Exceeded | None:
    counters, step = state.counters, event.data["step"]
    over = _over(f"step {step}: attempts", counters.entries.get(step, 0) + 1, _attempts(plan, step))
    return over or _beyond(plan, "entries", counters.entered + 1)


def _unit(plan: Plan, state: RunState, event: Event, elapsed_ms: int) -> Exceeded | None:
    counters = state.counters
    over = _over("limits.units", counters.units + counters.nested_units + 1, _limit(plan, state, "units"))
    return over or _beyond(plan, "assignments", counters.units + 1)


def _child(plan: Plan, state: RunState, event: Event, elapsed_ms: int) -> Exceeded | None:
    if "child" not in event.data:
        return None
    bound = _limit(plan, state, "agent_time_ms")
    return _all_spent(plan, state, elapsed_ms) or _spent(
        "limits.agent_time", agent_time_ms(state, elapsed_ms), bound
    )


def _attempt(plan: Plan, state: RunState, event: Event, elapsed_ms: int) -> Exceeded | None:
    return (
        _all_spent(plan, state, elapsed_ms)
        or _agent_time_spent(plan, state, event, elapsed_ms)
        or _attempt_exceeded(plan, state, event)
        or _beyond(plan, "attempts", state.counters.attempts - state.counters.granted + 1)
    )


#: What is asked before an event; no ceiling is on any other.
_ASKED: dict[str, Callable[[Plan, RunState, Event, int], Exceeded | None]] = {
    "transition.taken": _transition,
    "step_attempt.create": _entry,
    "assignment.create": _unit,
    "assignment.dispatch": _child,
    "attempt.create": _attempt,
}

#: The events that a ceiling may keep from being made.
CONCERNED = frozenset(_ASKED)


def _all_spent(plan: Plan, state: RunState, elapsed_ms: int) -> Exceeded | None:
    """What keeps anything at all from being dispatched."""
    counters = state.counters
    return (
        _over("limits.duration", elapsed_ms, plan["limits"]["duration_ms"])
        or _spent("limits.tokens", counters.tokens, _limit(plan, state, "tokens"))
        or _spent("limits.cost", counters.cost_microdollars, _limit(plan, state, "cost_microdollars"))
    )


def share(plan: Plan, state: RunState, elapsed_ms: int) -> JsonObject:
    """What a child that is made now may spend: all that its parent has left, as far as that is limited."""
    counters = state.counters
    spent: dict[Shared, int] = {
        "units": counters.units + counters.nested_units,
        "tokens": counters.tokens,
        "cost_microdollars": counters.cost_microdollars,
        "agent_time_ms": agent_time_ms(state, elapsed_ms),
    }
    limits = {name: _limit(plan, state, name) for name in spent}
    return {name: max(0, limit["value"] - spent[name]) for name, limit in limits.items() if limit is not None}


def _limit(plan: Plan, state: RunState, name: Shared) -> Bound | _Share | None:
    """The plan's limit, or what the run's parent had left where that is less."""
    own = plan["limits"].get(name)
    left = None if state.parent is None else state.parent.share.get(name)
    if left is None or (own is not None and own["value"] <= left):
        return own
    return {"value": left, "origin": "parent's"}


def attempts_allowed(plan: Plan, state: RunState, assignment_id: str) -> Bound:
    """Physical attempts of an assignment so far: by policy, for lost ones, and granted by resolutions."""
    assignment = state.assignments[assignment_id]
    dispatch = unit_of(plan, assignment_id).dispatch
    replaced = min(assignment.lost, dispatch["recoveries"]["value"]) + assignment.granted
    return {"value": dispatch["attempts"]["value"] + replaced, "origin": dispatch["attempts"]["origin"]}


def agent_time_ms(state: RunState, elapsed_ms: int) -> int:
    """What the processes of agents have taken so far, those at work included."""
    counters = state.counters
    return counters.agent_time_ms + counters.agents * elapsed_ms - counters.agents_began_ms


def overdue(plan: Plan, state: RunState, elapsed_ms: int) -> Exceeded | None:
    """The ceiling on time that is reached, whatever is done."""
    agents = _limit(plan, state, "agent_time_ms")
    return _over("limits.duration", elapsed_ms, plan["limits"]["duration_ms"]) or _over(
        "limits.agent_time", agent_time_ms(state, elapsed_ms), agents
    )


def overspent(plan: Plan, state: RunState) -> Exceeded | None:
    """The ceiling on tokens or cost that work which goes on has passed."""
    counters = state.counters
    return _over("limits.tokens", counters.tokens, _limit(plan, state, "tokens")) or _over(
        "limits.cost", counters.cost_microdollars, _limit(plan, state, "cost_microdollars")
    )


def _attempts(plan: Plan, step: str) -> Bound:
    return step_named(plan, step)["attempts"]


def _edge_exceeded(plan: Plan, state: RunState, event: Event) -> Exceeded | None:
    step, outcome = event.data["step"], event.data["outcome"]
    maximum = step_named(plan, step)["transitions"][outcome]["maximum"]
    if maximum is None:
        return None
    taken = state.counters.edges.get(f"{step} {outcome}", 0) + 1
    return _over(f"step {step}: on {outcome} max", taken, maximum)


def _attempt_exceeded(plan: Plan, state: RunState, event: Event) -> Exceeded | None:
    assignment = state.assignments.get(event.data["assignment"])
    if assignment is None:  # evolve refuses it by name
        return None
    allowed = attempts_allowed(plan, state, assignment.id)
    return _over(f"assignment {assignment.id}: physical attempts", assignment.attempts + 1, allowed)


def _agent_time_spent(plan: Plan, state: RunState, event: Event, elapsed_ms: int) -> Exceeded | None:
    bound = _limit(plan, state, "agent_time_ms")
    if bound is None or unit_of(plan, event.data["assignment"]).agent is None:
        return None
    return _spent("limits.agent_time", agent_time_ms(state, elapsed_ms), bound)


def _over(counter: str, value: int, bound: Bound | _Share | None) -> Exceeded | None:
    if bound is None or value <= bound["value"]:
        return None
    return Exceeded(counter, value, bound["value"], bound["origin"])


def _beyond(
    plan: Plan, what: Literal["transitions", "entries", "assignments", "attempts"], value: int
) -> Exceeded | None:
    """The worst case that the compiler has proved: what exceeds it can only be a fault of ours."""
    most = plan["worst"][what]
    return Exceeded(f"worst case: {what}", value, most, "proved") if value > most else None


def _spent(counter: str, value: int, bound: Bound | _Share | None) -> Exceeded | None:
    """Spending is known only afterwards: at its ceiling nothing more may be dispatched."""
    if bound is None or value < bound["value"]:
        return None
    return Exceeded(counter, value, bound["value"], bound["origin"])
