"""Strays: processes of an attempt whose engine is gone, found by the token they were started with."""

import os
import time
from collections.abc import Iterable, Iterator, Set
from pathlib import Path

from akm.dispatch.found import Found, Supervised, look
from akm.dispatch.host import host_table
from akm.dispatch.identity import ProcessIdentity, boot_id, is_alive, pid_namespace
from akm.dispatch.process import Survivor
from akm.dispatch.supervisor.spawn import TOKEN_VARIABLE
from akm.dispatch.table import ProcessRow, ProcessTable, descendants
from akm.dispatch.teardown import stop_family
from akm_specs.canonical import hash_json

#: How long a stray may take to end after it was asked to.
GRACE_MS = 10_000


def token_of(folder: Path) -> str:
    """Marks the processes of one attempt folder of one store, and can be told again after a crash."""
    return hash_json(os.fspath(folder.resolve()))[:32]


def find_strays(token: str) -> tuple[Survivor, ...]:
    """What still runs of the attempt that was started with `token`."""
    table = host_table()
    return _told(table, _family(table, token, frozenset()))


def stop_strays(
    token: str, leader: ProcessIdentity | None = None, grace_ms: int = GRACE_MS
) -> tuple[Survivor, ...]:
    """Stop all of it, killing after `grace_ms`; what could not be killed. Blocks until then.

    `leader` is the attempt's first process, where its start was recorded: a tool that cleared its environment
    is found by that.
    """
    table = host_table()
    rows = stop_family(lambda known: _family(table, token, known, leader), table, grace_ms / 1000, time.sleep)
    return _told(table, rows)


def leader_of(found: Found, token: str) -> ProcessIdentity | None:
    """Whom to stop with all below it: the supervisor, or else its process; nobody of another store."""
    if not isinstance(found, Supervised) or found.token != token:
        return None
    return found.supervisor if is_alive(found.supervisor) else found.process


def stop_left(folder: Path) -> None:
    """Stop what an earlier engine left of the work of `folder`, which only looked and may be done again."""
    token = token_of(folder)
    stop_strays(token, leader_of(look(folder), token))


def _led(rows: Iterable[ProcessRow], leader: ProcessIdentity | None) -> Iterator[ProcessRow]:
    """The leader and its session, unless its pid means another process by now, or another boot's or container's."""
    if leader is None or (leader.boot_id, leader.pid_namespace) != (boot_id(), pid_namespace()):
        return
    found = [row for row in rows if leader.pid in (row.pid, row.session)]
    if not any(row.pid == leader.pid and row.start_time != leader.start_time for row in found):
        yield from found


def _family(
    table: ProcessTable, token: str, known: Set[ProcessRow], leader: ProcessIdentity | None = None
) -> tuple[ProcessRow, ...]:
    """All that carry the token, all in their sessions (the attempt's own), all below them; never ourselves."""
    rows = table.rows()
    keys = {row.key for row in (*known, *_led(rows.values(), leader))}
    members = [row for row in rows.values() if row.key in keys or table.variable(row.pid, TOKEN_VARIABLE) == token]
    sessions = {row.session for row in (*known, *members)} - {os.getsid(0)}
    roots = {row.pid for row in members} | {row.pid for row in rows.values() if row.session in sessions}
    found = descendants(rows, roots) - {os.getpid()}
    return tuple(rows[pid] for pid in found if pid in rows and not rows[pid].ended)


def _told(table: ProcessTable, rows: tuple[ProcessRow, ...]) -> tuple[Survivor, ...]:
    return tuple(Survivor(row.pid, table.command(row.pid)) for row in rows)
