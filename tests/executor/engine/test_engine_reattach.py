"""After the SIGKILL of a driver: what its supervisor still holds, or has stored, is what happened.

Each run is compared with one that nobody disturbed: outcome, digest, and how often each tool acted.
"""

import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from akm.dispatch.found import Supervised, look
from akm.dispatch.identity import is_alive
from akm.engine import inbox
from akm.engine.driver import Limits
from akm.engine.opening import open_existing, this_host
from akm.engine.standing import Exit
from akm.journal.store import Store
from akm.kernel.digest import digest

Eventually = Callable[[Callable[[], Any]], Any]

#: Takes effect, then runs until it may go on.
HELD = "echo $AKM_IDEMPOTENCY_KEY >> marks; echo $$ >> pids; until test -e go; do sleep 0.02; done"
CLASSES = {
    "read": "effect read_only",
    "edit": "effect workspace_mutation",
    "put": "effect external_idempotent",
    "upload": """effect receipt_queryable
      receipt ["sh", "-c", "echo asked >> asked; echo '{\\"found\\": true, \\"receipt\\": 1}'"]""",
    "shell": "",
    "pay": "effect external_non_idempotent",
}
#: Left its session and its environment; what stays behind only waits.
BARE = "setsid -f sh -c 'echo x >> pids; exec sleep 300'; exec sleep 300"
#: Writes a text of JSON that is longer than any pipe is, and that ends with a secret.
TELL = (
    r"echo $$ >> pids; printf '{\"text\": \"'; head -c 3000000 /dev/zero | tr '\\0' x;"
    r" until test -e go; do sleep 0.02; done; printf '%s\"}' $SECRET_NAME"
)
TOOLS = "\n".join(
    [f'tool {name} {{ argv ["sh", "-c", "{HELD}"]\n {effect}\n}}' for name, effect in CLASSES.items()]
    + [
        'tool mark { argv ["sh", "-c", "echo mark >> marks"], effect read_only }',
        f'tool bare {{ argv ["env", "-i", "sh", "-c", "{BARE}"] }}',
        f'tool tell {{ argv ["sh", "-c", "{TELL}"], env [SECRET_NAME] }}',
    ]
)


def steps(tool: str, clause: str = "") -> str:
    return f"""
      step one: exec {tool} {{ {clause} on passed -> two, on failed -> two, on timed_out -> failed }}
      step two: exec mark {{ on passed -> completed }}
    """


@pytest.fixture
def undisturbed(workshop_in: Callable[[str], Any]) -> Callable[[Any], str]:
    """The digest of a run of the plan that nothing disturbs."""

    def driven(frozen: Any, **ambient: str) -> str:
        workshop = workshop_in("undisturbed")
        (workshop.workspace / "go").touch()
        assert workshop.new(frozen, **ambient).drive().exit is Exit.COMPLETED
        return digest(workshop.history())

    return driven


def killed(workshop: Any, frozen: Any, eventually: Eventually, **settings: str) -> Supervised:
    """What is recorded of the first attempt, whose driver was killed while its tool runs."""
    driver = workshop.child(frozen, **settings)
    eventually(lambda: workshop.lines("pids"))
    driver.kill()
    driver.wait()
    found: Supervised = eventually(partial(named, workshop))
    return found


def named(workshop: Any) -> Supervised | None:
    """The record of the first attempt, once it names the process."""
    found = look(workshop.record("one.1").parent)
    return found if isinstance(found, Supervised) and found.process is not None else None


def released(workshop: Any, when: Callable[[], Any], eventually: Eventually) -> threading.Thread:
    """The tool may go on as soon as something is true."""
    thread = threading.Thread(target=lambda: (eventually(when), (workshop.workspace / "go").touch()))
    thread.start()
    return thread


def names(workshop: Any) -> list[str]:
    with closing(Store(workshop.directory, create=False)) as store:
        return [one.event.name for one in store.recorded("r")]


def reattached(workshop: Any, times: int = 1) -> bool:
    return names(workshop).count("attempt.reattach") == times


def ended(workshop: Any) -> Callable[[], bool]:
    """Looks whether the supervisor of the first attempt has stored its end."""

    def looks() -> bool:
        found = look(workshop.record("one.1").parent)
        return isinstance(found, Supervised) and found.end is not None and not is_alive(found.supervisor)

    return looks


@pytest.mark.parametrize("tool", CLASSES)
def test_a_tool_that_still_runs_goes_on_as_the_same_attempt(
    workshop: Any, frozen_of: Any, undisturbed: Any, eventually: Eventually, tool: str
) -> None:
    frozen = frozen_of(steps(tool), TOOLS)
    killed(workshop, frozen, eventually)
    thread = released(workshop, partial(reattached, workshop), eventually)
    assert workshop.resumed().exit is Exit.COMPLETED
    thread.join()
    assert names(workshop).count("attempt.create") == len(workshop.lines("marks")) == 2
    assert digest(workshop.history()) == undisturbed(frozen)
    assert (workshop.left(), workshop.lines("asked")) == ([], [])


@pytest.mark.parametrize("tool", CLASSES)
def test_an_end_that_nobody_watched_is_the_end(
    workshop: Any, frozen_of: Any, undisturbed: Any, eventually: Eventually, tool: str
) -> None:
    frozen = frozen_of(steps(tool), TOOLS)
    killed(workshop, frozen, eventually)
    (workshop.workspace / "go").touch()
    eventually(ended(workshop))
    assert workshop.left() == []
    assert workshop.resumed().exit is Exit.COMPLETED
    assert names(workshop).count("attempt.create") == len(workshop.lines("marks")) == 2
    assert digest(workshop.history()) == undisturbed(frozen)
    assert workshop.lines("asked") == []


@pytest.mark.parametrize(
    ("tool", "expected", "marks"),
    [
        *(("read", Exit.COMPLETED, 3), ("put", Exit.COMPLETED, 3), ("upload", Exit.COMPLETED, 2)),
        *(("edit", Exit.BLOCKED, 1), ("shell", Exit.BLOCKED, 1), ("pay", Exit.BLOCKED, 1)),
    ],
)
def test_without_its_supervisor_a_tool_is_stopped_and_its_class_decides(
    workshop: Any, frozen_of: Any, eventually: Eventually, tool: str, expected: Exit, marks: int
) -> None:
    killed(workshop, frozen_of(steps(tool), TOOLS), eventually)
    workshop.kill_supervisor("one.1")
    thread = released(workshop, lambda: "attempt.lose" in names(workshop), eventually)
    assert workshop.resumed().exit is expected
    thread.join()
    assert "attempt.reattach" not in names(workshop)
    assert len(workshop.lines("marks")) == marks
    assert workshop.left() == []
    workshop.history()


@pytest.mark.parametrize("tool", ["shell", "pay"])
def test_a_supervisor_that_is_killed_under_a_living_driver_leaves_it_to_the_class(
    workshop: Any, frozen_of: Any, eventually: Eventually, tool: str
) -> None:
    driver = workshop.new(frozen_of(steps(tool), TOOLS))
    thread = threading.Thread(
        target=lambda: (eventually(lambda: workshop.lines("pids")), workshop.kill_supervisor("one.1"))
    )
    thread.start()
    assert driver.drive().exit is Exit.BLOCKED
    thread.join()
    assert (workshop.left(), len(workshop.lines("marks"))) == ([], 1)


def test_output_that_was_written_meanwhile_is_whole_and_masked(
    workshop: Any, frozen_of: Any, undisturbed: Any, eventually: Eventually
) -> None:
    secret = {"SECRET_NAME": "hunter2-hunter2"}
    frozen = frozen_of(steps("tell", "output { text: string },"), TOOLS)
    killed(workshop, frozen, eventually, **secret)
    thread = released(workshop, partial(reattached, workshop), eventually)
    assert workshop.resumed(**secret).exit is Exit.COMPLETED
    thread.join()
    (result, _) = [one.event.data["result"] for one in workshop.history() if "result" in one.event.data]
    assert (len(result["output"]["text"]), result["output"]["text"][-5:]) == (3_000_003, "xx***")
    assert digest(workshop.history()) == undisturbed(frozen, **secret)
    stored = b"".join(path.read_bytes() for path in workshop.directory.rglob("*") if path.is_file())
    assert b"hunter2" not in stored


def test_a_tool_that_nobody_watches_ends_at_its_timeout(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    killed(workshop, frozen_of(steps("shell", "timeout 1s,"), TOOLS), eventually)
    eventually(ended(workshop))
    assert workshop.left() == []
    assert workshop.resumed().exit is Exit.FAILED
    (result,) = [one.event.data["result"] for one in workshop.history() if "result" in one.event.data]
    assert result["code"] == "timed_out"


@pytest.mark.parametrize(("tool", "expected"), [("edit", Exit.CANCELLED), ("shell", Exit.BLOCKED)])
def test_a_cancelled_run_stops_what_an_earlier_driver_started(
    workshop: Any, frozen_of: Any, eventually: Eventually, tool: str, expected: Exit
) -> None:
    killed(workshop, frozen_of(steps(tool), TOOLS), eventually)
    draft = inbox.cancel("alice", "enough")
    workshop.store().post("r", draft.key, draft.kind, draft.body)
    assert workshop.resumed().exit is expected
    assert (workshop.left(), len(workshop.lines("marks"))) == ([], 1)
    workshop.history()


def test_a_tool_that_cleared_its_environment_and_left_its_session_is_stopped_with_its_attempt(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    killed(workshop, frozen_of(steps("bare"), TOOLS), eventually)
    draft = inbox.cancel("alice", "enough")
    workshop.store().post("r", draft.key, draft.kind, draft.body)
    workshop.resumed()
    assert workshop.left() == []


def test_an_interrupt_stops_what_was_taken_over(workshop: Any, frozen_of: Any, eventually: Eventually) -> None:
    killed(workshop, frozen_of(steps("shell"), TOOLS), eventually)
    driver: Any = open_existing(workshop.store(), "r", Limits(), workshop.quiet, this_host())
    thread = threading.Thread(target=lambda: (eventually(partial(reattached, workshop)), driver.interrupt()))
    thread.start()
    standing = driver.drive()
    thread.join()
    assert (standing.exit, standing.state.status) == (Exit.INTERRUPTED, "blocked_uncertain")
    assert workshop.left() == []


def test_one_of_two_drivers_that_race_takes_it_over(workshop: Any, frozen_of: Any, eventually: Eventually) -> None:
    frozen = frozen_of(steps("pay"), TOOLS)
    killed(workshop, frozen, eventually)
    racing = [workshop.child(frozen) for _ in range(3)]
    thread = released(workshop, partial(reattached, workshop), eventually)
    codes = [one.wait(60) for one in racing]
    thread.join()
    assert Exit.COMPLETED in codes
    assert len(workshop.lines("marks")) == 2
    assert names(workshop).count("attempt.reattach") == 1
    assert workshop.left() == []


def test_a_run_is_reattached_as_often_as_its_drivers_are_killed(
    workshop: Any, frozen_of: Any, undisturbed: Any, eventually: Eventually
) -> None:
    frozen = frozen_of(steps("pay"), TOOLS)
    killed(workshop, frozen, eventually)
    for number in (1, 2):
        driver = workshop.child(frozen)
        eventually(partial(reattached, workshop, number))
        driver.kill()
        driver.wait()
    (workshop.workspace / "go").touch()
    assert workshop.resumed().exit is Exit.COMPLETED
    assert len(workshop.lines("marks")) == 2
    assert digest(workshop.history()) == undisturbed(frozen)


def test_a_process_that_took_the_pid_of_a_dead_supervisor_is_not_taken_for_it(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    found = killed(workshop, frozen_of(steps("shell"), TOOLS), eventually)
    workshop.kill_supervisor("one.1")
    with subprocess.Popen(("sleep", "600"), start_new_session=True) as bystander:
        record = workshop.record("one.1")
        text = record.read_text()
        for dead in (found.supervisor, found.process):
            assert dead is not None
            text = text.replace(f'"pid":{dead.pid}', f'"pid":{bystander.pid}')
        record.write_text(text)
        assert workshop.resumed().exit is Exit.BLOCKED
        assert bystander.poll() is None
        bystander.kill()


def test_a_copy_of_the_store_leaves_the_process_to_the_original(
    workshop: Any, frozen_of: Any, eventually: Eventually, tmp_path: Path
) -> None:
    found = killed(workshop, frozen_of(steps("shell"), TOOLS), eventually)
    shutil.copytree(workshop.directory, tmp_path / "copy")
    with closing(Store(tmp_path / "copy", create=False)) as store:
        assert open_existing(store, "r", Limits(), workshop.quiet, this_host()).drive().exit is Exit.BLOCKED
    assert is_alive(found.supervisor)
    (workshop.workspace / "go").touch()
    assert workshop.resumed().exit is Exit.COMPLETED


def test_a_supervisor_of_another_generation_is_not_relied_on(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    found = killed(workshop, frozen_of(steps("shell"), TOOLS), eventually)
    record = workshop.record("one.1")
    record.write_text(record.read_text().replace('"generation":1', '"generation":2'))
    began = time.monotonic()
    assert workshop.resumed().exit is Exit.BLOCKED
    assert time.monotonic() - began < 30
    assert not is_alive(found.supervisor)
    assert workshop.left() == []


def test_what_was_never_started_and_is_cancelled_is_never_started(
    workshop: Any, frozen_of: Any, eventually: Eventually
) -> None:
    sleeper = workshop.child(frozen_of(steps("pay"), TOOLS), STOP_AFTER="attempt.start", LEASE_MS="1500")
    assert eventually(lambda: "attempt.start" in names(workshop) if workshop.record("one.1").parent.exists() else 0)
    sleeper.kill()
    sleeper.wait()
    draft = inbox.cancel("alice", "enough")
    workshop.store().post("r", draft.key, draft.kind, draft.body)
    assert workshop.resumed().exit is Exit.CANCELLED
    assert workshop.lines("marks") == []
    assert "revoked" in workshop.record("one.1").read_text()
