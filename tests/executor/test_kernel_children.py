"""A step whose work is a run of its own, told in memory: what its child is given, and what its ends mean."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.ceilings import exceeded
from akm.kernel.command import DriveChild
from akm.kernel.decide import created
from akm.kernel.evolve import IllegalEvent, evolve
from akm.kernel.observation import ChildEnded, ChildSeen
from akm.kernel.pending import ReplayDivergence, pending
from akm.kernel.state import Parent
from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.source import Source

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

CHILD = """workflow inner "Works" {
  param word: string matching "^[a-z]+$"
  step work: exec read { with { word: params.word }, output { n: int }
    on passed -> completed, on failed -> failed }
}
"""
PARENT = """workflow outer "Has it worked on" {
  param word: string = "x"
  step child: workflow "inner.akm" {
    with { word: params.word }
    output { work: { n: int } }
    on completed -> completed
    on failed -> failed
    on cancelled -> cancelled
  }
}
"""
ID = "child#1"


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "inner.akm").write_text(CHILD)
    (tmp_path / "outer.akm").write_text(PARENT)
    registry = Source(str(tmp_path / "registry.akm"), 'tool read { argv ["true"], effect read_only }\n')
    return compile_workflow(Source.read(str(tmp_path / "outer.akm")), registry).plan


@pytest.fixture
def begun(plan: Plan, story_of: "StoryOf") -> "Story":
    return type(story_of("step a: wait 1s { on passed -> completed }"))(plan).prepared()


def ends(story: "Story", status: Any, **more: Any) -> None:
    story.tell(ChildEnded(story.at_ms, ID, status, "d", more.pop("outputs", {"work": {"n": 1}}), **more))


def codes(story: "Story") -> list[Any]:
    results = [one.event.data["result"] for one in story.history if one.event.name == "assignment.record_result"]
    return [(each["outcome"], each["code"], each["output"]) for each in results]


@pytest.mark.parametrize("status", ["completed", "failed", "cancelled"])
def test_a_child_ends_its_step_as_it_ended(begun: "Story", status: str) -> None:
    ends(begun, status, units=2, message="so it was")
    output = {"work": {"n": 1}} if status == "completed" else None
    assert codes(begun) == [(status, None if status == "completed" else f"child_{status}", output)]
    assert begun.state.status == status
    assert begun.state.counters.nested_units == 2


def test_an_output_of_another_type_fails_the_step(begun: "Story") -> None:
    ends(begun, "completed", outputs={"work": {"n": "many"}})
    assert [(outcome, code) for outcome, code, _ in codes(begun)] == [("failed", "output_mismatch")]


def test_a_blocked_child_blocks_its_parent_until_it_goes_on(begun: "Story") -> None:
    for blocked, status in ((True, "blocked_uncertain"), (True, "blocked_uncertain"), (False, "running")):
        begun.tell(ChildSeen(begun.at_ms, ID, "inner-1", blocked))
        assert begun.state.status == status
    ends(begun, "completed")
    assert begun.state.status == "completed"


def test_a_blocked_child_that_is_cancelled_ends_its_parent_cancelled(begun: "Story") -> None:
    begun.tell(ChildSeen(begun.at_ms, ID, "inner-1", blocked=True))
    begun.cancels()
    assert [one.stop is not None for one in begun.pending if isinstance(one, DriveChild)] == [True]
    ends(begun, "cancelled")
    assert begun.state.status == "cancelled"


def test_news_of_a_child_that_is_no_child_of_this_step_changes_nothing(begun: "Story") -> None:
    before = begun.state
    assert not begun.tell(ChildSeen(begun.at_ms, "child#7", "inner-7", blocked=True))
    assert not begun.tell(ChildEnded(begun.at_ms, "child#7", "failed", "d", {}))
    assert begun.state == before


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "its child is not given 'word', which it requires"),
        ({"word": {"literal": "NO"}}, "what its child is given as 'word' does not fit: "),
        ({"word": {"literal": 2**60}}, "what its child is given as 'word' does not fit: "),
        ({"word": {"literal": "x"}, "more": {"literal": 1}}, "its child has no parameter 'more'"),
    ],
)
def test_parameters_that_do_not_fit_start_no_child(
    plan: Plan, story_of: "StoryOf", given: Any, message: str
) -> None:
    """A compiler refuses most of them: this plan was altered."""
    step: Any = plan["steps"][0]
    step["input"] = given
    story = type(story_of("step a: wait 1s { on passed -> completed }"))(plan).prepared()
    ended = [one.event.data for one in story.history if one.event.name == "step_attempt.fail"]
    assert [data["code"] for data in ended] == ["parameters_unfit"]
    assert ended[0]["message"].startswith(message)
    assert story.state.status == "failed"


def test_a_child_that_would_be_given_something_else_now_is_not_driven(begun: "Story") -> None:
    step: Any = begun.plan["steps"][0]
    step["input"] = {"word": {"literal": "other"}}
    with pytest.raises(ReplayDivergence, match="child#1"):
        pending(begun.plan, begun.state)


def test_a_start_of_work_that_cannot_be_told_apart_is_refused(begun: "Story") -> None:
    started = next(one for one in begun.history if one.event.name == "step_attempt.start")
    earlier = type(begun)(begun.plan)
    for one in begun.history[1 : started.sequence - 1]:
        earlier.state = evolve(earlier.plan, earlier.state, one.event)
    step: Any = begun.plan["steps"][0]
    step["input"] = {}
    with pytest.raises(IllegalEvent, match="its child is not given 'word'"):
        evolve(earlier.plan, earlier.state, started.event)


@pytest.mark.parametrize(
    ("left", "starts"), [({}, True), ({"agent_time_ms": 1}, True), ({"agent_time_ms": 0}, False)]
)
def test_no_child_starts_once_the_agent_time_is_used_up(begun: "Story", left: dict[str, Any], starts: bool) -> None:
    dispatched = next(one for one in begun.history if one.event.name == "assignment.dispatch")
    parent = Parent("r", "s#1", left)
    state = evolve(
        begun.plan, None, created("r", begun.plan, "0" * 64, {"word": "x"}, simulated=False, parent=parent)
    )
    for one in begun.history[1 : dispatched.sequence - 1]:
        state = evolve(begun.plan, state, one.event)
    over = exceeded(begun.plan, state, dispatched.event, 0)
    assert (over is None) == starts
    assert over is None or "limits.agent_time" in over.message()
