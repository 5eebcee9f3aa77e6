"""The engine of a host program: any number of runs at once, each driven in a thread of its own.

Coroutines of Python tools run on the host's event loop, and nothing here blocks it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from akm.api.answers import RunEvent, RunResult, RunStatus, event_of, result_of, status_of
from akm.engine import parameters as values
from akm.engine import plans, requests
from akm.engine import script as scripts
from akm.engine.driver import Driver, Limits
from akm.engine.opening import Host, has_ended, new_run_id, open_existing, open_new, this_host
from akm.engine.watcher import Watcher
from akm.journal.faults import LeaseHeld
from akm.journal.store import ENDED, Store
from akm_specs.canonical import Json

if TYPE_CHECKING:
    from akm.telemetry.watch import Telemetry

#: The store of a call that names none.
STORE = ".akm"
#: Runs that one engine drives at once; more of them wait for their turn.
RUNS_MAX = 64
#: How often an iterator over events looks for news, in seconds.
EVENTS_POLL_S = 0.05

T = TypeVar("T")
#: Makes the driver of a run, or says which run has ended already.
Opening = Callable[[Store], "Driver | str"]


class Run:
    """A run that an engine drives."""

    def __init__(self) -> None:
        """Made by `Engine.start` and `Engine.resume`, which give it its id and its driver."""
        self.id = ""
        self._ended: Future[RunResult] = Future()
        self._driver: Driver | None = None
        self._stopping = False

    async def end(self) -> RunResult:
        """How it ended or why it parked; who stops waiting does not stop it. Raises what driving it raised."""
        return await asyncio.shield(asyncio.wrap_future(self._ended))

    def stop(self) -> None:
        """Let it park: what is under way is stopped, and what became of it recorded. Returns at once."""
        self._stopping = True
        if self._driver is not None and not self._ended.done():
            self._driver.interrupt()

    def _drive(self, opening: Opening, store: Store, opened: "Future[None]") -> RunResult:
        """Open the run, say so, and carry it on."""
        found = opening(store)
        self.id = found if isinstance(found, str) else found.run
        if isinstance(found, str):
            opened.set_result(None)
            return result_of(store, found, None)
        self._driver = found
        if self._stopping:
            found.interrupt()
        opened.set_result(None)
        return result_of(store, found.run, found.drive().cause)


class Engine:
    """Runs of one store. Use it as an asynchronous context manager: leaving it parks what still runs.

    Invariant: `_runs` holds every run that may be under way here. `_kept` is the desk's connection: while it is
    there, no run that ends is the last to leave the database, and has it tidied up.
    """

    def __init__(
        self,
        store: str | PathLike[str] = STORE,
        *,
        runs_max: int = RUNS_MAX,
        telemetry: "Telemetry | None" = None,
    ) -> None:
        """`store` is a directory, made by the first run; `runs_max` bounds the runs at once.

        With `telemetry`, spans and metrics of the runs are made (docs/reference/telemetry.md).
        """
        self._directory = Path(store).absolute()
        self._drivers = ThreadPoolExecutor(runs_max, thread_name_prefix="akm run")
        self._desk = ThreadPoolExecutor(1, thread_name_prefix="akm desk")
        self._kept: Store | None = None
        self._runs: list[Run] = []
        self._telemetry = telemetry

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for run in self._runs:
            run.stop()
        for run in self._runs:
            await asyncio.gather(run.end(), return_exceptions=True)
        self._drivers.shutdown()
        await asyncio.get_running_loop().run_in_executor(self._desk, self._leave)
        self._desk.shutdown()

    # driving

    async def start(
        self,
        plan: str | PathLike[str],
        parameters: Mapping[str, Json] | None = None,
        *,
        run_id: str | None = None,
        workspace: str | PathLike[str] | None = None,
        limits: Limits | None = None,
        simulate: Mapping[str, Json] | str | PathLike[str] | None = None,
    ) -> Run:
        """Start a run of a plan, or of a source that is compiled first; it is recorded when this returns.

        With `run_id`, the same plan, parameters, workspace and script are the same run. The workspace is the plan's
        folder unless it is named. `simulate` is a script, or the file of one, that stands in for all tools
        (docs/reference/simulation.md). Raises PlanUnreadable, PlanAltered, SourceRefused, ScriptRefused,
        BadParameter, NotReady or StoreFault.
        """
        path = Path(plan)
        folder = path.parent if workspace is None else Path(workspace)
        host, watcher = self._host(), self._watcher()

        def opening(store: Store) -> Driver | str:
            frozen = plans.read(path)
            given = values.complete(frozen.plan, parameters or {})
            script = None if simulate is None else scripts.given(simulate, frozen.plan)
            name = new_run_id(frozen.plan["workflow"]) if run_id is None else run_id
            if run_id is not None and has_ended(store, name, frozen, given, script):
                return name
            return open_new(store, frozen, given, name, folder, limits or Limits(), watcher, host, script)

        return await self._driven(opening)

    async def resume(self, run_id: str, *, limits: Limits | None = None) -> Run:
        """Drive a run on from its journal. Raises UnknownRun, LeaseHeld, Damaged or NotReady."""
        host, watcher = self._host(), self._watcher()

        def opening(store: Store) -> Driver | str:
            if store.run(run_id).status in ENDED:
                store.load(run_id)  # an ended run is still proved before it is reported
                return run_id
            return open_existing(store, run_id, limits or Limits(), watcher, host, going_on=True)

        return await self._driven(opening)

    async def _driven(self, opening: Opening) -> Run:
        run, opened = Run(), Future[None]()
        self._runs = [one for one in self._runs if not one._ended.done()]
        self._runs.append(run)
        self._drivers.submit(self._drive, opening, run, opened)
        await asyncio.shield(asyncio.wrap_future(opened))
        if self._kept is None:
            await self._asked(lambda _: None)
        return run

    def _drive(self, opening: Opening, run: Run, opened: "Future[None]") -> None:
        """In a thread of its own, and with a connection of its own."""
        try:
            with closing(Store(self._directory, create=True)) as store:
                run._ended.set_result(run._drive(opening, store, opened))
        except BaseException as error:
            run._ended.set_exception(error)
            if not opened.done():
                opened.set_exception(error)

    def _host(self) -> Host:
        here = this_host()
        return Host(here.ambient, here.time, asyncio.get_running_loop())

    def _watcher(self) -> Watcher:
        return Watcher() if self._telemetry is None else self._telemetry.watcher()

    # looking

    async def status(self, run_id: str) -> RunStatus:
        """Where a run stands. Raises UnknownRun."""
        return await self._asked(lambda store: status_of(store, run_id))

    async def events(self, run_id: str, after: int = 0) -> AsyncIterator[RunEvent]:
        """The run's events after sequence `after`, and then each as it comes, until nobody drives it any more.

        Raises UnknownRun, and Damaged at the first event that is not what was written.
        """

        def news(store: Store) -> tuple[list[RunEvent], bool]:
            driven = store.is_driven(run_id)  # before: what is recorded meanwhile is not missed
            return [event_of(one) for one in store.recorded(run_id, after)], driven

        while True:
            found, driven = await self._asked(news)
            for event in found:
                yield event
                after = event.sequence
            if not driven:
                return
            await asyncio.sleep(EVENTS_POLL_S)

    # asking

    async def approve(self, run_id: str, step: str, *, by: str, reason: str = "") -> None:
        """A person's yes on what an approval shows. Raises RequestRefused, CommandConflict or UnknownRun."""
        await self._asked(lambda at: requests.decide(at, run_id, step, approve=True, by=by, reason=reason))

    async def reject(self, run_id: str, step: str, *, by: str, reason: str = "") -> None:
        """A person's no. Raises RequestRefused, CommandConflict or UnknownRun."""
        await self._asked(lambda at: requests.decide(at, run_id, step, approve=False, by=by, reason=reason))

    async def signal(self, run_id: str, name: str, data: Json = None, *, key: str | None = None) -> None:
        """Deliver a signal; the same `key` counts once. Raises RequestRefused, UnknownRun or RunEnded."""
        await self._asked(lambda at: requests.signal(at, run_id, name, data, key))

    async def resolve(
        self, run_id: str, effect: str, *, action: str, by: str, reason: str, reference: str | None = None
    ) -> None:
        """Settle an uncertain effect, as docs/guide/recovery.md says. Raises RequestRefused or UnknownRun."""
        await self._asked(
            lambda at: requests.resolve(
                at, run_id, effect, action=action, by=by, reason=reason, reference=reference
            )
        )

    async def cancel(self, run_id: str, *, by: str, reason: str = "") -> RunStatus:
        """Ask for cancellation, and carry it out where nobody drives the run. Raises UnknownRun or RunEnded."""
        await self._asked(lambda at: requests.cancel(at, run_id, by=by, reason=reason))
        host, watcher = self._host(), self._watcher()
        try:
            found = await self._driven(lambda at: open_existing(at, run_id, Limits(), watcher, host))
        except LeaseHeld:
            return await self.status(run_id)
        return await found.end()

    async def _asked(self, question: Callable[[Store], T]) -> T:
        """One short call at the store, in the desk's thread."""

        def answer() -> T:
            if self._kept is None:
                self._kept = Store(self._directory, create=False)
            return question(self._kept)

        return await asyncio.get_running_loop().run_in_executor(self._desk, answer)

    def _leave(self) -> None:
        """In the desk's thread, whose connection it is."""
        if self._kept is not None:
            self._kept.close()
