"""A driver whose lease another process has taken writes nothing, starts nothing, and leaves nothing running."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import psutil
import pytest

from akm.engine import driver as drivers
from akm.engine.standing import Exit
from akm.journal.faults import LeaseHeld, LeaseLost
from akm.journal.lease import Lease, this_process
from akm.journal.store import Store

Eventually = Callable[[Callable[[], Any]], Any]

#: Each takes effect by writing a line, then runs until the file `go` is there, with a child.
HELD = "echo $AKM_ATTEMPT >> marks; echo $$ >> pids; until test -e go; do sleep 0.05; done"
TOOLS = f"""
tool held   {{ argv ["sh", "-c", "{HELD}"], effect read_only }}
tool unsure {{ argv ["sh", "-c", "{HELD}"] }}
tool mark   {{ argv ["sh", "-c", "echo $AKM_ATTEMPT >> marks"] }}
"""
LEASE_MS = 1_500


def step(tool: str) -> str:
    return f"step one: exec {tool} {{ on passed -> completed }}"


class Thief:
    """Takes the lease of run `r` once it has run out, which it does at once on its own clock."""

    def __init__(self, workshop: Any, hand_time: Any) -> None:
        self._workshop, self._time = workshop, hand_time
        self.lease: Lease | None = None

    def take(self) -> None:
        """Opens its own store, as another process does."""
        with closing(Store(self._workshop.directory, create=False, time=self._time)) as store:
            record = store.lease("r")
            assert record is not None
            self._time.boottime = record.expires_boottime_ms
            self.lease = store.claim("r", this_process())


@pytest.fixture
def stolen(workshop: Any, hand_time: Any, eventually: Eventually) -> Iterator[Thief]:
    """The lease is taken on another thread as soon as a tool runs."""
    thief = Thief(workshop, hand_time)

    def steal() -> None:
        eventually(lambda: workshop.lines("pids"))
        thief.take()

    thread = threading.Thread(target=steal)
    thread.start()
    yield thief
    thread.join()


@pytest.mark.parametrize("tool", ["held", "unsure"])
def test_a_driver_that_lost_its_lease_records_no_result(
    workshop: Any, frozen_of: Any, stolen: Thief, eventually: Eventually, tool: str
) -> None:
    driver = workshop.new(frozen_of(step(tool), TOOLS))

    def end_the_tool() -> None:
        eventually(lambda: stolen.lease)
        (workshop.workspace / "go").touch()

    thread = threading.Thread(target=end_the_tool)
    thread.start()
    with pytest.raises(LeaseLost, match="nothing was written"):
        driver.drive()
    thread.join()
    assert stolen.lease is not None
    assert {one.token for one in workshop.history()} == {1}
    assert "assignment.record_result" not in [one.event.name for one in workshop.history()]
    assert workshop.left() == []
    workshop.store().renew(stolen.lease)


def test_a_driver_finds_out_while_its_tool_still_runs_and_stops_it(
    workshop: Any, frozen_of: Any, stolen: Thief, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drivers, "RENEW_INTERVAL_MS", 50)
    driver = workshop.new(frozen_of(step("held"), TOOLS))
    with pytest.raises(LeaseLost):
        driver.drive()
    assert workshop.left() == []
    assert workshop.lines("marks") == ["one#1/1"]
    assert stolen.lease is not None
    workshop.store().renew(stolen.lease)


def test_a_second_driver_is_refused_while_the_first_one_lives(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    first = workshop.child(frozen_of(step("held"), TOOLS))
    eventually(lambda: workshop.lines("pids"))
    with pytest.raises(LeaseHeld, match=f"pid {first.pid} "):
        workshop.resumed()
    with pytest.raises(LeaseHeld):
        workshop.new(frozen_of(step("held"), TOOLS))
    (workshop.workspace / "go").touch()
    assert first.wait(60) == Exit.COMPLETED
    assert workshop.lines("marks") == ["one#1/1"]


def frozen_in_place(process: Any) -> bool:
    return bool(psutil.Process(process.pid).status() == psutil.STATUS_STOPPED)


def woken(process: Any) -> str:
    """What a driver says that slept through the loss of its lease."""
    process.send_signal(signal.SIGCONT)
    _, error = process.communicate(timeout=60)
    assert process.returncode != 0
    return str(error.decode())


def test_a_driver_that_slept_before_it_started_a_tool_does_not_start_it(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    plan = frozen_of(step("mark"), TOOLS)
    sleeper = workshop.child(plan, LEASE_MS=str(LEASE_MS), STOP_AFTER="attempt.start")
    eventually(lambda: frozen_in_place(sleeper))
    assert workshop.lines("marks") == []
    assert taken_over(workshop, eventually).exit is Exit.COMPLETED
    assert "LeaseLost" in woken(sleeper)
    assert workshop.lines("marks") == ["one#1/1"], "an effect that may not happen twice"
    assert [one.token for one in workshop.history()][-1] == 2


def test_a_driver_that_slept_while_its_tool_ran_neither_records_its_end_nor_stops_it(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    plan = frozen_of(step("unsure"), TOOLS)
    sleeper = workshop.child(plan, LEASE_MS=str(LEASE_MS))
    eventually(lambda: workshop.lines("pids"))
    sleeper.send_signal(signal.SIGSTOP)
    eventually(lambda: frozen_in_place(sleeper))

    def wake_then_end_the_tool() -> None:
        eventually(lambda: reattached(workshop))
        assert "LeaseLost" in woken(sleeper)
        assert workshop.left() != [], "the tool is no longer the sleeper's to stop"
        (workshop.workspace / "go").touch()

    thread = threading.Thread(target=wake_then_end_the_tool)
    thread.start()
    assert taken_over(workshop, eventually).exit is Exit.COMPLETED
    thread.join()
    assert workshop.lines("marks") == ["one#1/1"]
    assert {one.token for one in workshop.history()} == {1, 2}
    assert workshop.left() == []


def reattached(workshop: Any) -> bool:
    """Whether a driver has gone on with what another started."""
    with closing(Store(workshop.directory, create=False)) as store:
        return "attempt.reattach" in [one.event.name for one in store.recorded("r")]


def taken_over(workshop: Any, eventually: Eventually) -> Any:
    """The run driven on here, once the lease of who slept has run out."""

    def drive() -> Any:
        try:
            return workshop.resumed()
        except LeaseHeld:
            return None

    return eventually(drive)


def test_a_dead_driver_is_replaced_at_once_and_its_tool_goes_on(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    dead = workshop.child(frozen_of(step("held"), TOOLS))
    eventually(lambda: workshop.lines("pids"))
    dead.kill()
    dead.communicate()
    assert workshop.left() != []
    record = workshop.store().lease("r")
    assert record is not None
    assert record.released_utc is None
    go_on = threading.Thread(
        target=lambda: (eventually(lambda: reattached(workshop)), (workshop.workspace / "go").touch())
    )
    go_on.start()
    assert workshop.resumed().exit is Exit.COMPLETED
    go_on.join()
    assert workshop.lines("marks") == ["one#1/1"]
    assert workshop.left() == []
