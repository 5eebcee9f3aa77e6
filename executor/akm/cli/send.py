"""Commands that send something to a run: approve, reject, signal, cancel, resolve.

They only post to its inbox; the driver, or the next one, takes it up. `cancel` drives a run that nobody does.
"""

import argparse
import getpass
import os

from akm.cli.family import family_of
from akm.cli.place import open_store
from akm.cli.progress import Progress
from akm.cli.reporting import UsageFault, emit
from akm.cli.run import interruptible
from akm.engine import requests
from akm.engine.driver import Limits
from akm.engine.opening import open_existing, this_host
from akm.engine.standing import Exit, exit_code
from akm.journal.faults import LeaseHeld
from akm_specs.canonical import JsonObject, NotStrictJson, parse_json


def approve(arguments: argparse.Namespace) -> int:
    """One authorised person says yes."""
    return _decide(arguments, approve=True)


def reject(arguments: argparse.Namespace) -> int:
    """One authorised person says no."""
    return _decide(arguments, approve=False)


def _decide(arguments: argparse.Namespace, *, approve: bool) -> int:
    run, step, by, reason = arguments.run, arguments.step, arguments.by, arguments.reason
    sent = requests.decide(open_store(arguments), run, step, approve=approve, by=by, reason=reason)
    word = "approved" if approve else "rejected"
    text = f"{step} was {word} already" if sent.repeated else f"{step} is {word}"
    return _told(arguments, {"decision": word, "repeated": sent.repeated}, text)


def signal(arguments: argparse.Namespace) -> int:
    """Deliver a signal. One that no wait can take is refused here, and recorded by the run."""
    try:
        data = parse_json(arguments.data) if arguments.data is not None else None
    except NotStrictJson as error:
        raise UsageFault(f"--data is no strict JSON: {error}") from error
    sent = requests.signal(open_store(arguments), arguments.run, arguments.name, data, arguments.key)
    document = {"signal": arguments.name, "number": sent.number, "repeated": sent.repeated}
    what = "was sent before" if sent.repeated else "is sent"
    return _told(arguments, document, f"signal {arguments.name} {what}")


def cancel(arguments: argparse.Namespace) -> int:
    """Request cancellation; where nobody drives the run, carry it out."""
    store = open_store(arguments)
    requests.cancel(store, arguments.run, by=_user(), reason=arguments.reason)
    progress = Progress()
    try:
        driver = open_existing(store, arguments.run, Limits(), progress, this_host())
    except LeaseHeld as held:
        return _told(arguments, {"cancel": "requested"}, f"cancellation is requested: {held}")
    with interruptible(driver):
        standing = driver.drive()
    progress.close()
    after = store.run(arguments.run)
    emit(arguments, {"run_id": after.run, "status": after.status}, f"run {after.run}: {after.status}")
    return exit_code(after.status, standing.cause)


def _user() -> str:
    """Who types, as far as the host can tell."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as containers have them
        return f"uid {os.getuid()}"


def resolve(arguments: argparse.Namespace) -> int:
    """Settle an uncertain effect: an audited action of a person."""
    effect = requests.resolve(
        open_store(arguments),
        arguments.run,
        arguments.effect,
        action=arguments.action,
        by=arguments.by,
        reason=arguments.reason,
        reference=arguments.ref,
    )
    document = {"effect": effect, "action": arguments.action}
    return _told(arguments, document, f"{effect}: {arguments.action} is recorded")


def _told(arguments: argparse.Namespace, document: JsonObject, text: str) -> int:
    store = open_store(arguments)
    resume = f"akm resume {family_of(store, store.run(arguments.run)).eldest}"
    emit(arguments, {"run_id": arguments.run, **document, "resume": resume}, f"{text}\nnext: {resume}")
    return Exit.COMPLETED
