"""Drivers that are killed: whatever the moment, the run goes on to the same end, and no effect happens twice
that may not."""

import random
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from akm.engine import inbox
from akm.engine.standing import Exit
from akm.kernel.digest import digest

#: Each takes effect by writing its key, in the middle of its short life.
ACT = "sleep 0.03; echo $AKM_IDEMPOTENCY_KEY >> marks; sleep 0.03"
#: Whether its key is there.
ASK = (
    r"grep -qs $AKM_IDEMPOTENCY_KEY marks "
    r"""&& echo '{\"found\": true, \"receipt\": 1}' || echo '{\"found\": false}'"""
)
TOOLS = rf"""
tool read   {{ argv ["sh", "-c", "{ACT}"], effect read_only }}
tool put    {{ argv ["sh", "-c", "{ACT}"], effect external_idempotent }}
tool upload {{
  argv ["sh", "-c", "{ACT}"]
  effect receipt_queryable
  receipt ["sh", "-c", "{ASK}"]
}}
tool edit   {{ argv ["sh", "-c", "{ACT}"], effect workspace_mutation }}
tool pay    {{ argv ["sh", "-c", "{ACT}"], effect external_non_idempotent }}
tool shell  {{ argv ["sh", "-c", "{ACT}"] }}
tool held   {{ argv ["sh", "-c", "echo $$ >> pids; echo x >> marks; sleep 300"], effect read_only }}
"""
#: Steps of a run that is killed at random, and drivers after which it has to be over.
STEPS, DRIVERS_MAX = 8, 60


def chain(tool: str, recover: str = "") -> str:
    """Steps in a row."""
    targets = [f"s{number}" for number in range(1, STEPS)] + ["completed"]
    return "\n".join(
        f"  step s{number}: exec {tool} {{ {recover} on passed -> {target} }}"
        for number, target in enumerate(targets)
    )


def uninterrupted(workshop: Any, frozen: Any) -> str:
    """The digest of a run that nothing disturbs."""
    driver = workshop.new(frozen)
    driver.drive()
    return digest(workshop.history())


def test_a_driver_killed_after_each_of_its_commits_repeats_nothing(
    workshop_in: Callable[[str], Any], frozen_of: Any
) -> None:
    frozen = frozen_of("\n".join(_each("read", "put", "upload", "shell")), TOOLS)
    expected = uninterrupted(workshop_in("undisturbed"), frozen)
    workshop = workshop_in("killed")
    killed = 0
    while (child := workshop.child(frozen, DIE_AT_COMMIT="1")).wait(60) < 0:
        killed += 1
        assert killed < DRIVERS_MAX
    assert child.returncode == Exit.COMPLETED
    assert killed >= 6, "the preparation, and a commit for each step"
    assert len(workshop.lines("marks")) == len(set(workshop.lines("marks"))) == 4
    assert digest(workshop.history()) == expected


def _each(*tools: str) -> list[str]:
    targets = [*tools[1:], "completed"]
    return [
        f"  step {tool}: exec {tool} {{ on passed -> {target} }}"
        for tool, target in zip(tools, targets, strict=True)
    ]


def killed_at_random(
    workshop: Any, frozen: Any, chance: random.Random, and_then: Callable[[], None] = lambda: None
) -> tuple[int, int]:
    """Drive a run whose drivers are killed, until it stands: how it stands, and how many were killed."""
    for crashes in range(DRIVERS_MAX):
        child = workshop.child(frozen)
        while child.poll() is None and not workshop.is_driven_by(child):
            time.sleep(0.005)
        time.sleep(chance.uniform(0.0, 0.2))
        child.kill()
        code = child.wait(60)
        and_then()
        if code >= 0:
            assert workshop.left() == []
            return code, crashes
    raise AssertionError("the run does not come to an end")


@pytest.mark.parametrize("tool", ["read", "edit", "put", "upload", "shell", "pay"])
def test_a_run_that_is_killed_at_random_comes_to_the_same_end_and_does_nothing_twice(
    workshop_in: Callable[[str], Any], frozen_of: Any, tool: str
) -> None:
    frozen = frozen_of(chain(tool), TOOLS)
    expected = uninterrupted(workshop_in("undisturbed"), frozen)
    seed = random.randrange(2**32)
    workshop = workshop_in("killed")
    code, crashes = killed_at_random(workshop, frozen, random.Random(seed))
    print(f"seed {seed}: {crashes} crashes")
    assert (code, crashes > 0) == (Exit.COMPLETED, True)
    assert digest(workshop.history()) == expected
    counted = Counter(workshop.lines("marks"))
    assert len(counted) == STEPS
    assert set(counted.values()) == {1}


def test_an_effect_of_unknown_outcome_is_never_repeated_whenever_its_driver_and_supervisor_are_killed(
    workshop: Any, frozen_of: Any
) -> None:
    frozen = frozen_of(chain("shell"), TOOLS)
    seed = random.randrange(2**32)
    chance, crashes, blocked = random.Random(seed), 0, 0
    while True:
        code, more = killed_at_random(workshop, frozen, chance, workshop.kill_supervisors)
        crashes += more
        if code != Exit.BLOCKED:
            break
        blocked += 1
        resolve(workshop, blocked)
    print(f"seed {seed}: {crashes} crashes, {blocked} times blocked")
    assert (code, crashes > 0) == (Exit.COMPLETED, True)
    marks = workshop.lines("marks")
    assert len(marks) == len(set(marks))
    assert len(marks) >= STEPS - blocked, "a blocked one may not have acted; every other has"
    workshop.history()


def resolve(workshop: Any, nth: int) -> None:
    """A person looks, and says that the work is done."""
    store = workshop.store()
    (effect,) = [one.id for one in store.load("r").state.effects.values() if one.status == "blocked_uncertain"]
    draft = inbox.resolution(effect, action="mark-completed", by="alice", reason="saw it", reference="it", nth=nth)
    store.post("r", draft.key, draft.kind, draft.body)


def test_recoveries_that_are_used_up_fail_the_step(workshop: Any, frozen_of: Any, eventually: Any) -> None:
    frozen = frozen_of("step one: exec held { recover 2, on passed -> completed }", TOOLS)
    for number in range(1, 4):
        child = workshop.child(frozen)
        eventually(lambda number=number: len(workshop.lines("marks")) == number)
        child.kill()
        child.wait(60)
        workshop.kill_supervisor("one.1", number)
    assert workshop.child(frozen).wait(60) == Exit.FAILED
    assert len(workshop.lines("marks")) == 3
    assert workshop.left() == []
    workshop.history()
