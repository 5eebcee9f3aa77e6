"""The driver: one process that holds a run's lease and carries it on until it ends, parks or is stopped.

    take the inbox ─▶ observe ─▶ decide ─▶ append (one commit) ─▶ pending ─▶ carry out ─▶ fetch ─▶ observe …

Nothing is dispatched before the commit that records its intent, and nothing advances before the commit
that records its result; both are one commit for two steps in a row.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from akm.clock import RunClock
from akm.engine import divergence
from akm.engine.child_runs import ChildRuns, births
from akm.engine.dispatcher import Dispatcher
from akm.engine.inbox import observation_of
from akm.engine.preparation import problems
from akm.engine.scripted import Scripted
from akm.engine.standing import Cause, Standing
from akm.engine.watcher import Watcher
from akm.journal.append import Entry
from akm.journal.faults import UnreadInbox
from akm.journal.history import OpenRun
from akm.journal.lease import RENEW_INTERVAL_MS, Lease
from akm.journal.store import Store
from akm.kernel.command import (
    AskReceipt,
    CheckArtifacts,
    CheckPins,
    Command,
    DriveChild,
    LookAtRepositories,
    Prepare,
    StartAttempt,
    StopAttempt,
)
from akm.kernel.decide import decided
from akm.kernel.event import Event
from akm.kernel.machines import finals
from akm.kernel.observation import (
    Arrival,
    Arrived,
    CommandUnread,
    HostSeen,
    Observation,
    Prepared,
    ResolutionGiven,
    SessionsClosed,
    Ticked,
)
from akm.kernel.pending import ReplayDivergence, pending, renewed
from akm.kernel.state import RunState

#: How often a driver with work under way looks for commands of other processes, in seconds.
INBOX_POLL_S = 0.1

#: Ends and answers that one commit takes: enough to be quick, few enough that none waits long for it.
BATCH_MAX = 100

#: Processes at once on this host, for each of its processors: most of them wait for something.
PARALLEL_MAX = 8 * (os.cpu_count() or 1)

DISPATCHED = (StartAttempt, StopAttempt, AskReceipt, LookAtRepositories, CheckArtifacts, CheckPins)
_WORKING = (*DISPATCHED, DriveChild, Prepare)


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one driver goes. Each is None where the caller set none: the plan's own bounds always hold."""

    steps_max: int | None = None
    time_ms_max: int | None = None
    parallel_max: int = PARALLEL_MAX  # processes at once: narrows what the plan allows, and never widens it
    wait: bool = False  # stay for timers, decisions and signals instead of parking


#: Opens the driver of a run within given limits; the flag says that all that its tools need must be here.
OpenWithin: TypeAlias = "Callable[[str, Limits, bool], Driver]"


class Driver:
    """Invariant: `_run` is what the journal holds, as far as this driver's lease lets it know."""

    def __init__(
        self,
        store: Store,
        run: OpenRun,
        lease: Lease,
        dispatcher: Dispatcher | Scripted,
        clock: RunClock,
        limits: Limits,
        watcher: Watcher,
        ambient: Mapping[str, str],
        open_child: OpenWithin,
    ) -> None:
        """`open_child` opens the driver of a child run of this one."""
        self._store = store
        self._run = run
        self._lease = lease
        self._dispatcher = dispatcher
        self._clock = clock
        self._limits = limits
        self._watcher = watcher
        self._ambient = ambient
        self._open_child = open_child
        self._children = ChildRuns(store, self._child)
        self._asked: tuple[Command, ...] = ()
        self._interrupted = False
        self._began_ms = clock.elapsed_ms()
        self._renewed_ms = clock.elapsed_at(lease.taken_ms)  # not now: this process may have stood still since
        self._transitions_before = run.state.counters.transitions

    @property
    def run(self) -> str:
        """The id of the run."""
        return self._run.run

    def interrupt(self) -> None:
        """Ask the driver to stop; safe in a signal handler, at any time, any number of times."""
        self._interrupted = True
        self._dispatcher.wake()
        self._children.interrupt()

    def drive(self) -> Standing:
        """Carry the run on. Raises LeaseLost when another process took over; nothing of ours is then alive.

        On return the lease is released and no process is left.
        """
        try:
            self.begin()
            while (standing := self.turn()) is None:
                pass
            return standing
        finally:
            self.let_go()

    @property
    def state(self) -> RunState:
        """Where the run stands, as far as this driver knows."""
        return self._run.state

    def begin(self) -> None:
        """Take up what an earlier driver left; what follows are turns. Raises ReplayDivergence."""
        self._watcher.began(self._run, self._store.folder(self._run.run))
        with self._noting_divergence():
            self._warm_up()
            self._recover()
            self._observe(HostSeen(self._now(), self._limits.parallel_max))
            self._asked = pending(self._run.plan, self._run.state)
        divergence.forget(self._store.folder(self._run.run))

    def turn(self) -> Standing | None:
        """Carry the run on a little; where it stands when there is no more to do here. Raises ReplayDivergence."""
        with self._noting_divergence():
            self._take_inbox()
            self._observe(Ticked(self._now()))
            standing = self._go_on()
            if standing is None:
                self._observe_arrivals()
            else:
                self._observe(SessionsClosed(self._now(), None, "parked"))
            return standing

    @contextmanager
    def _noting_divergence(self) -> Iterator[None]:
        """Whoever asks for the run's status later is told why nobody could go on with it."""
        try:
            yield
        except ReplayDivergence as found:
            run = self._run
            divergence.note(self._store.folder(run.run), found, run.state.sequence, run.plan_hash)
            raise

    # one turn

    def _go_on(self) -> Standing | None:
        """Carry out what is pending; or say why there is nothing to do here any more."""
        if self._interrupted:
            return self._stop_for_interrupt()
        state = self._run.state
        if state.status in finals("run"):
            return Standing(state, None)
        asked, self._asked = self._asked, ()
        for command in asked:
            self._carry_out(command)
        self._hold_lease()
        return self._parked()

    def _observe_arrivals(self) -> None:
        """What came while we worked is decided and committed together. While a child works, nothing else does."""
        if self._children.open:
            self._observe_child()
            return
        arrived = self._dispatcher.fetch(0 if self._asked else INBOX_POLL_S)
        batch: list[Arrival] = []
        while arrived is not None:
            batch.append(arrived)
            arrived = self._dispatcher.fetch(0) if len(batch) < BATCH_MAX else None
        if len(batch) == 1:
            self._observe(batch[0])
        elif batch:
            self._observe(Arrived(max(each.at_ms for each in batch), tuple(batch)))

    def _observe_child(self) -> None:
        blocked = self._run.state.status == "blocked_uncertain"
        seen = self._children.turn(self._now(), parent_blocked=blocked)
        if seen is not None:
            self._observe(replace(seen, at_ms=self._now()))

    def _carry_out(self, command: Command) -> None:
        if isinstance(command, Prepare):
            simulated = self._run.state.simulated
            found = () if simulated else problems(self._run.plan, self._run.workspace, self._ambient)
            self._observe(Prepared(self._now(), found))
        elif isinstance(command, StartAttempt | DriveChild) and self._limit() is not None:
            return  # its intent stays recorded; the next driver starts it
        elif isinstance(command, DriveChild):
            self._children.carry_out(command)
        elif isinstance(command, DISPATCHED):
            self._hold_lease()
            self._dispatcher.carry_out(command)

    def _parked(self) -> Standing | None:
        """The standing when only people, signals or time can move the run, or a limit of the caller is reached."""
        state = self._run.state
        if self._children.open or not self._dispatcher.idle or state.status in finals("run"):
            return None
        if self._children.parked is not None:
            return None if self._store.inbox(self._run.run) else Standing(state, self._children.parked)
        if any(isinstance(command, _WORKING) for command in pending(self._run.plan, state)):
            limit = self._limit()
            return Standing(state, limit) if limit is not None else None
        if self._store.inbox(self._run.run):
            return None
        if self._limits.wait and state.status == "waiting" and not self._time_is_up():
            return None
        return Standing(state, Cause.WAITING)

    def _stop_for_interrupt(self) -> Standing:
        """Stop what is under way, record what became of it, and let go."""
        self._children.interrupt()
        while self._children.open:
            self._observe_child()
        self._dispatcher.abandon()
        while not self._dispatcher.idle:
            arrived = self._dispatcher.fetch(0)
            if arrived is not None:
                self._observe(arrived)
        ended = self._run.state.status in finals("run")
        return Standing(self._run.state, None if ended else Cause.INTERRUPT)

    def _observe(self, observation: Observation, taken: Sequence[int] = ()) -> None:
        """Decide, and append what was decided: one commit. What came too late before an end is recorded first."""
        while not self._appended(observation, taken):
            self._record_unread(observation.at_ms, but=taken)

    def _appended(self, observation: Observation, taken: Sequence[int]) -> bool:
        """Append what was decided; False, and nothing done, where that would end the run over unread commands."""
        before = self._run.state
        decision = decided(self._run.plan, before, observation)
        events = decision.events
        if not events and not taken:
            return True
        at, sample = self._clock.instant(observation.at_ms), self._clock.sample(observation.at_ms)
        entry = Entry(
            decision,
            at,
            sample,
            taken,
            self._dispatcher.take_files(),
            births(self._run, events, at, sample),
            release=self._ends_with(events),
        )
        self._dispatcher.make_ready(events)
        try:
            self._run = self._store.append(self._run, self._lease, entry)
        except UnreadInbox:
            self._dispatcher.give_back_files(entry.blobs)
            return False
        self._renewed_ms = observation.at_ms
        self._asked = renewed(self._run.plan, self._run.state, events, self._asked)
        self._watcher.committed(before, self._run.state, events)
        return True

    def _ends_with(self, events: Sequence[Event]) -> bool:
        """Whether `events` end the run, so that its lease is given back in the same commit."""
        return bool(events) and events[-1].lifecycle == "run" and events[-1].target in finals("run")

    # other processes

    def _take_inbox(self) -> None:
        for command in self._store.inbox(self._run.run):
            if self._run.state.status in finals("run"):
                return  # an earlier one has ended the run; this one is recorded as unread, and the lease is back
            observation = observation_of(command, self._now())
            if isinstance(observation, ResolutionGiven):
                observation = self._dispatcher.with_files(observation)
            self._observe(observation, taken=(command.number,))

    def _record_unread(self, at_ms: int, but: Sequence[int]) -> None:
        """The run ends at `at_ms`, and more was sent to it: that is recorded as of then, never lost."""
        for command in self._store.inbox(self._run.run):
            if command.number not in but:
                unread = CommandUnread(at_ms, command.number, command.kind, command.body)
                self._observe(unread, taken=(command.number,))

    def _warm_up(self) -> None:
        """Where a process will be started soon, let its supervisor start meanwhile."""
        soon = self._run.state.status in ("created", "preparing")
        if soon or any(isinstance(one, StartAttempt) for one in pending(self._run.plan, self._run.state)):
            self._dispatcher.warm_up()

    def _recover(self) -> None:
        """What an earlier driver may have started is proven or decided before anything new starts."""
        sessions = self._run.state.sessions.values()
        self._dispatcher.recover_sessions(one.id for one in sessions if one.status not in finals("session"))
        for command in pending(self._run.plan, self._run.state):
            if isinstance(command, StartAttempt | StopAttempt):
                found = self._dispatcher.recover(command)
                if found is not None:
                    self._observe(found)
            elif isinstance(command, AskReceipt | LookAtRepositories):
                self._dispatcher.recover_question(command)

    # lease, limits and time

    def _hold_lease(self) -> None:
        """Renew the lease before it could expire: no process starts under one that might have. Raises LeaseLost."""
        if self._now() - self._renewed_ms >= RENEW_INTERVAL_MS:
            self._store.renew(self._lease)
            self._renewed_ms = self._now()

    def let_go(self) -> None:
        """Leave no process and no lease, neither of this run nor of its child."""
        try:
            self._children.close()
            self._dispatcher.abandon()
        finally:
            self._dispatcher.close()
            self._store.release(self._lease)
            self._watcher.let_go(self._run.run)

    def _limit(self) -> Cause | None:
        """The caller's limit that is reached, if one is."""
        if self._limits.steps_max is not None and self._taken() >= self._limits.steps_max:
            return Cause.STEP_LIMIT
        return Cause.TIME_LIMIT if self._time_is_up() else None

    def _taken(self) -> int:
        """Transitions that were taken here, those of children included."""
        return self._run.state.counters.transitions - self._transitions_before + self._children.taken

    def _child(self, run: str, going_on: bool) -> "Driver":
        """The driver of a child, which may go as far as there is left to go."""
        steps, time_ms = self._limits.steps_max, self._limits.time_ms_max
        left = replace(
            self._limits,
            steps_max=None if steps is None else max(0, steps - self._taken()),
            time_ms_max=None if time_ms is None else max(0, time_ms - (self._now() - self._began_ms)),
        )
        return self._open_child(run, left, going_on)

    def _time_is_up(self) -> bool:
        limit = self._limits.time_ms_max
        return limit is not None and self._now() - self._began_ms >= limit

    def _now(self) -> int:
        return self._clock.elapsed_ms()
