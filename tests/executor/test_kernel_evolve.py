"""What `evolve` refuses: events that fit neither the state, nor the plan, nor any table."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.event import Event
from akm.kernel.evolve import IllegalEvent, evolve
from akm.kernel.invariants import INVARIANTS, History, check, final_state
from akm.kernel.machines import IllegalMove

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

TWO_STEPS = """step a: exec read { on passed -> b }
step b: wait signal go { timeout 1h, on passed -> completed, on expired -> failed }"""


def move(name: str, entity: str, source: str | None, target: str, **data: Any) -> Event:
    return Event(name, entity, source, target, data)


def fact(name: str, entity: str, **data: Any) -> Event:
    return Event(name, entity, None, None, data)


#: While step `a` is at work.
AT_WORK: list[tuple[str, Event]] = [
    ("wrong source", move("attempt.execute", "a#1/1", "created", "executing")),
    ("wrong target", move("attempt.execute", "a#1/1", "starting", "terminal")),
    ("unknown trigger", move("attempt.fly", "a#1/1", "starting", "executing")),
    ("trigger of another state", move("attempt.end", "a#1/1", "starting", "terminal")),
    ("unknown lifecycle", move("weather.change", "a#1/1", "sun", "rain")),
    ("lifecycle of no run", move("delivery.create", "d", None, "planned")),
    ("unknown fact", fact("weather.changed", "r")),
    ("a move without its target", fact("attempt.execute", "a#1/1")),
    ("unknown attempt", move("attempt.execute", "a#1/9", "starting", "executing")),
    ("unknown assignment", move("assignment.execute", "a#9", "dispatched", "executing")),
    ("unknown effect", move("effect.dispatch", "a#1/9", "intent_recorded", "dispatched")),
    ("another run", move("run.complete", "other", "running", "completed")),
    ("birth of a second run", move("run.create", "r", None, "created")),
    ("second active step", move("step_attempt.create", "b#1", None, "pending", step="b", number=1, entered_ms=0)),
    ("a step that is not active", move("step_attempt.pass", "b#1", "running", "passed", outcome="passed")),
    (
        "used assignment id",
        move("assignment.create", "a#1", None, "created", step_attempt="a#1", input_hash="0"),
    ),
    (
        "assignment of another step",
        move("assignment.create", "b#1", None, "created", step_attempt="b#1", input_hash="0"),
    ),
    ("used attempt id", move("attempt.create", "a#1/1", None, "created", assignment="a#1", number=1)),
    ("second attempt at work", move("attempt.create", "a#1/2", None, "created", assignment="a#1", number=2)),
    ("attempt out of turn", move("attempt.create", "a#1/3", None, "created", assignment="a#1", number=3)),
    ("attempt of nothing", move("attempt.create", "b#1/1", None, "created", assignment="b#1", number=1)),
    ("birth in a later state", move("effect.create", "a#1/1", None, "settled", key="k")),
    ("used effect id", move("effect.create", "a#1/1", None, "intent_recorded", key="k")),
    ("effect of nothing", move("effect.create", "a#1/9", None, "intent_recorded", key="k")),
    (
        "a step that ends while its work runs",
        move("step_attempt.pass", "a#1", "running", "passed", outcome="passed"),
    ),
    ("a run that ends while its step runs", move("run.complete", "r", "running", "completed")),
    ("a transition before the end", fact("transition.taken", "a#1", step="a", outcome="passed", target="b")),
    ("a signal that nobody sent", fact("signal.consumed", "a#1", number=1)),
]
AT_WORK_NAMES = [name for name, _ in AT_WORK]


@pytest.mark.parametrize("event", [event for _, event in AT_WORK], ids=AT_WORK_NAMES)
def test_an_event_that_does_not_fit_is_refused_and_changes_nothing(story_of: "StoryOf", event: Event) -> None:
    story = story_of(TWO_STEPS)
    before = repr(story.state)
    with pytest.raises((IllegalEvent, IllegalMove)):
        evolve(story.plan, story.state, event)
    assert repr(story.state) == before


def until(story: "Story", name: str) -> Any:
    """The state before the first event called `name`."""
    at = [recorded.event.name for recorded in story.history].index(name)
    return final_state(History(story.plan, tuple(story.history[:at])))


@pytest.mark.parametrize(
    "data",
    [
        {"step": "a", "outcome": "failed", "target": "failed"},
        {"step": "a", "outcome": "passed", "target": "completed"},
        {"step": "b", "outcome": "passed", "target": "completed"},
        {"step": "a", "outcome": "flown", "target": "b"},
    ],
)
def test_only_the_transition_of_the_outcome_is_taken(story_of: "StoryOf", data: dict[str, Any]) -> None:
    story = story_of(TWO_STEPS)
    story.ends("a#1/1")
    with pytest.raises(IllegalEvent):
        evolve(story.plan, until(story, "transition.taken"), fact("transition.taken", "a#1", **data))


def test_only_the_step_that_a_transition_selected_is_entered(story_of: "StoryOf") -> None:
    story = story_of(TWO_STEPS)
    born = move("step_attempt.create", "b#1", None, "pending", step="b", number=1, entered_ms=0)
    with pytest.raises(IllegalEvent, match="no transition leads to"):
        evolve(story.plan, until(story, "step_attempt.create"), born)


@pytest.mark.parametrize(("entity", "number"), [("a#2", 2), ("a#0", 0), ("b#1", 1), ("a", 1)])
def test_step_attempts_are_numbered_without_gaps(story_of: "StoryOf", entity: str, number: int) -> None:
    story = story_of(TWO_STEPS)
    born = move("step_attempt.create", entity, None, "pending", step="a", number=number, entered_ms=0)
    with pytest.raises(IllegalEvent, match="not the next attempt"):
        evolve(story.plan, until(story, "step_attempt.create"), born)


@pytest.mark.parametrize(
    "event",
    [
        move("run.complete", "r", "waiting", "completed"),
        move("run.fail", "r", "waiting", "failed"),
        move("run.cancel", "r", "waiting", "cancelled"),
    ],
)
def test_a_run_ends_only_as_something_recorded_ends_it(story_of: "StoryOf", event: Event) -> None:
    story = story_of(TWO_STEPS)
    story.ends("a#1/1")
    state = story.state
    assert state.active is not None
    for active in (None, state.active, replace(state.active, status="failed", outcome="expired")):
        with pytest.raises(IllegalEvent):
            evolve(story.plan, replace(state, active=active), event)


@pytest.mark.parametrize("birth", ["run.prepare", "attempt.create", "signal.received"])
def test_a_run_begins_with_its_birth(story_of: "StoryOf", birth: str) -> None:
    story = story_of(TWO_STEPS)
    with pytest.raises(IllegalEvent, match=r"begins with run\.create"):
        evolve(story.plan, None, move(birth, "r", None, "created"))


@pytest.mark.parametrize("how", ["completes", "fails"])
def test_nothing_follows_the_end_of_a_run(story_of: "StoryOf", how: str) -> None:
    story = story_of(TWO_STEPS)
    story.ends("a#1/1", 0 if how == "completes" else 1)
    if how == "completes":
        story.signals("go")
    for event in (
        move("run.fail", "r", story.state.status, "failed"),
        fact("signal.refused", "r", number=9),
        fact("cancel.requested", "r", code="c", message="m"),
    ):
        with pytest.raises(IllegalEvent, match="nothing follows"):
            evolve(story.plan, story.state, event)


def test_a_run_is_asked_to_cancel_once(story_of: "StoryOf") -> None:
    story = story_of(TWO_STEPS)
    asked = fact("cancel.requested", "r", code="c", message="m")
    with pytest.raises(IllegalEvent, match="already"):
        evolve(story.plan, evolve(story.plan, story.state, asked), asked)


def test_a_state_of_which_two_others_were_made_is_what_it_was(story_of: "StoryOf") -> None:
    story = story_of(TWO_STEPS)
    shown = repr(story.state)
    executed = evolve(story.plan, story.state, move("attempt.execute", "a#1/1", "starting", "executing"))
    lost = evolve(story.plan, story.state, move("attempt.lose", "a#1/1", "starting", "connection_lost"))
    assert repr(story.state) == shown
    assert executed.attempts["a#1/1"].status == "executing"
    assert lost.attempts["a#1/1"].status == "connection_lost"


def test_a_history_that_names_an_unknown_step_is_a_violation_and_no_exception(story_of: "StoryOf") -> None:
    story = story_of(TWO_STEPS)
    story.ends("a#1/1")
    for at, recorded in enumerate(story.history):
        altered = list(story.history)
        altered[at] = replace(recorded, event=recorded.event._replace(entity="zz#1"))
        assert check(History(story.plan, tuple(altered))), recorded.event.name


def test_each_of_the_ten_invariants_has_a_name() -> None:
    assert len(INVARIANTS) == 10


def test_every_prefix_of_a_history_is_a_history(story_of: "StoryOf") -> None:
    story = story_of(TWO_STEPS)
    story.ends("a#1/1")
    story.signals("go")
    for length in range(len(story.history) + 1):
        assert check(History(story.plan, tuple(story.history[:length]))) == ()
