"""What suspend, a reboot and a wall clock that is set mean for a run: what the engine's page says of each."""

import os
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from akm.engine.driver import Limits
from akm.engine.opening import Host, open_existing, open_new
from akm.engine.standing import Cause, Exit, Standing
from akm.engine.watcher import Watcher

HOUR_MS = 3_600_000
APPROVAL = """limits { duration 9d }
step a: approval { by alice, timeout 90m, on passed -> completed
  on rejected -> failed, on expired -> cancelled }"""
WAIT = """limits { duration 9d }
step a: wait 90m { on passed -> completed }"""
WORK = """limits { duration 9d }
step a: exec held { on passed -> completed }"""
SHORT = """limits { duration 1h }
step a: exec held { on passed -> completed }"""
AGENT = """limits { duration 9d, agent_time 1h }
step a: agent ann { prompt "Think.", on passed -> completed }"""
TOOLS = r"""
tool held {
  argv ["sh", "-c", "touch began; until test -e go; do sleep 0.02; done; echo '{\"outcome\": \"passed\"}'"]
  effect read_only
  timeout 30m
}
agent ann { tool held }
"""


class Machine:
    """One whose clocks are moved by hand, and a run `r` on it."""

    def __init__(self, workshop: Any, time: Any, frozen_of: Callable[..., Any]) -> None:
        self.workshop, self.time, self._frozen_of = workshop, time, frozen_of
        self.host = Host(dict(os.environ), time)

    def runs(self, steps: str) -> Standing:
        frozen, store = self._frozen_of(steps, TOOLS), self.workshop.store(self.time)
        opened = open_new(
            store, frozen, {"value": "x"}, "r", self.workshop.workspace, Limits(), Watcher(), self.host
        )
        return opened.drive()

    def goes_on(self) -> Standing:
        return open_existing(self.workshop.store(self.time), "r", Limits(), Watcher(), self.host).drive()

    def runs_while(self, steps: str, eventually: Any, happens: Callable[[], object]) -> Standing:
        """Something happens to the machine while the tool works, which then is let go."""
        place = self.workshop.workspace

        def happening() -> None:
            eventually((place / "began").exists)
            happens()
            (place / "go").touch()

        thread = threading.Thread(target=happening)
        thread.start()
        try:
            return self.runs(steps)
        finally:
            thread.join()

    def suspends(self, ms: int) -> None:
        self.time.passes(ms)

    def reboots(self, up_ms: int = 0, off: timedelta = timedelta()) -> None:
        """Off, and on again: the time since this boot is `up_ms`."""
        self.time.boot, self.time.boottime = f"after {self.time.boot}", up_ms
        self.time.wall += off


@pytest.fixture
def machine(workshop: Any, hand_time: Any, frozen_of: Callable[..., Any]) -> Machine:
    return Machine(workshop, hand_time, frozen_of)


@pytest.mark.parametrize(("steps", "due"), [(APPROVAL, Exit.CANCELLED), (WAIT, Exit.COMPLETED)])
def test_suspend_counts_for_what_waits(machine: Machine, steps: str, due: Exit) -> None:
    assert machine.runs(steps).cause is Cause.WAITING
    machine.suspends(HOUR_MS)
    assert machine.goes_on().cause is Cause.WAITING
    machine.suspends(HOUR_MS)
    assert machine.goes_on().exit is due


@pytest.mark.parametrize(("steps", "due"), [(APPROVAL, Exit.CANCELLED), (WAIT, Exit.COMPLETED)])
def test_after_a_reboot_what_was_recorded_and_the_time_since_boot_count(
    machine: Machine, steps: str, due: Exit
) -> None:
    machine.runs(steps)
    machine.suspends(HOUR_MS)  # nothing is recorded after it, so that the next boot cannot know of it
    machine.reboots(up_ms=HOUR_MS, off=timedelta(days=30))
    assert machine.goes_on().cause is Cause.WAITING
    machine.suspends(HOUR_MS)
    assert machine.goes_on().exit is due


@pytest.mark.parametrize("steps", [APPROVAL, WAIT])
@pytest.mark.parametrize("jump", [timedelta(days=400), timedelta(days=-400)])
def test_a_wall_clock_that_is_set_lets_nothing_fall_due(machine: Machine, steps: str, jump: timedelta) -> None:
    machine.runs(steps)
    machine.time.wall += jump
    assert machine.goes_on().cause is Cause.WAITING


def test_suspend_does_not_end_work_that_could_not_go_on(machine: Machine, eventually: Any) -> None:
    assert machine.runs_while(WORK, eventually, lambda: machine.suspends(2 * HOUR_MS)).exit is Exit.COMPLETED


def test_suspend_counts_for_how_long_a_run_may_take(machine: Machine, eventually: Any) -> None:
    standing = machine.runs_while(SHORT, eventually, lambda: machine.suspends(2 * HOUR_MS))
    assert standing.exit is Exit.FAILED
    assert standing.state.ending is not None
    assert "limits.duration" in standing.state.ending.message


def test_an_attempt_took_no_more_than_its_timeout_however_long_the_machine_slept(
    machine: Machine, eventually: Any
) -> None:
    standing = machine.runs_while(
        AGENT.replace(", agent_time 1h", ""), eventually, lambda: machine.suspends(HOUR_MS)
    )
    assert standing.exit is Exit.COMPLETED
    assert standing.state.counters.agent_time_ms == HOUR_MS // 2


def test_who_wakes_up_after_its_lease_finds_it_its_own_as_long_as_nobody_took_it(
    machine: Machine, eventually: Any
) -> None:
    """Two hours are more than the 90 seconds of a lease."""
    assert machine.runs_while(WORK, eventually, lambda: machine.suspends(2 * HOUR_MS)).exit is Exit.COMPLETED
    assert machine.workshop.store(machine.time).lease("r").token == 1
