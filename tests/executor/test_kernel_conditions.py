"""What a step needs to start or to pass (skips, evidence, pins), and what holds over all (properties, budgets)."""

import copy
from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import CheckPins
from akm.kernel.event import Event
from akm.kernel.observation import PinsChecked, StoredFile
from akm.kernel.properties import violated
from akm_specs.plan import Property

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

MADE = StoredFile("a" * 64, 3)
PINNED = """step build: exec read { output { wheel: file }, evidence wheel: artifact { pin }, on passed -> publish }
step publish: exec read { requires pin wheel, on passed -> completed, on failed -> cancelled }"""


def failed(story: "Story") -> Any:
    return [one.event.data.get("code") for one in story.history if one.event.name == "step_attempt.fail"]


def built(story: "Story") -> "Story":
    story.ends("build#1/1", stdout=b'{"wheel": "w.whl"}', files={"w.whl": MADE})
    return story


def look(story: "Story", sha256: str | None) -> None:
    (asked,) = story.pending
    assert isinstance(asked, CheckPins)
    story.tell(PinsChecked(0, asked.step_attempt, asked.when, {"w.whl": sha256}))


# skips -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("value", "path"), [("x", "a skipped completed"), ("y", "")])
def test_a_step_is_passed_by_where_the_value_is_the_constant(story_of: "StoryOf", value: str, path: str) -> None:
    story = story_of(
        'step a: exec read { skip when params.value is "x", on passed -> completed, on skipped -> completed }',
        value=value,
    )
    assert story.transitions == ([path] if path else [])
    assert ("assignment.create" in story.names) == (not path)


# pins ------------------------------------------------------------------------------------------------


def test_a_pin_is_looked_at_before_the_start_and_before_the_pass(story_of: "StoryOf") -> None:
    story = built(story_of(PINNED))
    assert story.pending == (CheckPins("publish#1", "start", ("w.whl",)),)
    look(story, MADE.sha256)
    assert story.starts == ["publish#1/1"]
    story.ends("publish#1/1")
    assert story.pending == (CheckPins("publish#1", "end", ("w.whl",)),)
    look(story, MADE.sha256)
    assert story.state.status == "completed"


@pytest.mark.parametrize("found", [None, "b" * 64])
@pytest.mark.parametrize("when", ["start", "end"])
def test_a_changed_pin_fails_the_step(story_of: "StoryOf", when: str, found: str | None) -> None:
    story = built(story_of(PINNED))
    if when == "end":
        look(story, MADE.sha256)
        story.ends("publish#1/1")
    look(story, found)
    assert failed(story) == ["pin_changed"]
    assert story.state.status == "cancelled"


# evidence --------------------------------------------------------------------------------------------

MANY = """step each: map it in params.items {
  run tool read, parallel 3, tolerate 2, evidence done: result { min 2 }
  on passed -> completed, on failed -> cancelled }"""


@pytest.mark.parametrize(("passes", "status"), [(1, "cancelled"), (2, "completed")])
def test_evidence_is_counted_over_the_results_that_passed(story_of: "StoryOf", passes: int, status: str) -> None:
    story = story_of(MANY)
    for number, attempt in enumerate(story.starts):
        story.ends(attempt, int(number >= passes))
    assert story.state.status == status
    assert failed(story) == ([] if status == "completed" else ["evidence_missing"])


PANEL = """step review: panel {
  assign 2 of [ada, ben] { maximum 3 }, join settled pass 1, prompt "Look."
  evidence reviewed: result { by [ada, ben], producers 2, degraded 1 }
  on passed -> completed, on quorum_not_met -> failed, on failed -> cancelled }"""


@pytest.mark.parametrize(
    ("second", "third", "status"),
    [(0, None, "completed"), (1, None, "cancelled"), (77, 1, "completed"), (77, 0, "completed")],
)
def test_fewer_producers_are_enough_where_one_refused(
    story_of: "StoryOf", second: int, third: int | None, status: str
) -> None:
    story = story_of(PANEL)
    reply = b'{"outcome": "passed"}'
    story.ends("review#1:1/1", stdout=reply)
    story.ends("review#1:2/1", second, stdout=reply)
    if third is not None:
        story.ends("review#1:3/1", third, stdout=reply)
    assert story.state.status == status


def test_a_gate_and_an_approval_leave_evidence(story_of: "StoryOf") -> None:
    story = story_of("""step a: agent ada { prompt "p", output { t: string }, gate { rubric "r" }
      evidence judged: gate, on passed -> b }
    step b: approval { by alice, timeout 1h, evidence signed: approval
      on passed -> completed, on rejected -> failed, on expired -> failed }""")
    story.says("a#1/1", t="t")
    story.judges("a.gate#1/1", complete=True)
    story.decides("b#1")
    captured = {
        one.event.data["name"]: one.event.data["kind"]
        for one in story.history
        if one.event.name == "evidence.captured"
    }
    assert captured == {"judged": "gate", "signed": "approval"}
    assert story.state.status == "completed"


AGAIN = """limits {{ transitions 6 }}
step each: map it in params.items {{ attempts 2, run tool read, parallel 3, tolerate 2
  evidence done: result {{ {reusable}min 2 }}, on passed -> check, on failed -> cancelled }}
step check: gate read {{ attempts 2, on passed -> completed, on failed -> each max 1 }}"""


@pytest.mark.parametrize(("reusable", "status"), [("reusable, ", "completed"), ("", "cancelled")])
def test_only_reusable_evidence_of_an_earlier_attempt_serves(
    story_of: "StoryOf", reusable: str, status: str
) -> None:
    story = story_of(AGAIN.format(reusable=reusable))
    for attempt in story.starts:
        story.ends(attempt)
    story.ends("check#1/1", 1)
    for number, attempt in enumerate(story.starts):
        story.ends(attempt, int(number > 0))
    if status == "completed":
        story.ends("check#2/1")
    assert story.state.status == status
    sources = [one.event.data["step_attempt"] for one in story.history if one.event.name == "evidence.captured"]
    assert sources == (["each#1", "each#1"] if status == "completed" else ["each#1"])


# properties ------------------------------------------------------------------------------------------

LINE = """step a: exec read { on passed -> b, on failed -> b }
step b: exec read { on passed -> completed, on failed -> cancelled }"""


def held(story: "Story", each: Property) -> "Story":
    """The run, with a property that the compiler has not proved."""
    story.plan = copy.deepcopy(story.plan)
    story.plan["properties"] = [each]
    return story


@pytest.mark.parametrize(
    ("each", "first"),
    [
        ({"kind": "before", "first": "a", "step": "b"}, 1),
        ({"kind": "at_most", "step": "b", "count": 0}, 0),
        ({"kind": "never_after", "step": "b", "after": "a"}, 0),
    ],
)
def test_a_step_that_would_break_a_property_is_not_entered(story_of: "StoryOf", each: Property, first: int) -> None:
    story = held(story_of(LINE), each)
    story.ends("a#1/1", first)
    assert story.state.status == "failed"
    assert story.state.reason is not None
    assert story.state.reason["code"] == "property_violated"
    assert "b#1" not in [one.event.entity for one in story.history]


def test_a_run_does_not_complete_past_a_step_that_it_must_go_through(story_of: "StoryOf") -> None:
    story = held(story_of(LINE), {"kind": "only_through", "step": "b", "through": "a"})
    story.ends("a#1/1")
    story.ends("b#1/1")
    assert story.state.reason is not None
    assert story.state.reason["code"] == "property_violated"


def test_a_property_that_holds_is_in_nobodys_way(story_of: "StoryOf") -> None:
    story = held(story_of(LINE), {"kind": "before", "first": "a", "step": "b"})
    story.ends("a#1/1")
    story.ends("b#1/1")
    assert story.state.status == "completed"
    event = Event("transition.taken", "b#1", None, None, {"target": "completed"})
    assert violated(story.plan, story.state, event) is None


# budgets ---------------------------------------------------------------------------------------------


def exhausted(story: "Story") -> Any:
    return [one.event.data["counter"] for one in story.history if one.event.name == "budget.exhausted"]


def test_what_agents_take_is_bounded_while_they_work_and_after(story_of: "StoryOf") -> None:
    steps = """limits {{ agent_time 10s }}
    step a: agent ada {{ prompt "p", on passed -> b }}
    step b: {what} {{ {more} on passed -> completed }}"""
    story = story_of(steps.format(what="agent ada", more='prompt "p",'))
    story.tick(6_000)
    story.says("a#1/1")
    assert story.state.counters.agent_time_ms == 6_000
    story.tick(3_900)
    assert not exhausted(story)
    story.tick(200)
    assert exhausted(story) == ["limits.agent_time"]
    other = story_of(steps.format(what="exec read", more=""))
    other.tick(9_000)
    other.says("a#1/1")
    other.tick(90_000)
    other.ends("b#1/1")
    assert other.state.status == "completed"


def test_what_retried_and_lost_attempts_spent_counts(story_of: "StoryOf") -> None:
    story = story_of("""limits { tokens 100 }
    step a: agent coder { prompt "p", retry 2 on failed, on passed -> completed, on failed -> cancelled }""")
    story.ends("a#1/1", stdout=b'{"outcome": "failed", "usage": {"tokens": 60}}')
    assert story.starts == ["a#1/2"]
    story.tick(2_000)
    story.loses("a#1/2")
    counters = story.state.counters
    assert (counters.tokens, counters.unmetered, counters.agent_time_ms, counters.attempts) == (60, 1, 2_000, 3)
    story.ends("a#1/3", stdout=b'{"outcome": "failed", "usage": {"tokens": 60}}')
    assert exhausted(story) == ["limits.tokens"]


def test_every_assignment_counts_a_judges_too(story_of: "StoryOf") -> None:
    story = story_of("""limits { units 2 }
    step a: agent ada { prompt "p", output { t: string }, gate { rubric "r", max_loops 2 }
      on passed -> completed }""")
    story.says("a#1/1", t="t")
    story.judges("a.gate#1/1", complete=False)
    assert exhausted(story) == ["limits.units"]
    assert story.state.status == "failed"


def test_the_proved_worst_case_is_held_too(story_of: "StoryOf") -> None:
    story = story_of(LINE)
    story.plan = copy.deepcopy(story.plan)
    story.plan["worst"]["attempts"] = 1
    story.ends("a#1/1")
    assert exhausted(story) == ["worst case: attempts"]
