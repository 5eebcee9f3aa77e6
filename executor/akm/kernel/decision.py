"""A decision: events that may follow, with the state that they lead to.

Only `Draft` and `held` make one, and both hold each event against the lifecycle tables, the ceilings and the
properties of the plan. So the journal's append need not ask the same questions again.
"""

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass

from akm.kernel.ceilings import CeilingExceeded, exceeded
from akm.kernel.event import Event
from akm.kernel.evolve import fold
from akm.kernel.properties import PropertyBroken, violated
from akm.kernel.state import RunState
from akm_specs.plan import Plan


@dataclass(frozen=True, slots=True)
class Decision:
    """`events` lead from the state `before`, which is None for a birth, to the state `after`."""

    before: RunState | None
    events: tuple[Event, ...]
    after: RunState


def held(plan: Plan, before: RunState | None, events: Iterable[Event], elapsed_ms: int) -> Decision:
    """`events`, when the run's clock shows `elapsed_ms`, held against all that they have to keep.

    Raises CeilingExceeded, PropertyBroken, IllegalMove or IllegalEvent, at the first that may not follow.
    """
    events = tuple(events)
    state = copy(before)  # ours alone, so that it can be carried on in place
    for event in events:
        if state is not None:
            over = exceeded(plan, state, event, elapsed_ms)
            if over is not None:
                raise CeilingExceeded(over)
            broken = violated(plan, state, event)
            if broken is not None:
                raise PropertyBroken(broken)
        state = fold(plan, state, event)
    assert state is not None, "a run that is not born yet begins with an event"
    return Decision(before, events, state)
