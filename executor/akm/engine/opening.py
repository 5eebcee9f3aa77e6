"""Making a driver: for a new run, or for one that exists."""

import os
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from akm.clock import HostTime, RunClock, TimeSource
from akm.dispatch.process import ProcessKeeper
from akm.dispatch.processes import Processes
from akm.engine import script as scripts
from akm.engine.dispatcher import Dispatcher
from akm.engine.driver import Driver, Limits
from akm.engine.files import Files
from akm.engine.plans import FrozenPlan
from akm.engine.preparation import require_ready
from akm.engine.scripted import Scripted
from akm.engine.watcher import Watcher
from akm.journal.append import Entry
from akm.journal.history import OpenRun
from akm.journal.lease import Lease, this_process
from akm.journal.store import ENDED, Store
from akm.kernel.decide import created
from akm.kernel.decision import held
from akm_specs.canonical import JsonObject, hash_json

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


@dataclass(frozen=True, slots=True)
class Host:
    """What a driver has of this machine: environment variables, clocks, and the event loop of its host program.

    `processes` makes who keeps the processes of a driver, whose lease has the fencing token that it is given.
    """

    ambient: Mapping[str, str]
    time: TimeSource
    loop: "AbstractEventLoop | None" = None
    processes: Callable[[int], ProcessKeeper] = field(default=lambda fence: Processes(fence=fence))


def this_host() -> Host:
    """The environment and clocks of this process."""
    return Host(dict(os.environ), HostTime())


def new_run_id(workflow: str) -> str:
    """A portable id: the workflow, the day and second, and enough chance that two never meet."""
    moment = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return f"{workflow[:32].lower()}-{moment}-{secrets.token_hex(3)}"


def has_ended(
    store: Store, run: str, frozen: FrozenPlan, parameters: JsonObject, script: JsonObject | None = None
) -> bool:
    """Whether this very run was made before and is over; another's id is refused when the run is opened."""
    if not store.has(run):
        return False
    found = store.load(run)
    wanted = (frozen.hash, parameters, None if script is None else hash_json(script))
    return found.state.status in ENDED and (found.plan_hash, found.state.parameters, found.state.script) == wanted


def open_new(
    store: Store,
    frozen: FrozenPlan,
    parameters: JsonObject,
    run: str,
    workspace: Path,
    limits: Limits,
    watcher: Watcher,
    host: Host,
    script: JsonObject | None = None,
) -> Driver:
    """The driver of run `run`, made now or, with the same plan and parameters, before.

    With a `script`, which is what `script.load` gives, the run is simulated for ever. Raises RunExists when the id
    is another run's, LeaseHeld when another process drives it.
    """
    clock = RunClock(host.time)
    blobs = {} if script is None else scripts.kept(script)
    event = created(
        run, frozen.plan, frozen.hash, parameters, simulated=script is not None, script=next(iter(blobs), None)
    )
    entry = Entry(held(frozen.plan, None, (event,), 0), clock.instant(0), clock.sample(0), blobs=blobs)
    found = store.create_run(frozen.plan, frozen.data, str(workspace.resolve()), this_process(), entry)
    if found.lease is None:
        return open_existing(store, run, limits, watcher, host, going_on=True)
    return _driver(store, found.run, found.lease, limits, watcher, host)


def open_existing(
    store: Store, run: str, limits: Limits, watcher: Watcher, host: Host, *, going_on: bool = False
) -> Driver:
    """The driver of an existing run that has not ended.

    With `going_on` everything that its tools need must be here; a run that is only to be stopped needs nothing.
    Raises UnknownRun, LeaseHeld, Damaged, NotReady.
    """
    lease = store.claim(run, this_process())
    try:
        opened = store.take_up(run)
        if going_on and not opened.state.simulated:
            require_ready(opened, host.ambient)
        return _driver(store, opened, lease, limits, watcher, host)
    except BaseException:
        store.release(lease)
        raise


def _driver(store: Store, run: OpenRun, lease: Lease, limits: Limits, watcher: Watcher, host: Host) -> Driver:
    clock = RunClock(host.time, run.sample)

    def open_child(child: str, within: Limits, going_on: bool) -> Driver:
        return open_existing(store, child, within, watcher, host, going_on=going_on)

    if run.state.simulated:
        scripted = Scripted(run.plan, scripts.of_run(store, run), clock.elapsed_ms)
        return Driver(store, run, lease, scripted, clock, limits, watcher, host.ambient, open_child)
    dispatcher = Dispatcher(
        run=run.run,
        plan=run.plan,
        files=Files(Path(run.workspace)),
        folder=store.folder(run.run),
        processes=host.processes(lease.token),
        fence=lease.token,
        now_ms=clock.elapsed_ms,
        ambient=host.ambient,
        loop=host.loop,
    )
    return Driver(store, run, lease, dispatcher, clock, limits, watcher, host.ambient, open_child)
