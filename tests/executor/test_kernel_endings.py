"""How runs end before their workflow does: cancelled, out of a budget, or not yet, while something is uncertain."""

from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import AskReceipt, AwaitResolution, StartAttempt, StopAttempt
from akm.kernel.observation import CancelAsked, CommandUnread

if TYPE_CHECKING:
    from tests.executor.conftest import PlanOf, Story, StoryOf

HOUR_MS = 3_600_000


def using(tool: str, *clauses: str) -> str:
    """A workflow of one step that uses `tool`."""
    return "\n".join([f"step a: exec {tool} {{", *clauses, "on passed -> completed", "}"])


def stopped(story: "Story") -> None:
    """The process that was to be stopped ends."""
    assert story.pending == (StopAttempt("a#1/1"),)
    story.ends("a#1/1", None, signal=15, stopped=True)


# cancelling ------------------------------------------------------------------------------------------


def test_a_run_is_cancelled_before_it_began(plan_of: "PlanOf", story_of: "StoryOf") -> None:
    fresh = type(story_of(using("read")))
    for ticks in (0, 1):
        story = fresh(plan_of(using("read")))
        for _ in range(ticks):
            story.tick()
        story.cancels()
        assert story.state.status == "cancelled"
        assert story.names[-2:] == ["cancel.requested", "run.cancel"]


@pytest.mark.parametrize("tool", ["read", "put", "edit"])
def test_a_running_step_is_stopped_and_the_run_is_cancelled(story_of: "StoryOf", tool: str) -> None:
    story = story_of(using(tool))
    story.cancels()
    assert story.state.status == "cancelling"
    stopped(story)
    assert story.state.status == "cancelled"
    assert story.state.active is not None
    assert story.state.active.status == "cancelled"


@pytest.mark.parametrize("tool", ["shell", "pay"])
def test_a_stopped_effect_that_may_have_happened_stays_visible_until_it_is_settled(
    story_of: "StoryOf", tool: str
) -> None:
    story = story_of(using(tool))
    story.cancels()
    stopped(story)
    assert (story.state.status, story.pending) == ("blocked_uncertain", (AwaitResolution("a#1/1"),))
    story.resolves("a#1/1", "cancel")
    assert (story.state.status, story.pending) == ("blocked_uncertain", (AwaitResolution("a#1/1"),))
    story.resolves("a#1/1", "mark-failed")
    assert story.state.status == "cancelled"


@pytest.mark.parametrize(
    ("answer", "status"), [("found", "cancelled"), ("absent", "cancelled"), ("ambiguous", "blocked_uncertain")]
)
def test_a_stopped_effect_with_a_receipt_is_asked_for(story_of: "StoryOf", answer: str, status: str) -> None:
    story = story_of(using("upload"))
    story.cancels()
    stopped(story)
    assert isinstance(story.pending[0], AskReceipt)
    story.answers("a#1/1", answer, 7 if answer == "found" else None)
    assert story.state.status == status


def test_nothing_new_starts_once_a_run_is_to_be_cancelled(story_of: "StoryOf") -> None:
    story = story_of(
        "step a: exec read { retry 2 on failed, on passed -> b, on failed -> b }\n"
        "step b: exec read { on passed -> completed }"
    )
    story.cancels()
    story.ends("a#1/1", 1)
    assert story.state.status == "cancelled"
    assert not [command for command in story.pending if isinstance(command, StartAttempt)]
    assert story.names.count("attempt.create") == 1


def test_a_process_that_was_never_started_needs_no_stopping(story_of: "StoryOf") -> None:
    story = story_of(using("pay"))
    story.cancels()
    story.never_starts("a#1/1")
    assert story.state.status == "cancelled"


@pytest.mark.parametrize("tool", ["read", "put"])
def test_a_repeatable_attempt_lost_while_cancelling_ends_as_one_that_was_stopped(
    story_of: "StoryOf", tool: str
) -> None:
    story = story_of(using(tool))
    story.cancels()
    story.loses("a#1/1")
    assert story.state.status == "cancelled"
    assert story.results == []
    assert story.state.assignments["a#1"].status == "terminal"


@pytest.mark.parametrize(
    "step",
    [
        "step a: approval { by alice, timeout 1h\n"
        "on passed -> completed, on rejected -> failed, on expired -> failed }",
        "step a: wait signal go { timeout 1h, on passed -> completed, on expired -> failed }",
        "step a: wait 10m { on passed -> completed }",
        'step a: gate artifacts_exist ["x"] { on passed -> completed }',
    ],
)
def test_a_waiting_step_is_cancelled_at_once(story_of: "StoryOf", step: str) -> None:
    story = story_of(step)
    story.cancels()
    assert story.state.status == "cancelled"
    assert story.pending == ()


def test_a_blocked_run_that_is_cancelled_shows_the_uncertainty_not_the_cancellation(story_of: "StoryOf") -> None:
    story = story_of(using("shell"))
    story.loses("a#1/1")
    story.cancels()
    assert (story.state.status, story.pending) == ("blocked_uncertain", (AwaitResolution("a#1/1"),))
    story.resolves("a#1/1", "confirm-absent")
    assert story.state.status == "cancelled"
    assert story.names.count("attempt.create") == 1


@pytest.mark.parametrize("action", ["mark-completed", "confirm-absent", "compensated", "mark-failed", "cancel"])
def test_every_settlement_lets_a_cancelled_run_end(story_of: "StoryOf", action: str) -> None:
    story = story_of(using("shell"))
    story.loses("a#1/1")
    story.cancels()
    story.resolves("a#1/1", action, "seen 7")
    assert story.state.status == "cancelled"


def test_a_second_request_changes_nothing(story_of: "StoryOf") -> None:
    story = story_of(using("read"))
    story.cancels()
    assert story.cancels() == ()


def test_a_step_may_select_cancelled_without_a_request(story_of: "StoryOf") -> None:
    story = story_of("step a: exec read { on passed -> completed, on failed -> cancelled }")
    story.ends("a#1/1", 1)
    assert story.state.status == "cancelled"
    assert story.names[-2:] == ["run.begin_cancel", "run.cancel"]


def test_a_command_that_came_too_late_is_recorded_and_does_nothing_else(story_of: "StoryOf") -> None:
    story = story_of(using("read"))
    before = story.pending
    (unread,) = story.tell(CommandUnread(0, 4, "signal", {"name": "go", "data": None}))
    assert (unread.name, unread.data["number"], unread.data["kind"]) == ("command.unread", 4, "signal")
    assert story.pending == before


def test_an_ended_run_takes_nothing_more(story_of: "StoryOf") -> None:
    story = story_of(using("read"))
    story.ends("a#1/1")
    assert story.tick(HOUR_MS) == story.cancels() == story.signals("go") == story.ends("a#1/1", 1) == ()
    assert story.tell(CancelAsked(0, 9, "alice", "late")) == ()
    assert story.pending == ()


# budgets ---------------------------------------------------------------------------------------------


def exhausted(story: "Story") -> dict[str, Any]:
    """What was recorded of the budget that ended the run."""
    (found,) = [one.event.data for one in story.history if one.event.name == "budget.exhausted"]
    assert story.state.status == "failed"
    assert story.state.reason == {"code": "budget_exhausted", "message": found["message"]}
    assert all(str(word) in found["message"] for word in (found["counter"], found["value"], found["ceiling"]))
    return found


LOOP = """step a: exec read {{ attempts {attempts}, on passed -> b }}
step b: exec read {{ attempts 9, on passed -> completed, on failed -> a max {edge} }}"""


@pytest.mark.parametrize(
    ("limits", "attempts", "edge", "counter", "ceiling"),
    [
        ("transitions 4", 9, 9, "limits.transitions", 4),
        ("transitions 99", 3, 9, "step a: attempts", 3),
        ("transitions 99", 9, 2, "step b: on failed max", 2),
        ("transitions 99, units 5", 9, 9, "limits.units", 5),
    ],
)
def test_a_loop_ends_at_the_first_of_its_ceilings(
    story_of: "StoryOf", limits: str, attempts: int, edge: int, counter: str, ceiling: int
) -> None:
    story = story_of(f"limits {{ {limits} }}\n{LOOP.format(attempts=attempts, edge=edge)}")
    for entry in range(1, 9):
        for step, exit_code in (("a", 0), ("b", 1)):
            if story.state.status == "running":
                story.ends(f"{step}#{entry}/1", exit_code)
    found = exhausted(story)
    assert (found["counter"], found["ceiling"], found["value"]) == (counter, ceiling, ceiling + 1)
    assert "declared" in found["message"]


def test_a_defaulted_ceiling_is_told_as_such(story_of: "StoryOf") -> None:
    story = story_of(using("read"))
    story.tick(31 * 24 * HOUR_MS)
    assert "defaulted" in exhausted_while_running(story)


def exhausted_while_running(story: "Story") -> str:
    """The budget's message, once the process at work is stopped."""
    stopped(story)
    message: str = exhausted(story)["message"]
    return message


@pytest.mark.parametrize(
    ("limit", "usage", "counter"),
    [
        ("tokens 100", '{"tokens": 100}', "limits.tokens"),
        ("cost 1 USD", '{"cost_usd": 1.5}', "limits.cost"),
    ],
)
def test_spending_stops_the_next_dispatch_also_after_a_failed_and_retried_attempt(
    story_of: "StoryOf", limit: str, usage: str, counter: str
) -> None:
    head = f"limits {{ {limit} }}\n"
    agent = 'step a: agent coder { prompt "Do.", retry 1 on failed, on failed -> failed, on passed -> b }\n'
    for outcome in ("passed", "failed"):
        story = story_of(head + agent + "step b: exec read { on passed -> completed }")
        story.ends("a#1/1", stdout=f'{{"outcome": "{outcome}", "usage": {usage}}}'.encode())
        assert exhausted(story)["counter"] == counter
        assert story.names.count("attempt.create") == 1


def test_spending_below_its_ceiling_stops_nothing(story_of: "StoryOf") -> None:
    story = story_of(
        'limits { tokens 100 }\nstep a: agent coder { prompt "Do.", on passed -> b }\n'
        "step b: exec read { on passed -> completed }"
    )
    story.ends("a#1/1", stdout=b'{"outcome": "passed", "usage": {"tokens": 99}}')
    story.ends("b#1/1")
    assert story.state.status == "completed"


@pytest.mark.parametrize(
    "step",
    [
        "step a: wait signal go { timeout 3h, on passed -> completed, on expired -> failed }",
        "step a: wait 3h { on passed -> completed }",
    ],
)
def test_the_run_may_not_wait_past_its_duration(story_of: "StoryOf", step: str) -> None:
    story = story_of(f"limits {{ duration 1h }}\n{step}")
    assert story.tick(HOUR_MS) == ()
    story.tick(1)
    assert exhausted(story)["counter"] == "limits.duration"


def test_a_process_at_work_is_stopped_when_the_duration_is_over(story_of: "StoryOf") -> None:
    story = story_of(f"limits {{ duration 1h }}\n{using('read')}")
    story.tick(HOUR_MS + 1)
    exhausted_while_running(story)


def test_an_exhausted_budget_does_not_hide_what_is_uncertain(story_of: "StoryOf") -> None:
    story = story_of(f"limits {{ duration 1h }}\n{using('shell')}")
    story.tick(HOUR_MS + 1)
    stopped(story)
    assert (story.state.status, story.pending) == ("blocked_uncertain", (AwaitResolution("a#1/1"),))
    story.resolves("a#1/1", "confirm-absent")
    exhausted(story)


def test_a_cancel_request_after_the_budget_is_gone_does_not_change_how_the_run_ends(story_of: "StoryOf") -> None:
    story = story_of(f"limits {{ duration 1h }}\n{using('read')}")
    story.tick(HOUR_MS + 1)
    assert story.cancels() == ()
    exhausted_while_running(story)
