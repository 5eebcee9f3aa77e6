"""Commands that send something to a run: approve, reject, signal, cancel, resolve.

They only post to its inbox; the driver, or the next one, takes it up. `cancel` drives a run that nobody does.
"""

import argparse
import getpass
import os
import secrets
from contextlib import suppress
from typing import Any

from akm.cli.family import family_of
from akm.cli.place import open_store
from akm.cli.progress import Progress
from akm.cli.reporting import UsageFault, emit
from akm.cli.run import interruptible
from akm.clock import HostTime, RunClock
from akm.engine import inbox
from akm.engine.driver import Limits
from akm.engine.inbox import Draft
from akm.engine.opening import open_existing, this_host
from akm.engine.standing import Exit, exit_code
from akm.journal.faults import CommandConflict, LeaseHeld
from akm.journal.store import InboxCommand, RunRow, Store
from akm.kernel.inbox import signal_problem
from akm.kernel.resolution import NEEDS_REFERENCE
from akm_specs.canonical import JsonObject, NotCanonical, NotStrictJson, canonical, parse_json


def approve(arguments: argparse.Namespace) -> int:
    """One authorised person says yes."""
    return _decide(arguments, approve=True)


def reject(arguments: argparse.Namespace) -> int:
    """One authorised person says no."""
    return _decide(arguments, approve=False)


def _decide(arguments: argparse.Namespace, *, approve: bool) -> int:
    store = open_store(arguments)
    row = store.run(arguments.run)
    word = "approved" if approve else "rejected"
    earlier = _earlier_decision(store, row, arguments.step)
    if earlier is not None:
        if (earlier["approve"], earlier["by"]) != (approve, arguments.by):
            stands = "approved" if earlier["approve"] else "rejected"
            raise CommandConflict(f"{earlier['by']} has {stands} {earlier['step_attempt']} already; that stands")
        return _told(
            arguments, store, row, {"decision": word, "repeated": True}, f"{arguments.step} was {word} already"
        )
    waiting = _waiting_decision(row, arguments.step)
    if arguments.by not in waiting["by"]:
        raise UsageFault(f"{arguments.by} may not decide on {arguments.step}; {' or '.join(waiting['by'])} may")
    if RunClock(HostTime(), store.load(row.run).sample).elapsed_ms() >= waiting["due_ms"]:
        raise UsageFault(f"the time to decide on {arguments.step} is over: `akm resume {row.run}` goes on")
    draft = inbox.decision(
        waiting["step_attempt"],
        approve=approve,
        by=arguments.by,
        reason=arguments.reason,
        shown=waiting["shown_hash"],
    )
    _post(store, row, draft)
    return _told(arguments, store, row, {"decision": word, "repeated": False}, f"{arguments.step} is {word}")


def _earlier_decision(store: Store, row: RunRow, step: str) -> JsonObject | None:
    """The decision on the latest attempt of `step`, if one was sent."""
    number = (row.summary.get("entries") or {}).get(step)
    sent = store.sent(row.run, f"decision {step}#{number}") if number else None
    return None if sent is None else sent.body


def _waiting_decision(row: RunRow, step: str) -> JsonObject:
    waiting: Any = row.summary.get("waiting_for")
    if not waiting or waiting["kind"] != "decision" or waiting["step"] != step:
        now = (
            f"it waits for a decision on {waiting['step']}"
            if waiting and waiting["kind"] == "decision"
            else (f"it is {row.status}")
        )
        raise UsageFault(f"run {row.run} waits for no decision on {step!r}: {now}")
    found: JsonObject = waiting
    return found


def signal(arguments: argparse.Namespace) -> int:
    """Deliver a signal. One that no wait can take is refused here, and recorded by the run."""
    try:
        data = parse_json(arguments.data) if arguments.data is not None else None
    except NotStrictJson as error:
        raise UsageFault(f"--data is no strict JSON: {error}") from error
    store = open_store(arguments)
    row = store.run(arguments.run)
    draft = inbox.signal(arguments.name, data, arguments.key or secrets.token_hex(8))
    sent = _post(store, row, draft)
    problem = signal_problem(store.plan(row.run), arguments.name, data)
    if problem is not None:
        raise UsageFault(f"signal {arguments.name} is refused: {problem}")
    document = {"signal": arguments.name, "number": sent.number, "repeated": sent.repeated}
    what = "was sent before" if sent.repeated else "is sent"
    return _told(arguments, store, row, document, f"signal {arguments.name} {what}")


def cancel(arguments: argparse.Namespace) -> int:
    """Request cancellation; where nobody drives the run, carry it out."""
    store = open_store(arguments)
    row = store.run(arguments.run)
    draft = inbox.cancel(_user(), arguments.reason)
    with suppress(CommandConflict):  # requested before, for another reason: one request is enough
        _post(store, row, draft)
    progress = Progress()
    try:
        driver = open_existing(store, row.run, Limits(), progress, this_host())
    except LeaseHeld as held:
        return _told(arguments, store, row, {"cancel": "requested"}, f"cancellation is requested: {held}")
    with interruptible(driver):
        standing = driver.drive()
    progress.close()
    after = store.run(row.run)
    emit(arguments, {"run_id": row.run, "status": after.status}, f"run {row.run}: {after.status}")
    return exit_code(after.status, standing.cause)


def _user() -> str:
    """Who types, as far as the host can tell."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user id without a name, as containers have them
        return f"uid {os.getuid()}"


def resolve(arguments: argparse.Namespace) -> int:
    """Settle an uncertain effect: an audited action of a person."""
    store = open_store(arguments)
    row = store.run(arguments.run)
    found = _uncertain_effect(row, arguments.effect)
    effect = str(found["effect"])
    if arguments.action not in found["resolutions"]:
        raise UsageFault(f"{arguments.action} is not possible for {effect}; {', '.join(found['resolutions'])} are")
    if arguments.action in NEEDS_REFERENCE and not arguments.ref:
        raise UsageFault(f"{arguments.action} needs --ref: {NEEDS_REFERENCE[arguments.action]}")
    draft = inbox.resolution(
        effect,
        action=arguments.action,
        by=arguments.by,
        reason=arguments.reason,
        reference=arguments.ref,
        nth=store.posted(row.run, f"resolution {effect} "),
    )
    _post(store, row, draft)
    document = {"effect": effect, "action": arguments.action}
    return _told(arguments, store, row, document, f"{effect}: {arguments.action} is recorded")


def _uncertain_effect(row: RunRow, named: str) -> JsonObject:
    """The uncertain effect that is meant, by its id, its assignment or its step."""
    effects = row.summary.get("uncertain") or []
    meant: list[JsonObject] = [
        effect for effect in effects if named in (effect["effect"], effect["assignment"], effect["step"])
    ]
    if len(meant) == 1:
        return meant[0]
    known = ", ".join(effect["effect"] for effect in effects) or "none"
    raise UsageFault(f"run {row.run} has no uncertain effect {named!r}; uncertain: {known}")


def _post(store: Store, row: RunRow, draft: Draft) -> InboxCommand:
    """Leave a command in the run's inbox. Raises UsageFault when it has no form that can be recorded."""
    try:
        canonical([draft.key, draft.body])
    except NotCanonical as error:
        raise UsageFault(f"this cannot be recorded: {error}") from error
    return store.post(row.run, draft.key, draft.kind, draft.body)


def _told(arguments: argparse.Namespace, store: Store, row: RunRow, document: JsonObject, text: str) -> int:
    resume = f"akm resume {family_of(store, row).eldest}"
    emit(arguments, {"run_id": row.run, **document, "resume": resume}, f"{text}\nnext: {resume}")
    return Exit.COMPLETED
