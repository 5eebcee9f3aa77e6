"""Sessions in the kernel: one for each worker and scope, in the journal from their first request to their end."""

from typing import TYPE_CHECKING

import pytest

from akm.kernel.command import StartAttempt
from akm.kernel.event import Event
from akm.kernel.evolve import IllegalEvent, evolve
from akm.kernel.invariants import History, check
from akm.kernel.observation import AttemptLost, HostSeen, SessionsClosed
from akm_specs.canonical import canonical

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

TWICE = """step one: exec chat { on passed -> two }
step two: exec chat { on passed -> completed }"""
EACH = "step each: map it in params.items { run tool chat, parallel 2, on passed -> completed }"
NARROWED = """step wide: agent clerk { prompt "Look.", on passed -> narrow }
step narrow: agent clerk { prompt "Look.", scope { read [site] }, on passed -> completed }"""


def lives(story: "Story") -> list[str]:
    """What happened to sessions, in order."""
    events = (one.event for one in story.history if one.event.lifecycle == "session")
    return [f"{event.entity} {event.trigger}" for event in events]


def served(story: "Story") -> list[str | None]:
    return [one.session for one in story.pending if isinstance(one, StartAttempt)]


def breaks(story: "Story", *lost: str) -> None:
    """The session of the tool `chat` or `order` ends, with these attempts open."""
    (session,) = (one.id for one in story.state.sessions.values())
    ends = tuple(AttemptLost(story.at_ms, each, "unobserved") for each in lost)
    story.tell(SessionsClosed(story.at_ms, session, "ended", ends))


def test_a_session_is_made_with_its_first_request_and_serves_later_steps(story_of: "StoryOf") -> None:
    story = story_of(TWICE)
    assert served(story) == ["chat@1"]
    story.ends("one#1/1")
    assert served(story) == ["chat@1"]
    story.ends("two#1/1")
    assert lives(story) == ["chat@1 create", "chat@1 activate", "chat@1 close"]


def test_a_session_serves_several_requests_at_once(story_of: "StoryOf") -> None:
    story = story_of(EACH)
    assert served(story) == ["chat@1", "chat@1"]
    assert len(story.state.sessions["chat"].at_work) == 2


def test_a_session_without_work_rests(story_of: "StoryOf") -> None:
    story = story_of(
        "step one: exec chat { on passed -> ask }\n"
        "step ask: approval { by alice, timeout 1h, on passed -> two, on rejected -> failed\n"
        "  on expired -> failed }\n"
        "step two: exec chat { on passed -> completed }"
    )
    story.ends("one#1/1")
    assert story.state.sessions["chat"].status == "idle"
    story.decides("ask#1")
    assert (story.state.sessions["chat"].status, served(story)) == ("active", ["chat@1"])


def test_a_narrower_scope_rotates_the_session_before_anything_is_dispatched(story_of: "StoryOf") -> None:
    story = story_of(NARROWED)
    assert served(story) == ["clerk@1"]
    story.says("wide#1/1")
    assert served(story) == ["clerk@2"]
    assert lives(story)[2:] == ["clerk@1 rotate", "clerk@1 close", "clerk@2 create", "clerk@2 activate"]


def test_what_a_broken_session_was_asked_is_lost_and_goes_to_the_next(story_of: "StoryOf") -> None:
    story = story_of(TWICE)
    breaks(story, "one#1/1")
    assert story.starts == ["one#1/2"]
    assert served(story) == ["chat@2"]


def test_the_class_decides_over_what_a_broken_session_was_asked(story_of: "StoryOf") -> None:
    story = story_of("step one: exec order { on passed -> completed }")
    breaks(story, "one#1/1")
    assert story.state.status == "blocked_uncertain"
    story.resolves("one#1/1", "confirm-absent")
    assert (story.starts, served(story)) == (["one#1/2"], ["order@2"])


def test_a_new_driver_has_sessions_of_its_own_for_what_was_never_asked(story_of: "StoryOf") -> None:
    story = story_of(EACH)
    story.tell(HostSeen(story.at_ms, 8))
    assert story.state.sessions["chat"].id == "chat@2"
    assert served(story) == ["chat@2", "chat@2"]
    assert story.names.count("session.joined") == 2
    assert story.names.count("attempt.create") == 2, "nothing was asked, so nothing is tried again"


def test_a_parked_run_keeps_no_session(story_of: "StoryOf") -> None:
    story = story_of("step one: exec chat { on passed -> wait }\nstep wait: wait 1h { on passed -> completed }")
    story.ends("one#1/1")
    story.tell(SessionsClosed(story.at_ms, None, "parked"))
    assert story.state.sessions["chat"].status == "closed"
    assert "session.joined" not in story.names


def test_a_cancelled_run_closes_its_sessions(story_of: "StoryOf") -> None:
    story = story_of(TWICE)
    story.cancels()
    story.ends("one#1/1", None, signal=15, stopped=True)
    assert story.state.status == "cancelled"
    assert lives(story)[-1] == "chat@1 close"


@pytest.mark.parametrize(
    ("entity", "data"),
    [
        ("chat@3", {"run": "r", "worker": "chat", "epoch": 3, "scope": "s"}),
        ("chat@1", {"run": "r", "worker": "chat", "epoch": 1, "scope": "s"}),
        ("other@1", {"run": "another", "worker": "other", "epoch": 1, "scope": "s"}),
    ],
)
def test_no_session_is_born_twice_or_in_another_run(
    story_of: "StoryOf", entity: str, data: dict[str, str | int]
) -> None:
    story = story_of(TWICE)
    with pytest.raises(IllegalEvent, match="not the next session"):
        evolve(story.plan, story.state, Event("session.create", entity, None, "created", dict(data)))


def test_a_dispatch_to_another_epoch_breaks_an_invariant(story_of: "StoryOf") -> None:
    story = story_of(TWICE)
    at = next(place for place, one in enumerate(story.history) if one.event.name == "assignment.dispatch")
    story.history[at].event.data["epoch"] = 2
    found = {one.name for one in check(History(story.plan, tuple(story.history)))}
    assert "sessions_kept" in found


def test_an_agent_in_a_session_replies_as_any_agent_does(story_of: "StoryOf") -> None:
    story = story_of(NARROWED)
    story.ends("wide#1/1", stdout=canonical({"outcome": "passed"}))
    assert story.transitions == ["wide passed narrow"]
