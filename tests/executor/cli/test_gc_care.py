"""`akm gc` when it is killed, and what it must leave: a store is whole after any moment."""

import random
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

GOOD = "step a: exec good { on passed -> completed }"
RUNS, KILLS = 6, 6
GC = ("gc", "--older-than", "0s", "--yes")
ASKS = """
  step ok: approval {
    by [alice], timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed
  }
"""
PARENT = (
    """
  step ship: workflow "child.akm" { on completed -> ok, on cancelled -> cancelled }
"""
    + ASKS
)


def test_a_removal_that_is_killed_at_random_moments_leaves_whole_runs(person: "Person", seed: str) -> None:
    plan = person.plan(GOOD)
    for number in range(RUNS):
        person.does("run", plan, "--id", f"r{number}")
    moment = random.Random(seed)
    for _ in range(KILLS):
        person.kills(person.begins(*GC), moment.uniform(0, 0.4))
        person.does("verify")
        assert all(not row["damaged"] for row in person.told("list"))
    person.does(*GC)
    assert person.told("list") == []
    assert list((person.here / ".akm" / "runs").iterdir()) == []
    person.does("verify")


def test_a_child_that_has_ended_stays_as_long_as_its_parent_goes_on(person: "Person") -> None:
    person.write("child.akm", f'workflow child "Child" {{\n{GOOD}\n}}\n')
    person.does("run", person.plan(PARENT), "--id", "r", code=4)
    assert len(person.told("list")) == 2
    assert person.told(*GC)["removed"] == []
    person.does("approve", "r", "ok", "--as", "alice")
    person.does("resume", "r")
    assert len(person.told(*GC)["removed"]) == 2


def test_output_that_is_no_text_in_any_locale_is_kept_byte_for_byte(person: "Person") -> None:
    told = b"\x90\x9d\xff \xe2\x9c\x93"
    program = f"import sys; sys.stdout.buffer.write({told!r})"
    registry = f'tool tells {{ argv ["{sys.executable}", "tells.py"], effect read_only }}'
    person.write("tells.py", program)
    plan = person.plan("step a: exec tells { on passed -> completed }", registry)
    assert person.akm("run", plan, "--id", "r", LANG="C", LC_ALL="C").code == 0
    assert (person.here / ".akm/runs/r/a.1.1/stdout").read_bytes() == told
    person.does("verify", "r")
