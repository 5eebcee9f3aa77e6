"""The driver on real processes: how far it goes, where it stops, what it leaves."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm.engine.driver import Limits
from akm.engine.plans import FrozenPlan, from_bytes
from akm.engine.standing import Cause, Exit
from akm.engine.verification import verify
from akmc.pipeline import compile_workflow
from akmc.source import Source

Frozen = Callable[..., Any]
Eventually = Callable[[Callable[[], Any]], Any]

#: `mark` is quick. `slow` and `unsure` run until the file `go` is there, with a child.
TOOLS = r"""
tool mark   { argv ["sh", "-c", "echo $AKM_ATTEMPT >> marks"], effect read_only }
tool slow {
  argv [
    "sh", "-c",
    "echo $AKM_ATTEMPT >> marks; test -e go || { echo $$ >> pids; sleep 300 & echo $! >> pids; wait; }"
  ]
  effect read_only
}
tool unsure {
  argv [
    "sh", "-c",
    "echo $AKM_ATTEMPT >> marks; test -e go || { echo $$ >> pids; sleep 300 & echo $! >> pids; wait; }"
  ]
}
tool wheel  { argv ["sh", "-c", "echo content > out.whl; echo '{\"wheel\": \"out.whl\"}'"], effect read_only }
tool named  { argv ["sh", "-c", "echo $SECRET_NAME > named"], effect read_only, env [SECRET_NAME] }
"""
BUILD = """
  step build: exec wheel {
    output { wheel: file }
    evidence wheel: artifact
    on passed -> completed
  }
"""
SLOW = "step one: exec slow { on passed -> completed }"


def chain(tool: str, steps: int) -> str:
    """Steps in a row."""
    targets = [f"s{number}" for number in range(1, steps)] + ["completed"]
    return "\n".join(
        f"  step s{number}: exec {tool} {{ on passed -> {target} }}" for number, target in enumerate(targets)
    )


def during(act: Callable[[], object], ready: Callable[[], Any], eventually: Eventually) -> threading.Thread:
    """Does something on another thread as soon as it is time to."""
    thread = threading.Thread(target=lambda: (eventually(ready), act()))
    thread.start()
    return thread


def test_a_run_goes_from_its_first_step_to_its_end(workshop: Any, frozen_of: Frozen) -> None:
    standing = workshop.new(frozen_of(chain("mark", 3), TOOLS)).drive()
    assert (standing.exit, standing.cause) == (Exit.COMPLETED, None)
    assert workshop.lines("marks") == ["s0#1/1", "s1#1/1", "s2#1/1"]
    assert workshop.store().is_driven("r") is False
    assert workshop.history()[-1].event.target == "completed"


def test_a_step_in_a_row_costs_one_commit(workshop_in: Callable[[str], Any], frozen_of: Frozen) -> None:
    def commits(steps: int) -> int:
        workshop = workshop_in(str(steps))
        store = workshop.store()
        assert workshop.new(frozen_of(chain("mark", steps), TOOLS), store=store).drive().exit is Exit.COMPLETED
        return int(store.commits)

    assert commits(10) - commits(5) == 5


def test_a_result_keeps_the_files_it_names(workshop: Any, frozen_of: Frozen) -> None:
    workshop.new(frozen_of(BUILD, TOOLS)).drive()
    report = verify(workshop.store(), "r")
    assert (report.files, report.violations) == (1, ())
    (workshop.workspace / "out.whl").unlink()
    assert verify(workshop.store(), "r").files == 1


def test_an_interrupt_leaves_no_process_and_a_run_that_goes_on(
    workshop: Any, frozen_of: Frozen, eventually: Eventually
) -> None:
    driver = workshop.new(frozen_of(SLOW, TOOLS))
    thread = during(driver.interrupt, lambda: len(workshop.lines("pids")) == 2, eventually)
    standing = driver.drive()
    thread.join()
    assert (standing.exit, standing.state.status) == (Exit.INTERRUPTED, "running")
    assert workshop.left() == []
    assert workshop.store().is_driven("r") is False
    (workshop.workspace / "go").touch()
    assert workshop.resumed().exit is Exit.COMPLETED
    assert workshop.lines("marks") == ["one#1/1", "one#1/2"]
    workshop.history()


def test_an_interrupt_repeats_nothing_that_may_have_acted(
    workshop: Any, frozen_of: Frozen, eventually: Eventually
) -> None:
    driver = workshop.new(frozen_of(SLOW.replace("slow", "unsure"), TOOLS))
    thread = during(driver.interrupt, lambda: len(workshop.lines("pids")) == 2, eventually)
    assert driver.drive().state.status == "blocked_uncertain"
    thread.join()
    (workshop.workspace / "go").touch()
    assert workshop.resumed().exit is Exit.BLOCKED
    assert (workshop.lines("marks"), workshop.left()) == (["one#1/1"], [])


def test_an_interrupt_before_anything_was_started_starts_nothing(workshop: Any, frozen_of: Frozen) -> None:
    driver = workshop.new(frozen_of(SLOW, TOOLS))
    driver.interrupt()
    driver.interrupt()
    assert driver.drive().exit is Exit.INTERRUPTED
    assert workshop.lines("marks") == []
    (workshop.workspace / "go").touch()
    assert workshop.resumed().exit is Exit.COMPLETED


def test_a_driver_stops_after_the_steps_it_was_given_and_the_next_goes_on(workshop: Any, frozen_of: Frozen) -> None:
    standing = workshop.new(frozen_of(chain("mark", 3), TOOLS), Limits(steps_max=2)).drive()
    assert (standing.exit, standing.cause) == (Exit.PARKED, Cause.STEP_LIMIT)
    assert workshop.lines("marks") == ["s0#1/1", "s1#1/1"]
    assert workshop.resumed(Limits(steps_max=1)).exit is Exit.COMPLETED
    assert workshop.lines("marks") == ["s0#1/1", "s1#1/1", "s2#1/1"]


def test_a_driver_whose_time_is_up_starts_nothing_and_the_next_does(workshop: Any, frozen_of: Frozen) -> None:
    standing = workshop.new(frozen_of(chain("mark", 2), TOOLS), Limits(time_ms_max=0)).drive()
    assert (standing.exit, standing.cause) == (Exit.PARKED, Cause.TIME_LIMIT)
    assert workshop.lines("marks") == []
    assert workshop.resumed().exit is Exit.COMPLETED


def test_a_run_that_has_ended_is_not_driven_again(workshop: Any, frozen_of: Frozen) -> None:
    workshop.new(frozen_of(chain("mark", 1), TOOLS)).drive()
    before = workshop.history()
    assert workshop.resumed().exit is Exit.COMPLETED
    assert workshop.history() == before


def test_a_missing_variable_stops_a_run_before_it_does_anything(workshop: Any, frozen_of: Frozen) -> None:
    steps = "step one: exec mark { on passed -> two }\n step two: exec named { on passed -> completed }"
    standing = workshop.new(frozen_of(steps, TOOLS)).drive()
    assert standing.exit is Exit.FAILED
    assert "SECRET_NAME is not set" in str(standing.state.reason)
    assert workshop.lines("marks") == []


def test_a_variable_that_is_missing_later_fails_its_step_by_name(workshop: Any, frozen_of: Frozen) -> None:
    steps = "step one: exec mark { on passed -> two }\n step two: exec named { on passed -> completed }"
    workshop.new(frozen_of(steps, TOOLS), Limits(steps_max=1), SECRET_NAME="hidden-value").drive()
    assert workshop.resumed().exit is Exit.FAILED
    assert last_code(workshop) == "environment_missing"
    assert not (workshop.workspace / "named").exists()


def test_the_value_behind_a_name_goes_to_the_tool_and_nowhere_else(workshop: Any, frozen_of: Frozen) -> None:
    steps = "step two: exec named { on passed -> completed }"
    assert workshop.new(frozen_of(steps, TOOLS), SECRET_NAME="hidden-value").drive().exit is Exit.COMPLETED
    assert workshop.lines("named") == ["hidden-value"]
    stored = b"".join(path.read_bytes() for path in workshop.directory.rglob("*") if path.is_file())
    assert b"hidden-value" not in stored


def with_script(workspace: Path) -> FrozenPlan:
    """A plan that pins a script, and whose first step runs before that script does."""
    (workspace / "tool.sh").write_text("echo $AKM_ATTEMPT >> marks\n")
    registry = TOOLS + 'tool script { argv ["sh", "./tool.sh"], effect read_only }'
    steps = "step one: exec slow { on passed -> two }\n step two: exec script { on passed -> completed }"
    source = Source(str(workspace / "flow.akm"), f'workflow told "Told" {{\n param value: string\n {steps}\n}}\n')
    return from_bytes(compile_workflow(source, Source(str(workspace / "registry.akm"), registry)).data, "flow.akm")


def test_a_script_that_is_not_the_pinned_one_stops_a_run_before_it_does_anything(workshop: Any) -> None:
    frozen = with_script(workshop.workspace)
    (workshop.workspace / "tool.sh").write_text("echo changed >> marks\n")
    standing = workshop.new(frozen).drive()
    assert standing.exit is Exit.FAILED
    assert "not the file that the plan pins" in str(standing.state.reason)
    assert workshop.lines("marks") == []


def test_a_script_that_changes_under_a_run_is_not_run(workshop: Any) -> None:
    frozen = with_script(workshop.workspace)
    (workshop.workspace / "go").touch()
    workshop.new(frozen, Limits(steps_max=1)).drive()
    (workshop.workspace / "tool.sh").write_text("echo changed >> marks\n")
    assert workshop.resumed().exit is Exit.FAILED
    assert last_code(workshop) == "script_changed"
    assert workshop.lines("marks") == ["one#1/1"]


def last_code(workshop: Any) -> str:
    """The machine code of the last result."""
    results = [
        one.event.data["result"] for one in workshop.history() if one.event.name == "assignment.record_result"
    ]
    return str(results[-1]["code"])


@pytest.mark.parametrize("missing", ["workspace", "program"])
def test_what_is_not_there_is_named_before_the_first_step(workshop: Any, frozen_of: Frozen, missing: str) -> None:
    tools = TOOLS + 'tool absent { argv ["no-such-program-at-all"] }'
    driver = workshop.new(frozen_of("step one: exec absent { on passed -> completed }", tools))
    if missing == "workspace":
        workshop.workspace.rmdir()
    standing = driver.drive()
    assert standing.exit is Exit.FAILED
    assert ("is not a directory" if missing == "workspace" else "no-such-program") in str(standing.state.reason)
