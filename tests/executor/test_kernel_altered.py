"""Histories that somebody altered: each event is a legal one, in a place where it is not."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.ceilings import share
from akm.kernel.command import StartAttempt
from akm.kernel.decide import created
from akm.kernel.event import Event, Recorded
from akm.kernel.evolve import IllegalEvent, evolve
from akm.kernel.invariants import History, check
from akm.kernel.observation import RepositoriesSeen
from akm.kernel.state import Parent
from akm.kernel.steps import passes
from akm.kernel.summary import summarise

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

WORK = """step a: exec read { retry 1 on failed, on passed -> b, on failed -> failed }
step b: exec upload { evidence done: receipt, on passed -> completed, on failed -> failed }"""
CHAT = 'step a: agent clerk { prompt "Say.", on passed -> completed, on failed -> failed }'
DELIVERY = (
    "step a: deliver [site, book] { timeout 1m, on passed -> completed, on partial -> failed, on failed -> failed }"
)


def found(story: "Story", events: Sequence[Recorded], projection: Any = None) -> set[tuple[str, str]]:
    return {(each.name, each.message) for each in check(History(story.plan, tuple(events), projection))}


def altered(story: "Story", name: str, change: Callable[[Event], Event]) -> list[Recorded]:
    """The history with each event of that name changed."""
    events = [replace(one, event=change(one.event)) if one.event.name == name else one for one in story.history]
    assert events != story.history
    return events


def worked(story_of: "StoryOf") -> "Story":
    """One retry, and a receipt that a step owes."""
    story = story_of(WORK)
    story.ends("a#1/1", 1)
    story.ends("a#1/2")
    story.ends("b#1/1")
    story.answers("b#1/1", "found", 7)
    assert story.state.status == "completed"
    return story


def test_a_move_of_what_has_no_lifecycle_is_found(story_of: "StoryOf") -> None:
    story = worked(story_of)
    events = altered(story, "attempt.end", lambda event: event._replace(name="weather.end"))
    assert ("no_final_left", "weather.end moves what has no lifecycle") in found(story, events)


def test_a_step_that_passed_without_its_evidence_is_found(story_of: "StoryOf") -> None:
    story = worked(story_of)
    events = [one for one in story.history if one.event.name != "evidence.captured"]
    assert ("evidence_fresh", "b#1 passed without its evidence 'done'") in found(story, events)


def test_evidence_of_another_step_attempt_is_found(story_of: "StoryOf") -> None:
    story = worked(story_of)
    events = altered(
        story, "evidence.captured", lambda event: event._replace(data={**event.data, "step_attempt": "b#0"})
    )
    assert ("evidence_fresh", "b#1 passed by the evidence 'done' of b#0") in found(story, events)


@pytest.mark.parametrize(
    ("reason", "message"),
    [
        ("lost", None),
        ("resolved", "a#1/1 was repeated without a recorded resolution"),
        ("failed", "a#1/1 was repeated before its effect was accounted for"),
    ],
)
def test_work_that_was_repeated_without_proof_is_found(
    story_of: "StoryOf", reason: str, message: str | None
) -> None:
    """What was lost may be repeated here, since its tool only reads."""
    story = worked(story_of)
    retried = altered(
        story, "assignment.retry", lambda event: event._replace(data={**event.data, "reason": reason, "seen": 0})
    )
    events = [one for one in retried if not one.event.name.startswith("effect.")]
    told = [text for name, text in found(story, events) if name == "uncertain_not_replayed"]
    assert told == ([] if message is None else [message])


@pytest.mark.parametrize("name", ["status", "step", "outcome", "sequence", "uncertain", "reason"])
def test_a_projection_that_shows_something_else_is_found(story_of: "StoryOf", name: str) -> None:
    story = worked(story_of)
    shown = summarise(story.plan, story.state)
    assert not found(story, story.history, shown)
    message = ("projection_powerless", f"the projection differs from the events in: {name}")
    assert message in found(story, story.history, {**shown, name: "else"})
    assert message in found(story, story.history, {key: value for key, value in shown.items() if key != name})


def test_a_session_of_another_run_is_found(story_of: "StoryOf") -> None:
    story = story_of(CHAT)
    events = altered(story, "session.create", lambda event: event._replace(data={**event.data, "run": "other"}))
    session = story.history[-1].event.data.get("session") or "clerk@1"
    assert ("sessions_kept", f"session {session} belongs to another run") in found(story, events)


def session(name: str, source: str | None, target: str, entity: str = "clerk@1", **data: Any) -> Event:
    return Event(f"session.{name}", entity, source, target, data)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (session("create", None, "created", "clerk@2", run="r", scope=None), "is not the next session of clerk"),
        (session("close", "active", "closed", "clerk@9"), "there is no session clerk@9"),
        (session("rest", "active", "idle"), "clerk@1 is at work"),
        (
            Event("session.joined", "a#1/9", None, None, {"session": "clerk@1", "epoch": 1}),
            "is not waiting to be asked",
        ),
        (Event("delivery.prepare", "a#1", "planned", "preparing", {}), "there is no delivery a#1"),
        (Event("gate.rejected", "b#1", None, None, {"feedback": "x"}), "b#1 is not the active step attempt"),
        (Event("gate.rejected", "a#1", None, None, {"feedback": "x"}), "1 assignments of a#1 are not terminal"),
        (Event("signal.received", "r", None, None, {"simulated": True}), "simulated and real records do not mix"),
    ],
)
def test_an_event_in_the_wrong_place_is_refused(story_of: "StoryOf", event: Event, message: str) -> None:
    story = story_of(CHAT)
    with pytest.raises(IllegalEvent) as refused:
        evolve(story.plan, story.state, event)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (
            Event("delivery.create", "a#1", None, "planned", {"repositories": ["site"]}),
            "the id a#1 is used already",
        ),
        (Event("delivery.deliver", "a#9", "preparing", "delivering", {}), "a#9 is not the active step attempt"),
        (
            Event("repository_delivery.create", "a#1:far", None, "pending", {}),
            "no repository is delivered by a#1:far",
        ),
    ],
)
def test_an_event_of_no_such_delivery_is_refused(story_of: "StoryOf", event: Event, message: str) -> None:
    story = story_of(DELIVERY)
    with pytest.raises(IllegalEvent) as refused:
        evolve(story.plan, story.state, event)
    assert message in str(refused.value)


def test_a_second_reason_to_end_changes_nothing(story_of: "StoryOf") -> None:
    story = story_of(WORK)
    story.cancels()
    before = story.state.ending
    assert before is not None
    event = Event("budget.exhausted", "r", None, None, {"code": "x", "message": "y"})
    assert evolve(story.plan, story.state, event).ending == before


def test_a_step_whose_pin_nobody_captured_fails_by_that_name(story_of: "StoryOf") -> None:
    """No compiled plan leads there: this one was altered."""
    story = story_of(
        """step build: exec read { output { wheel: file }, evidence wheel: artifact { pin }, on passed -> publish }
step publish: exec read { requires pin wheel, on passed -> completed, on failed -> cancelled }"""
    )
    story.plan["steps"][0]["transitions"]["failed"]["target"] = "publish"
    story.ends("build#1/1", 1)
    ended = [one.event.data for one in story.history if one.event.name == "step_attempt.fail"]
    assert [data.get("code") for data in ended][1:] == ["pin_missing"]


def test_a_push_runs_no_hook_signs_nothing_and_takes_nothing_along(story_of: "StoryOf") -> None:
    story = story_of(DELIVERY)
    commits = {"site": "a" * 40, "book": "b" * 40}
    story.tell(RepositoriesSeen(story.at_ms, "a#1", commits))
    argv = [one.argv for one in story.pending if isinstance(one, StartAttempt)]
    flags = ("--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no")
    assert [each[:7] for each in argv] == [("git", "push", *flags)] * 2
    assert [each[-1].partition(":")[0] for each in argv] == [commits["site"], commits["book"]]
    assert all(each[7].startswith("--force-with-lease=refs/heads/") and each[7].endswith(":") for each in argv)


def test_how_an_attempt_ended_is_recorded(story_of: "StoryOf") -> None:
    story = worked(story_of)
    settled = [one.event.data for one in story.history if one.event.name == "attempt.settle"]
    assert [data["end"] for data in settled] == ["observed"] * 3


def test_work_that_is_lost_while_a_run_is_cancelled_is_not_done_again(story_of: "StoryOf") -> None:
    story = story_of(WORK)
    story.cancels()
    story.loses("a#1/1")
    cancelled = [one.event.data for one in story.history if one.event.name == "assignment.cancel"]
    assert cancelled == [{"attempt": "a#1/1"}]
    assert story.state.status == "cancelled"


@pytest.mark.parametrize(
    ("given", "left"),
    [({"units": 1}, {"units": 1}), ({"units": 10**9}, {}), ({"tokens": 5}, {"tokens": 5}), ({}, {})],
)
def test_a_child_spends_the_less_of_its_own_limit_and_of_what_its_parent_has_left(
    story_of: "StoryOf", given: dict[str, Any], left: dict[str, Any]
) -> None:
    plan = story_of(WORK).plan
    own = {"units": plan["limits"]["units"]["value"]}
    birth = created("c", plan, "0" * 64, {}, simulated=False, parent=Parent("r", "s#1", given))
    assert share(plan, evolve(plan, None, birth), 0) == own | left


@pytest.mark.parametrize(
    ("outcome", "listed", "passed"),
    [
        ("passed", ("passed", "failed"), True),
        ("failed", ("passed", "failed"), False),
        ("revise", ("passed", "revise"), False),
        ("revise", ("revise", "failed"), True),
        ("failed", ("revise", "failed"), False),
    ],
)
def test_a_step_passes_by_passed_or_without_it_by_what_carries_an_output(
    outcome: str, listed: Sequence[str], passed: bool
) -> None:
    step: Any = {"transitions": dict.fromkeys(listed)}
    assert passes(step, outcome) is passed
