"""Steps without a process: approvals, signals, timers, routes and gates over what is there already."""

from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import AwaitDecision, AwaitSignal, AwaitTimer, CheckArtifacts
from akm.kernel.inbox import SIGNALS_MAX
from akm.kernel.observation import ArtifactsChecked

if TYPE_CHECKING:
    from tests.executor.conftest import StoryOf

HOUR_MS = 3_600_000

APPROVAL = """step a: approval {
  by [alice, bob], reads params.value, timeout 1h
  on passed -> completed, on rejected -> failed, on expired -> cancelled
}"""
SIGNAL = """step a: wait signal go {
  output { n: int }, timeout 1h
  on passed -> completed, on expired -> failed
}"""
LATE_SIGNAL = f"step first: exec read {{ on passed -> a }}\n{SIGNAL}"


# approvals -------------------------------------------------------------------------------------------


def test_an_approval_waits_for_one_of_its_people_and_shows_what_it_reads(story_of: "StoryOf") -> None:
    story = story_of(APPROVAL)
    (awaited,) = story.pending
    assert isinstance(awaited, AwaitDecision)
    assert (awaited.step_attempt, awaited.by, awaited.due_ms) == ("a#1", ("alice", "bob"), HOUR_MS)
    assert story.state.status == "waiting"
    (other,) = story_of(APPROVAL, value="other").pending
    assert isinstance(other, AwaitDecision)
    assert awaited.shown != other.shown


@pytest.mark.parametrize(("approve", "status"), [(True, "completed"), (False, "failed")])
def test_a_decision_selects_its_transition_and_says_whose_it_was(
    story_of: "StoryOf", approve: bool, status: str
) -> None:
    story = story_of(APPROVAL)
    recorded, *_ = story.decides("a#1", approve, by="bob")
    assert story.state.status == status
    assert (recorded.name, recorded.data["by"], recorded.data["approve"]) == ("decision.recorded", "bob", approve)


@pytest.mark.parametrize(
    ("how", "problem"),
    [
        ({"by": "mallory"}, "mallory may not decide here"),
        ({"shown": "f" * 64}, "something else than what is shown"),
        ({"step_attempt": "a#2"}, "no decision"),
        ({"step_attempt": "zz#1"}, "no decision"),
    ],
)
def test_any_other_decision_is_refused_recorded_and_changes_nothing(
    story_of: "StoryOf", how: dict[str, Any], problem: str
) -> None:
    story = story_of(APPROVAL)
    before = story.pending
    (refused,) = story.decides(**{"step_attempt": "a#1", **how})
    assert refused.name == "decision.refused"
    assert problem in story.problem()
    assert story.pending == before


def test_a_decision_after_the_approval_expired_is_refused_and_the_expiry_counts(story_of: "StoryOf") -> None:
    story = story_of(APPROVAL)
    story.at_ms = HOUR_MS
    refused, *_ = story.decides("a#1")
    assert (refused.name, refused.data["problem"]) == ("decision.refused", "the approval has expired")
    assert story.transitions == ["a expired cancelled"]


def test_a_second_decision_on_the_same_attempt_is_refused(story_of: "StoryOf") -> None:
    text = (
        APPROVAL.replace("on passed -> completed", "on passed -> b") + "\n" + APPROVAL.replace("step a", "step b")
    )
    story = story_of(text)
    story.decides("a#1")
    (refused,) = story.decides("a#1", approve=False)
    assert refused.name == "decision.refused"
    assert story.state.status == "waiting"


def test_an_approval_that_is_entered_again_needs_a_new_decision_on_what_is_shown_then(
    story_of: "StoryOf",
) -> None:
    story = story_of(
        "limits { transitions 9 }\n"
        "step a: exec read { attempts 2, output int, on passed -> b }\n"
        "step b: approval { attempts 2, by alice, reads a.output, timeout 1h\n"
        "on passed -> completed, on rejected -> a max 1, on expired -> failed }"
    )
    story.ends("a#1/1", stdout=b"1")
    shown = story.state.active.shown if story.state.active else None
    assert shown is not None
    story.decides("b#1", approve=False)
    story.ends("a#2/1", stdout=b"1")
    (refused,) = story.decides("b#2", shown=shown)
    assert refused.name == "decision.refused"
    story.decides("b#2")
    assert story.state.status == "completed"


def test_a_wait_for_a_signal_takes_no_decision(story_of: "StoryOf") -> None:
    story = story_of(SIGNAL)
    (refused,) = story.decides("a#1", shown="x")
    assert refused.data["problem"] == "this step is no approval"


def test_an_approval_expires_exactly_when_it_is_due(story_of: "StoryOf") -> None:
    story = story_of(APPROVAL)
    assert story.tick(HOUR_MS - 1) == ()
    story.tick(1)
    assert story.transitions == ["a expired cancelled"]
    assert story.state.status == "cancelled"


# signals ---------------------------------------------------------------------------------------------


def test_a_signal_ends_its_wait_and_its_data_is_the_output(story_of: "StoryOf") -> None:
    story = story_of(SIGNAL)
    (awaited,) = story.pending
    assert isinstance(awaited, AwaitSignal)
    assert (awaited.signal, awaited.due_ms) == ("go", HOUR_MS)
    story.signals("go", {"n": 1})
    assert (story.state.status, story.state.outputs["a"]) == ("completed", {"n": 1})


def test_a_signal_is_the_receipt_of_what_was_waited_for(story_of: "StoryOf") -> None:
    story = story_of(SIGNAL.replace("timeout 1h", "timeout 1h, evidence seen: receipt"))
    story.signals("go", {"n": 1})
    (captured,) = [one.event for one in story.history if one.event.name == "evidence.captured"]
    assert (story.state.status, captured.data["kind"], captured.data["count"]) == ("completed", "receipt", 1)


def test_an_early_signal_is_kept_until_its_step_waits(story_of: "StoryOf") -> None:
    story = story_of(LATE_SIGNAL)
    (kept,) = story.signals("go", {"n": 1})
    assert kept.name == "signal.received"
    story.ends("first#1/1")
    assert story.state.status == "completed"
    assert story.names.count("signal.consumed") == 1


def test_signals_are_consumed_oldest_first_and_once_each(story_of: "StoryOf") -> None:
    story = story_of(
        "step first: exec read { on passed -> a }\n"
        + SIGNAL.replace("on passed -> completed", "on passed -> b")
        + "\n"
        + SIGNAL.replace("step a", "step b")
    )
    for number in (1, 2, 3):
        story.signals("go", {"n": number})
    story.ends("first#1/1")
    assert (story.state.outputs["a"], story.state.outputs["b"]) == ({"n": 1}, {"n": 2})
    unconsumed = [one.event.data["number"] for one in story.history if one.event.name == "signal.unconsumed"]
    assert unconsumed == [3]
    assert story.state.signals == ()


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [("stop", None, "no step waits for signal 'stop'"), ("go", {"n": "one"}, "does not fit"), ("go", None, "fit")],
)
def test_a_signal_that_no_step_can_take_is_refused_with_the_reason(
    story_of: "StoryOf", name: str, data: Any, problem: str
) -> None:
    story = story_of(SIGNAL)
    (refused,) = story.signals(name, data)
    assert refused.name == "signal.refused"
    assert problem in story.problem()
    assert story.state.status == "waiting"


def test_a_flood_of_signals_is_refused_at_its_bound(story_of: "StoryOf") -> None:
    story = story_of(LATE_SIGNAL)
    for number in range(SIGNALS_MAX):
        story.signals("go", {"n": number})
    (refused,) = story.signals("go", {"n": 0})
    assert refused.name == "signal.refused"
    assert len(story.state.signals) == SIGNALS_MAX


def test_a_signal_after_the_wait_expired_does_not_pass_it(story_of: "StoryOf") -> None:
    story = story_of(SIGNAL)
    story.at_ms = HOUR_MS
    story.signals("go", {"n": 1})
    assert story.transitions == ["a expired failed"]
    assert story.names.count("signal.unconsumed") == 1


# timers ----------------------------------------------------------------------------------------------


def test_a_span_passes_when_it_is_over_and_not_before(story_of: "StoryOf") -> None:
    story = story_of("step a: wait 10m { on passed -> completed }")
    assert story.pending == (AwaitTimer("a#1", "a", 600_000),)
    assert story.tick(599_999) == ()
    story.tick(1)
    assert story.state.status == "completed"


# routes and gates ------------------------------------------------------------------------------------


ROUTE = """param which: one of ["linux", "passed", "mac"] = "linux"
step a: route params.which { when "linux" -> completed, when "passed" -> failed, otherwise -> cancelled }"""


@pytest.mark.parametrize(
    ("which", "taken"),
    [("linux", "a linux completed"), ("passed", "a passed failed"), ("mac", "a otherwise cancelled")],
)
def test_a_route_takes_the_branch_of_its_value(story_of: "StoryOf", which: str, taken: str) -> None:
    story = story_of(ROUTE, which=which)
    assert story.transitions == [taken]


@pytest.mark.parametrize(("flag", "taken"), [(True, "a true completed"), (False, "a false cancelled")])
def test_a_route_knows_what_is_no_string_by_its_json(story_of: "StoryOf", flag: bool, taken: str) -> None:
    text = (
        "param flag: boolean = true\nstep a: route params.flag { when true -> completed, when false -> cancelled }"
    )
    story = story_of(text, flag=flag)
    assert story.transitions == [taken]


@pytest.mark.parametrize(
    ("expect", "missing", "status"),
    [("pass", (), "completed"), ("pass", ("x",), "failed"), ("fail", (), "failed"), ("fail", ("x",), "completed")],
)
def test_a_gate_looks_for_files(story_of: "StoryOf", expect: str, missing: tuple[str, ...], status: str) -> None:
    story = story_of(f'step a: gate artifacts_exist ["x", "y"] {{ expect {expect}, on passed -> completed }}')
    assert story.pending == (CheckArtifacts("a#1", ("x", "y")),)
    assert story.tell(ArtifactsChecked(0, "zz#1", ())) == ()
    story.tell(ArtifactsChecked(0, "a#1", missing))
    assert story.state.status == status


@pytest.mark.parametrize(
    ("expect", "value", "status"),
    [
        ("pass", "abc", "completed"),
        ("pass", "ab1", "failed"),
        ("fail", "abc", "failed"),
        ("fail", "ab1", "completed"),
    ],
)
def test_a_gate_holds_a_value_to_a_type(story_of: "StoryOf", expect: str, value: str, status: str) -> None:
    text = 'step a: gate schema params.value is string matching "^[a-z]+$" { expect %s, on passed -> completed }'
    assert story_of(text % expect, value=value).state.status == status
