"""`akm cancel`: whatever the run is doing, in the end nothing of it runs."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

HOLD = "step a: exec hold { recover 9, on passed -> completed }"
PAY = "step pay: exec pay { on passed -> completed }"
SIGN = """
  step sign: approval {
    by alice, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed
  }
"""
#: Starts grandchildren that leave group, session and environment, ignore SIGTERM and outlive their parents.
DAEMONS = """
import os, sys, time
AGAIN = "import os, signal, time; signal.signal(15, 1); print(os.getpid(), file=open('pids', 'a')); time.sleep(600)"
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork():
            os._exit(0)
        os.execve(sys.executable, ["daemon", "-c", AGAIN], {})
time.sleep(600)
"""


def alive(pid: int) -> bool:
    try:
        return b") Z" not in Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False


def test_a_parked_run_is_cancelled_at_once(person: "Person") -> None:
    person.parked(SIGN)
    assert person.told("cancel", "r", "--reason", "no longer needed", code=3)["status"] == "cancelled"
    (asked,) = person.events("cancel.requested")
    assert asked["message"] == "no longer needed"
    person.does("verify", "r")
    person.does("resume", "r", code=3)


def test_a_running_run_is_cancelled_by_the_process_that_drives_it(person: "Person") -> None:
    engine = person.holds(HOLD)
    told = person.told("cancel", "r")
    assert told["cancel"] == "requested"
    assert engine.wait(60) == 3
    assert person.told("status", "r")["status"] == "cancelled"
    assert person.living() == []


def test_a_second_request_changes_nothing(person: "Person") -> None:
    engine = person.holds(HOLD)
    person.does("cancel", "r", "--reason", "one")
    person.akm("cancel", "r", "--reason", "two")
    assert engine.wait(60) == 3
    assert [asked["message"] for asked in person.events("cancel.requested")] == ["one"]


def test_a_run_that_has_completed_cannot_be_cancelled(person: "Person") -> None:
    person.does("run", person.plan("step a: exec good { on passed -> completed }"), "--id", "r")
    before = person.told("log", "r")
    assert "has ended" in person.does("cancel", "r", code=2).err
    assert person.told("log", "r") == before


def test_cancelling_twice_is_cancelling_once(person: "Person") -> None:
    person.parked(SIGN)
    person.does("cancel", "r", code=3)
    before = person.told("log", "r")
    person.does("cancel", "r", code=3)
    assert person.told("log", "r") == before


def test_a_run_whose_engine_was_killed_is_cancelled_and_what_it_left_is_stopped(person: "Person") -> None:
    engine = person.holds(HOLD)
    engine.kill()
    engine.wait()
    person.does("cancel", "r", code=3)
    assert person.living() == []
    person.does("verify", "r")


def test_a_run_that_owns_an_uncertain_effect_is_blocked_not_cancelled(person: "Person") -> None:
    engine = person.holds(PAY)
    engine.kill()
    engine.wait()
    assert person.told("cancel", "r", code=5)["status"] == "blocked_uncertain"
    effect = person.told("status", "r")["uncertain"][0]["effect"]
    person.does("resolve", "r", effect, "--action", "mark-failed", "--as", "alice", "--reason", "not paid")
    assert person.told("resume", "r", code=3)["status"] == "cancelled"


def test_no_grandchild_is_alive_when_the_run_shows_cancelled(person: "Person") -> None:
    person.write("daemons.py", DAEMONS)
    registry = f'tool daemons {{ argv ["{sys.executable}", "daemons.py"], effect read_only }}\n'
    plan = person.plan("step a: exec daemons { on passed -> completed }", registry)
    engine = person.begins("run", plan, "--id", "r")
    pids = person.here / "pids"
    person.until(lambda: pids.exists() and len(pids.read_text().split()) == 3)
    daemons = [int(pid) for pid in pids.read_text().split()]
    assert all(alive(pid) and os.getsid(pid) != os.getsid(engine.pid) for pid in daemons)
    person.does("cancel", "r")
    person.until(lambda: person.told("status", "r")["status"] == "cancelled")
    assert not [pid for pid in daemons if alive(pid)]
    assert engine.wait(60) == 3
