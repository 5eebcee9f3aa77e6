"""A draft: a decision in the making, whose events are applied as they are made."""

from copy import copy

from akm.kernel import ceilings, machines, properties
from akm.kernel.decision import Decision
from akm.kernel.event import BIRTH, Event
from akm.kernel.evolve import fold
from akm.kernel.identity import read_id
from akm.kernel.state import RunState, StepAttempt
from akm.kernel.steps import index_of
from akm.kernel.units import Unit, unit_of
from akm_specs.canonical import Json, JsonObject
from akm_specs.plan import Plan, Step

#: No ceiling and no property is about any other event.
_HELD = ceilings.CONCERNED | properties.CONCERNED


class HardStop(Exception):
    """The next event would break a ceiling or a property of the plan; it was not made."""

    def __init__(self, stop: ceilings.Exceeded | properties.Violated) -> None:
        super().__init__(stop.message())
        self.stop = stop


class Draft:
    """Invariant: `state` is the state at the start with `events` applied."""

    def __init__(self, plan: Plan, state: RunState, at_ms: int) -> None:
        self.plan = plan
        self._before = state
        self.state = copy(state)
        self.at_ms = at_ms
        self.events: list[Event] = []
        self._steps = index_of(plan).steps

    def decision(self) -> Decision:
        """What the draft has come to. Where that is nothing, the state is the very same."""
        return Decision(self._before, tuple(self.events), self.state if self.events else self._before)

    # making events: what names one is positional, so that its data may have members of any name

    def _emit(self, name: str, entity: str, source: str | None, target: str | None, data: JsonObject) -> None:
        if self.state.simulated:
            data["simulated"] = True  # no record of what was made up can read as one of what was done
        event = Event(name, entity, source, target, data)
        if name in _HELD:
            self._hold(event)
        fold(self.plan, self.state, event)
        self.events.append(event)

    def _hold(self, event: Event) -> None:
        """Hold an event against the ceilings and the properties of the plan. Raises HardStop."""
        stop = ceilings.exceeded(self.plan, self.state, event, self.at_ms) or properties.violated(
            self.plan, self.state, event
        )
        if stop is not None:
            raise HardStop(stop)

    def birth(self, lifecycle: str, entity: str, /, **data: Json) -> None:
        """Bear `entity`. Raises HardStop, having changed nothing."""
        self._emit(f"{lifecycle}.{BIRTH}", entity, None, machines.initial(lifecycle), data)

    def move(self, lifecycle: str, entity: str, trigger: str, /, **data: Json) -> None:
        """Move `entity` by `trigger`. Raises machines.IllegalMove: a bug of ours."""
        name, source = f"{lifecycle}.{trigger}", self.status(lifecycle, entity)
        target = machines.target(name, source)
        if target is None:
            raise machines.IllegalMove(lifecycle, entity, source, trigger)
        self._emit(name, entity, source, target, data)

    def fact(self, name: str, entity: str, /, **data: Json) -> None:
        """Record a fact. Raises HardStop, having changed nothing."""
        self._emit(name, entity, None, None, data)

    def run(self, trigger: str, /, **data: Json) -> None:
        """Move the run."""
        self.move("run", self.state.run, trigger, **data)

    def active_step(self, trigger: str, /, **data: Json) -> None:
        """Move the active step attempt."""
        self.move("step_attempt", self.active.id, trigger, **data)

    # looking at the state

    def status(self, lifecycle: str, entity: str) -> str:
        """Where `entity` stands."""
        if lifecycle == "run":
            return self.state.status
        if lifecycle == "step_attempt":
            return self.active.status
        if lifecycle == "assignment":
            return self.state.assignments[entity].status
        if lifecycle == "attempt":
            return self.state.attempts[entity].status
        if lifecycle == "session":
            return self.state.sessions[entity.rpartition("@")[0]].status
        if lifecycle == "delivery":
            return self.state.deliveries[self.active.step].status
        if lifecycle == "repository_delivery":
            return self.state.deliveries[self.active.step].shares[read_id(entity).part].status
        assert lifecycle == "effect", lifecycle
        return self.state.effects[entity].status

    @property
    def active(self) -> StepAttempt:
        """The active step attempt, which is there."""
        assert self.state.active is not None, "no step attempt is active"
        return self.state.active

    @property
    def step(self) -> Step:
        """The plan's step of the active step attempt."""
        return self._steps[self.active.step]

    def unit(self, assignment: str) -> Unit:
        """What `assignment` is."""
        return unit_of(self.plan, assignment)

    @property
    def stopping(self) -> bool:
        """Whether nothing new starts: the run is ending, or its panel has decided."""
        active = self.state.active
        decided = active is not None and active.decided and active.proposed is None
        return decided or self.state.ending is not None
