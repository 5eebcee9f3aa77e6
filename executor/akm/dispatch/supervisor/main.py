"""The supervisor's program: one request after the other, each seen through, until the engine asks no more.

It takes the next request only when nothing of the last process is left, so there is one family at a time. The
engine reads each end in a pipe, and from then on it is the engine's to bring it to the disk: its next request says
that it has. Where none comes soon, or none can come any more, the supervisor does it.
"""

import os
import select
import signal
from typing import Any

from akm.dispatch import record
from akm.dispatch.host import host_table
from akm.dispatch.identity import identify
from akm.dispatch.supervisor.life import Host, Life
from akm.dispatch.supervisor.request import receive
from akm.dispatch.supervisor.spawn import NotSpawned, ours
from akm.dispatch.table import ProcessTable

REQUESTS, REPLIES = 0, 1
#: How long an engine may take to bring an end to the disk before the supervisor does it, in milliseconds.
FLUSH_AFTER_MS = 100


def main() -> None:
    """Serve the engine that started us."""
    host = prepare(host_table())
    life: Life | None = None
    while True:
        if life is not None and not select.select([REQUESTS], [], [], FLUSH_AFTER_MS / 1000)[0]:
            life.flush()
        request = receive(REQUESTS)
        if life is not None:
            if request is None:
                life.flush()
            life.close()
        if request is None:
            return
        life = Life(request, host)
        if not _lives(life):
            life.flush()
            return


def _lives(life: Life) -> bool:
    """See `life` through and tell its end; whether we may serve another."""
    try:
        end = life.run()
    except NotSpawned as failure:
        _reply("refused", {"code": failure.code})
        return True
    _reply("ended", end)
    return not end["survivors"] and not life.handed_over


def _reply(kind: str, content: dict[str, Any]) -> None:
    try:
        os.write(REPLIES, record.line(kind, content))
    except BrokenPipeError:
        return  # that engine is gone; the record tells the next one


def prepare(table: ProcessTable) -> Host:
    """Make ourselves deaf to everything but what our engine asks, and the parent of what is left of others."""
    ignored = [
        number
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.signal(number, signal.SIG_IGN) is signal.SIG_IGN
    ]
    heard, woken = os.pipe()
    os.set_blocking(heard, False)
    os.set_blocking(woken, False)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGUSR1):
        signal.signal(number, lambda *_: None)
    us = identify(os.getpid())
    assert us is not None, "we are there"
    return Host(table, table.adopt_orphans(), heard, ours(ignored), us._asdict())
