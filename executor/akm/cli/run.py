"""`akm run` and `akm resume`: drive a run until it ends, parks, blocks or is interrupted."""

import argparse
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from akm.cli.family import family_of
from akm.cli.next_step import describe, resume_command
from akm.cli.place import open_store
from akm.cli.progress import Progress
from akm.cli.reporting import UsageFault, emit
from akm.cli.spans import count, span_ms
from akm.cli.structured import StructuredLog
from akm.cli.telemetry import watching
from akm.engine import parameters, plans
from akm.engine.driver import Driver, Limits
from akm.engine.opening import has_ended, new_run_id, open_existing, open_new, this_host
from akm.engine.script import load
from akm.engine.standing import Cause, exit_code
from akm.engine.watcher import Watcher, Watchers
from akm.journal.store import ENDED, Store
from akm.kernel.digest import digest
from akm_specs.canonical import JsonObject, NotStrictJson, parse_json
from akm_specs.plan import PLAN_BYTES_MAX

#: Largest file of parameters, in bytes: as much as a plan may have.
PARAMS_BYTES_MAX = PLAN_BYTES_MAX

_RUN_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")


def run(arguments: argparse.Namespace) -> int:
    """Start a run of a plan or source; given the id of a run, drive that on."""
    if arguments.engine == "temporal":
        raise UsageFault(
            "this akm drives runs itself, and has no adapter to a Temporal cluster: use --engine local"
        )
    path = Path(arguments.target)
    if path.is_file() or path.suffix or "/" in arguments.target:
        return _run_file(arguments, path)
    if arguments.parameters or arguments.params is not None or arguments.id is not None:
        raise UsageFault(f"{arguments.target!r} is no file, and an existing run takes no parameters and no --id")
    if arguments.simulate is not None:
        raise UsageFault("an existing run goes on as it began: --simulate is for a new one")
    return _drive_existing(arguments, arguments.target)


def resume(arguments: argparse.Namespace) -> int:
    """Drive an existing run on."""
    return _drive_existing(arguments, arguments.run)


def _run_file(arguments: argparse.Namespace, path: Path) -> int:
    limits = _limits(arguments)
    frozen = plans.read(path)
    given = {**_params_file(arguments), **parameters.from_text(frozen.plan, tuple(arguments.parameters))}
    values = parameters.complete(frozen.plan, given)
    run_id = new_run_id(frozen.plan["workflow"]) if arguments.id is None else str(arguments.id)
    if not _RUN_ID.fullmatch(run_id):
        raise UsageFault(
            f"--id {run_id!r}: a run's id has 1 to 64 letters, digits, - and _, and begins with no sign"
        )
    script = None if arguments.simulate is None else load(Path(arguments.simulate), frozen.plan)
    store = open_store(arguments, create=True)
    if arguments.id is not None and has_ended(store, run_id, frozen, values, script):
        return _report(arguments, store, run_id, None)
    return _drive(
        arguments,
        store,
        run_id,
        lambda watcher: open_new(store, frozen, values, run_id, path.parent, limits, watcher, this_host(), script),
    )


def _drive_existing(arguments: argparse.Namespace, run_id: str) -> int:
    limits = _limits(arguments)
    store = open_store(arguments)
    if store.run(run_id).status in ENDED:
        store.load(run_id)  # an ended run is still proved before it is reported
        return _report(arguments, store, run_id, None)
    return _drive(
        arguments,
        store,
        run_id,
        lambda watcher: open_existing(store, run_id, limits, watcher, this_host(), going_on=True),
    )


def _drive(arguments: argparse.Namespace, store: Store, run_id: str, opened: Callable[[Watcher], Driver]) -> int:
    progress = StructuredLog() if arguments.log_format == "json" else Progress()
    with watching(arguments) as telemetry:
        driver = opened(Watchers(progress, telemetry))
        with interruptible(driver):
            standing = driver.drive()
        progress.close()
        return _report(arguments, store, run_id, standing.cause)


@contextmanager
def interruptible(driver: Driver) -> Iterator[None]:
    """SIGINT, SIGTERM and SIGHUP stop the driver cleanly; a signal that was ignored stays ignored."""
    before = {}
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, lambda *_: driver.interrupt())
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _report(arguments: argparse.Namespace, store: Store, run_id: str, cause: Cause | None) -> int:
    row = store.run(run_id)
    family = family_of(store, row)
    summary = row.summary
    found = digest(store.recorded(run_id))
    document = {
        "run_id": run_id,
        "workflow": summary["workflow"],
        "plan_hash": summary["plan_hash"],
        "status": row.status,
        "outcome": summary["outcome"],
        "step": summary["step"],
        "sequence": row.sequence,
        "digest": found,
        "outputs": store.outputs(row),
        "resume": resume_command(family),
    }
    lines = describe(family)
    if cause in (Cause.STEP_LIMIT, Cause.TIME_LIMIT):
        lines.insert(1, f"  parked    {cause.value.replace('_', ' ')} of this command reached")
    if cause is Cause.INTERRUPT:
        lines.insert(1, "  parked    interrupted; nothing of it is running")
    if row.status == "failed":
        lines.append(f"  logs      {store.directory / 'runs' / run_id}")
    if row.status in ENDED:
        lines.append(f"  digest    {found}")
    emit(arguments, document, "\n".join(lines))
    return exit_code(row.status, cause)


def _limits(arguments: argparse.Namespace) -> Limits:
    return Limits(
        steps_max=None if arguments.max_steps is None else count(arguments.max_steps, "--max-steps"),
        time_ms_max=None if arguments.timeout is None else span_ms(arguments.timeout),
        wait=arguments.wait,
    )


def _params_file(arguments: argparse.Namespace) -> JsonObject:
    if arguments.params is None:
        return {}
    try:
        with open(arguments.params, "rb") as file:
            data = file.read(PARAMS_BYTES_MAX + 1)
        if len(data) > PARAMS_BYTES_MAX:
            raise UsageFault(f"--params {arguments.params} is larger than {PARAMS_BYTES_MAX} bytes")
        found = parse_json(data)
    except OSError as error:
        raise UsageFault(f"--params {arguments.params} cannot be read: {error.strerror}") from error
    except NotStrictJson as error:
        raise UsageFault(f"--params {arguments.params} is no strict JSON: {error}") from error
    if not isinstance(found, dict):
        raise UsageFault(f"--params {arguments.params} holds no JSON object")
    return found
