"""The lease: one process drives a run at a time.

A claim is one transaction on one row; the fencing token only rises. A holder is replaced when its lease was
released, has expired, or when that very process is provably gone.
"""

import os
from dataclasses import dataclass, field

from akm.clock import TimeSource
from akm.dispatch.identity import ProcessIdentity, identify, presence
from akm.journal.database import Database
from akm.journal.faults import Damaged, LeaseHeld, LeaseLost

LEASE_DURATION_MS = 90_000
#: A lease is renewed when a third of it has passed, so that two lost renewals do not lose it.
RENEW_INTERVAL_MS = 30_000
#: How often appends renew it in passing: a younger lease is as good, and its page is spared.
RENEW_IN_PASSING_MS = 1_000


#: The token of a run's first lease, and of the event by which it is born.
FIRST_TOKEN = 1


@dataclass(frozen=True, slots=True)
class Holder:
    """A process that drives runs. `id` is random, so that a restarted host or container is nobody's double."""

    id: str
    host: str
    process: ProcessIdentity


def this_process() -> Holder:
    """A holder for this process."""
    process = identify(os.getpid())
    assert process is not None, "our own process is there"
    return Holder(os.urandom(8).hex(), os.uname().nodename, process)


@dataclass(frozen=True, slots=True)
class Lease:
    """What lets `holder` append to `run`: the token that is current. `taken_ms` is a moment of the boot clock."""

    run: str
    holder: str
    token: int
    taken_ms: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """A stored lease, live or not: the evidence of who drove last."""

    token: int
    holder: str
    host: str
    process: ProcessIdentity
    taken_utc: str
    expires_boottime_ms: int
    expires_utc: str
    released_utc: str | None


def read(database: Database, run: str) -> LeaseRecord | None:
    """The latest lease of `run`. Raises Damaged."""
    row = database.row(
        "SELECT token, holder, host, pid, start_time, boot_id, pid_namespace, taken_utc, expires_boottime_ms,"
        " expires_utc, released_utc FROM leases WHERE run = ?",
        (run,),
    )
    if row is None:
        return None
    if not all(map(isinstance, row, _COLUMNS)):
        raise Damaged(run, "lease", "its row holds no lease")
    return LeaseRecord(row[0], row[1], row[2], ProcessIdentity(row[3], row[4], row[5], row[6]), *row[7:])


#: What `read` reads, in its order.
_COLUMNS = (int, str, str, int, int, str, str, str, int, str, str | None)


def is_live(record: LeaseRecord, time: TimeSource) -> bool:
    """Whether the holder may still be driving."""
    if record.released_utc is not None or presence(record.process) == "gone":
        return False
    if record.process.boot_id == time.boot_id():
        return time.boottime_ms() < record.expires_boottime_ms
    if record.host == os.uname().nodename and record.process.pid_namespace == _our_namespace():
        return False  # this very host has rebooted since
    return time.utc() < record.expires_utc


def claim(database: Database, run: str, holder: Holder, time: TimeSource) -> Lease:
    """Take the lease within a transaction. Raises LeaseHeld."""
    record = read(database, run)
    if record is not None and is_live(record, time):
        raise LeaseHeld(
            f"run {run} is driven by {record.holder} (pid {record.process.pid} on {record.host}) "
            f"until {record.expires_utc} or its renewal; wait, or stop that process"
        )
    token, taken_ms = FIRST_TOKEN if record is None else record.token + 1, time.boottime_ms()
    database.put(
        "INSERT OR REPLACE INTO leases VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
        (
            run,
            token,
            holder.id,
            holder.host,
            holder.process.boot_id,
            holder.process.pid_namespace,
            holder.process.pid,
            holder.process.start_time,
            time.utc(),
            *_expiry(time),
        ),
    )
    return Lease(run, holder.id, token, taken_ms)


def hold(database: Database, lease: Lease, time: TimeSource) -> None:
    """Prove within a transaction that `lease` is current, and renew it. Raises LeaseLost."""
    _prove(database, lease)
    database.put(
        "UPDATE leases SET expires_boottime_ms = ?, expires_utc = ? WHERE run = ?", (*_expiry(time), lease.run)
    )


def hold_in_passing(database: Database, lease: Lease, time: TimeSource) -> None:
    """As `hold`, but a lease that was renewed a moment ago stays as it is. Raises LeaseLost."""
    expires_ms = _prove(database, lease)
    if expires_ms - time.boottime_ms() <= LEASE_DURATION_MS - RENEW_IN_PASSING_MS:
        hold(database, lease, time)


def _prove(database: Database, lease: Lease) -> int:
    """When `lease`, which is current, expires. Raises LeaseLost."""
    row = database.row(
        "SELECT token, holder, released_utc, expires_boottime_ms FROM leases WHERE run = ?", (lease.run,)
    )
    if row is not None and tuple(row[:3]) == (lease.token, lease.holder, None):
        return int(row[3])
    record = read(database, lease.run)
    by = f"{record.holder} (pid {record.process.pid} on {record.host})" if record else "nobody"
    raise LeaseLost(f"the lease of run {lease.run} is lost: {by} holds it now; nothing was written")


def release(database: Database, lease: Lease, time: TimeSource) -> None:
    """Give the lease back within a transaction; its record stays. Not ours any more: nothing to give."""
    database.put(
        "UPDATE leases SET released_utc = ? WHERE run = ? AND token = ? AND released_utc IS NULL",
        (time.utc(), lease.run, lease.token),
    )


def _expiry(time: TimeSource) -> tuple[int, str]:
    from datetime import datetime, timedelta

    wall = datetime.fromisoformat(time.utc()) + timedelta(milliseconds=LEASE_DURATION_MS)
    expires_utc = wall.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return time.boottime_ms() + LEASE_DURATION_MS, expires_utc


def _our_namespace() -> str:
    from akm.dispatch.identity import pid_namespace

    return pid_namespace()
