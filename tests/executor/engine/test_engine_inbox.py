"""What other processes send to a run, while it is driven and while it is not."""

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest

from akm.engine import inbox
from akm.engine.driver import Limits
from akm.engine.inbox import Draft
from akm.engine.standing import Cause, Exit
from akm.engine.verification import verify
from akm.journal.store import Store

Eventually = Callable[[Callable[[], Any]], Any]

TOOLS = r"""
tool held   { argv ["sh", "-c", "echo $AKM_ATTEMPT >> marks; echo $$ >> pids; sleep 300"], effect read_only }
tool unsure { argv ["sh", "-c", "echo $AKM_ATTEMPT >> marks; echo $$ >> pids; sleep 300"] }
tool wheel {
  argv [
    "sh", "-c",
    "until test -e go; do sleep 0.01; done; echo content > out.whl; echo '{\"wheel\": \"out.whl\"}'"
  ]
  effect read_only
}
"""
APPROVAL = """
  step ask: approval { by alice, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed }
"""
SIGNAL = "step hear: wait signal news { timeout 1h, on passed -> completed, on expired -> failed }"
BUILD = """
  step build: exec wheel {
    output { wheel: file }
    evidence wheel: artifact
    on passed -> completed
  }
"""
#: Sends signals faster than anyone would, until the run has ended, and tells how many were accepted.
HAMMER = """
import sys, time
from pathlib import Path
from akm.journal.faults import RunEnded
from akm.journal.store import Store
from akm.engine.inbox import signal

store, sent = Store(Path(sys.argv[1]), create=False), 0
try:
    while sent < 450:
        draft = signal("news", sent, f"{sys.argv[2]} {sent}")
        store.post("r", draft.key, draft.kind, draft.body)
        sent += 1
        time.sleep(0.001)
except RunEnded:
    pass
print(sent)
"""
STAY = Limits(wait=True)


def send(store: Store, draft: Draft) -> None:
    store.post("r", draft.key, draft.kind, draft.body)


def shown(store: Store) -> str:
    """The hash of what the pending approval shows."""
    active = store.load("r").state.active
    assert active is not None
    return str(active.shown)


def approval(store: Store, *, approve: bool = True, by: str = "alice") -> Draft:
    return inbox.decision("ask#1", approve=approve, by=by, reason="looked", shown=shown(store))


class Sender:
    """Another process, on a thread: once the run is as it waits for, it sends."""

    def __init__(self, workshop: Any, eventually: Eventually, status: str, draft: Callable[[Store], Draft]) -> None:
        def act() -> None:
            with closing(Store(workshop.directory, create=False)) as store:
                eventually(lambda: store.run("r").status == status)
                eventually(lambda: status != "running" or workshop.lines("pids"))
                send(store, draft(store))

        self._thread = threading.Thread(target=act)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._thread.join()


@pytest.mark.parametrize(("approve", "expected"), [(True, Exit.COMPLETED), (False, Exit.FAILED)])
def test_a_driver_that_stays_takes_a_decision(
    workshop: Any, frozen_of: Any, eventually: Eventually, approve: bool, expected: Exit
) -> None:
    driver = workshop.new(frozen_of(APPROVAL, TOOLS), STAY)
    with Sender(workshop, eventually, "waiting", lambda store: approval(store, approve=approve)):
        assert driver.drive().exit is expected
    assert "decision.recorded" in [one.event.name for one in workshop.history()]


def test_a_decision_of_someone_else_is_refused_and_the_run_waits_on(workshop: Any, frozen_of: Any) -> None:
    workshop.new(frozen_of(APPROVAL, TOOLS)).drive()
    store = workshop.store()
    send(store, approval(store, by="mallory"))
    assert workshop.resumed().cause is Cause.WAITING
    assert "decision.refused" in [one.event.name for one in workshop.history()]
    assert store.inbox("r") == []


def test_a_parked_run_takes_what_came_meanwhile_when_it_is_resumed(workshop: Any, frozen_of: Any) -> None:
    standing = workshop.new(frozen_of(APPROVAL, TOOLS)).drive()
    assert (standing.exit, standing.cause) == (Exit.PARKED, Cause.WAITING)
    store = workshop.store()
    assert store.is_driven("r") is False
    send(store, approval(store))
    assert workshop.resumed().exit is Exit.COMPLETED


def test_a_driver_that_stays_takes_a_signal(workshop: Any, frozen_of: Any, eventually: Eventually) -> None:
    driver = workshop.new(frozen_of(SIGNAL, TOOLS), STAY)
    with Sender(workshop, eventually, "waiting", lambda store: inbox.signal("news", 7, "1")):
        assert driver.drive().exit is Exit.COMPLETED


def test_a_run_that_waits_is_cancelled(workshop: Any, frozen_of: Any, eventually: Eventually) -> None:
    driver = workshop.new(frozen_of(SIGNAL, TOOLS), STAY)
    with Sender(workshop, eventually, "waiting", lambda store: inbox.cancel("alice", "enough")):
        assert driver.drive().exit is Exit.CANCELLED
    workshop.history()


def test_a_run_that_works_is_cancelled_and_its_tool_is_stopped(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    driver = workshop.new(frozen_of("step one: exec held { on passed -> completed }", TOOLS))
    with Sender(workshop, eventually, "running", lambda store: inbox.cancel("alice", "enough")):
        assert driver.drive().exit is Exit.CANCELLED
    assert (workshop.left(), workshop.lines("marks")) == ([], ["one#1/1"])
    workshop.history()


def test_a_cancel_does_not_hide_that_an_effect_is_uncertain(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    driver = workshop.new(frozen_of("step one: exec unsure { on passed -> completed }", TOOLS))
    with Sender(workshop, eventually, "running", lambda store: inbox.cancel("alice", "enough")):
        assert driver.drive().exit is Exit.BLOCKED
    assert workshop.left() == []


@pytest.mark.parametrize(
    ("action", "reference", "expected"),
    [
        ("mark-completed", "seen in the log", Exit.COMPLETED),
        ("mark-failed", None, Exit.FAILED),
        ("cancel", "undone by hand", Exit.CANCELLED),
        ("mark-completed", None, Exit.BLOCKED),
    ],
)
def test_a_blocked_run_is_settled_by_a_resolution(
    workshop: Any, frozen_of: Any, eventually: Eventually, action: str, reference: str | None, expected: Exit
) -> None:
    driver = workshop.new(frozen_of("step one: exec unsure { on passed -> completed }", TOOLS))
    thread = threading.Thread(target=lambda: (eventually(lambda: workshop.lines("pids")), driver.interrupt()))
    thread.start()
    driver.drive()
    thread.join()
    store = workshop.store()
    assert store.run("r").status == "blocked_uncertain"
    send(store, inbox.resolution("one#1/1", action=action, by="alice", reason="x", reference=reference, nth=0))
    assert workshop.resumed().exit is expected
    assert workshop.lines("marks") == ["one#1/1"]
    workshop.history()


def test_what_is_sent_as_a_run_ends_is_recorded_or_refused_and_never_vanishes(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    driver = workshop.new(frozen_of(BUILD, TOOLS))
    argv = [sys.executable, "-c", HAMMER, str(workshop.directory)]
    hammers = [subprocess.Popen([*argv, name], stdout=subprocess.PIPE) for name in ("a", "b")]

    def end_the_tool() -> None:
        with closing(Store(workshop.directory, create=False)) as store:
            eventually(lambda: all(store.posted("r", f"signal {name} ") > 10 for name in ("a", "b")))
        (workshop.workspace / "go").touch()

    thread = threading.Thread(target=end_the_tool)
    thread.start()
    assert driver.drive().exit is Exit.COMPLETED
    thread.join()
    accepted = sum(int(hammer.communicate(timeout=60)[0]) for hammer in hammers)
    told = [one.event.name for one in workshop.history()]
    assert sum(told.count(name) for name in ("signal.received", "signal.refused", "command.unread")) == accepted
    assert workshop.store().inbox("r") == []
    report = verify(workshop.store(), "r")
    assert (report.files, report.violations) == (1, ())
