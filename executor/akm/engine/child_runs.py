"""The child run that does a step's work: made in its parent's append, driven inside its parent's loop.

It is a run of its own, with its own lease, inbox and limits; whoever drives the parent drives it too, in the same
process, one turn of the child after one turn of the parent.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal, Protocol, TypeAlias, cast

from akm.clock import ClockSample
from akm.engine import inbox, plans
from akm.engine.standing import Cause, Standing
from akm.journal.append import Birth, Entry
from akm.journal.faults import CommandConflict, RunEnded
from akm.journal.history import OpenRun
from akm.journal.store import ENDED, Store
from akm.kernel.command import DriveChild
from akm.kernel.decide import created
from akm.kernel.decision import held
from akm.kernel.digest import digest
from akm.kernel.event import Event, Instant
from akm.kernel.machines import finals
from akm.kernel.observation import ChildEnded, ChildSeen
from akm.kernel.state import Parent, RunState
from akm.kernel.summary import outputs


class ChildDriver(Protocol):
    """The driver of the child, as its parent's needs it."""

    @property
    def state(self) -> RunState:
        """Where the child stands."""
        ...

    def begin(self) -> None:
        """Take up what an earlier driver left."""
        ...

    def turn(self) -> Standing | None:
        """Carry it on a little; where it stands when there is no more to do here."""
        ...

    def interrupt(self) -> None:
        """Ask it to stop."""
        ...

    def let_go(self) -> None:
        """Leave no process and no lease."""
        ...


#: Opens the driver of a run; the flag says that everything that its tools need must be here.
OpenChild: TypeAlias = Callable[[str, bool], ChildDriver]


class ChildRuns:
    """The child of the active step attempt, if it has one.

    Invariant: at most one driver is open. `parked` says why the child was let go before its end.
    """

    def __init__(self, store: Store, opened: OpenChild) -> None:
        self._store = store
        self._opened = opened
        self._driver: ChildDriver | None = None
        self._asked: DriveChild | None = None
        self._taken_before = 0
        self.parked: Cause | None = None
        self.taken = 0  # transitions of children that were driven here

    @property
    def open(self) -> bool:
        """Whether a child is being driven, or its end is still to be told."""
        return self._asked is not None and self.parked is None

    def carry_out(self, command: DriveChild) -> None:
        """Drive the child from now on, unless it is driven here, or was let go and nothing has changed for it."""
        if command == self._asked:
            return
        if command.stop is not None:
            with suppress(CommandConflict, RunEnded):  # one request is enough
                cancel = inbox.cancel("its parent", command.stop)
                self._store.post(command.run, cancel.key, cancel.kind, cancel.body)
        self._asked, self.parked = command, None
        if self._driver is None and self._store.run(command.run).status not in ENDED:
            self._driver = self._opened(command.run, command.stop is None)
            self._taken_before = self._driver.state.counters.transitions
            self._driver.begin()

    def turn(self, at_ms: int, *, parent_blocked: bool) -> ChildSeen | ChildEnded | None:
        """One turn of the child; what its parent learns by it."""
        asked, driver = self._asked, self._driver
        assert asked is not None, "no child is open"
        if driver is None:  # somebody drove it to its end, while nobody drove us
            self._asked = None
            return end_of(self._store, self._store.load(asked.run).state, asked.assignment, at_ms)
        standing = driver.turn()
        state = driver.state
        if state.status in finals("run"):
            self.close()
            self._asked = None
            return end_of(self._store, state, asked.assignment, at_ms)
        if standing is not None:
            self.close()
            self.parked = standing.cause or Cause.WAITING
        blocked = state.status == "blocked_uncertain"
        return ChildSeen(at_ms, asked.assignment, asked.run, blocked) if blocked != parent_blocked else None

    def interrupt(self) -> None:
        """Ask the child that is driven to stop; safe in a signal handler."""
        if self._driver is not None:
            self._driver.interrupt()

    def close(self) -> None:
        """Let go of the child, where it stands."""
        driver, self._driver = self._driver, None
        if driver is not None:
            self.taken += driver.state.counters.transitions - self._taken_before
            driver.let_go()


def end_of(store: Store, state: RunState, assignment: str, at_ms: int) -> ChildEnded:
    """What the parent learns of the end of the child in `state`, which does `assignment`."""
    counters = state.counters
    reason = None if state.status == "completed" or state.reason is None else state.reason["message"]
    return ChildEnded(
        at_ms=at_ms,
        assignment=assignment,
        status=cast(Literal["completed", "failed", "cancelled"], state.status),
        digest=digest(store.recorded(state.run)),
        outputs=outputs(state),
        message=reason,
        units=counters.units + counters.nested_units,
        tokens=counters.tokens,
        cost_microdollars=counters.cost_microdollars,
        agent_time_ms=counters.agent_time_ms,
        unmetered=counters.unmetered,
    )


def births(run: OpenRun, events: Sequence[Event], at: Instant, sample: ClockSample) -> tuple[Birth, ...]:
    """The child runs that `events` of `run` publish. Their clocks begin now."""
    return tuple(
        _birth(run, event, Instant(at.utc, 0), replace(sample, elapsed_ms=0))
        for event in events
        if event.name == "assignment.dispatch" and "child" in event.data
    )


def _birth(run: OpenRun, event: Event, at: Instant, sample: ClockSample) -> Birth:
    frozen = plans.child(run.plan, event.data["plan_hash"])
    first = created(
        event.data["child"],
        frozen.plan,
        frozen.hash,
        event.data["parameters"],
        simulated=run.state.simulated,
        script=run.state.script,
        parent=Parent(run.run, event.entity, event.data["share"]),
    )
    return Birth(frozen.plan, frozen.data, Entry(held(frozen.plan, None, (first,), at.elapsed_ms), at, sample))
