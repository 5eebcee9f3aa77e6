"""What work uses while it goes on: counted once, from the journal, and stopped at a ceiling."""

from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import StopAttempt
from akm.kernel.event import Event
from akm.kernel.evolve import IllegalEvent, evolve
from akm.kernel.observation import AttemptEnded, AttemptLost, SessionsClosed, UsageSeen

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

STEP = 'step look: agent clerk { prompt "Look.", on passed -> completed }'
CAPPED = f"limits {{ tokens 1000, cost 2 USD }}\n{STEP}"
TWO = """step look: agent clerk { prompt "Look.", on passed -> then }
step then: exec chat { on passed -> completed }"""
FIRST = "look#1/1"


def uses(story: "Story", attempt: str = FIRST, **usage: Any) -> list[str]:
    """What is recorded when the attempt says what it has used."""
    return [event.name for event in story.tell(UsageSeen(story.at_ms, attempt, usage))]


def spent(story: "Story") -> tuple[int, int]:
    return story.state.counters.tokens, story.state.counters.cost_microdollars


def replies(story: "Story", attempt: str = FIRST, **reply: Any) -> None:
    story.says(attempt, **reply)


def test_the_total_at_the_end_counts_only_what_it_adds(story_of: "StoryOf") -> None:
    story = story_of(STEP)
    uses(story, tokens=300, cost_usd=0.5)
    uses(story, tokens=700, cost_usd=0.5)
    assert spent(story) == (700, 500_000)
    replies(story, usage={"tokens": 900, "cost_usd": 0.75})
    assert (story.state.status, *spent(story)) == ("completed", 900, 750_000)


@pytest.mark.parametrize("told", [{"tokens": 10}, {}, None])
def test_what_was_used_stays_counted_whatever_the_end_says(story_of: "StoryOf", told: Any) -> None:
    story = story_of(STEP)
    uses(story, tokens=700)
    replies(story, **({} if told is None else {"usage": told}))
    assert (spent(story), story.state.counters.unmetered) == ((700, 0), 0)


def test_a_total_that_falls_or_stands_records_nothing(story_of: "StoryOf") -> None:
    story = story_of(STEP)
    assert uses(story, tokens=700) == ["usage.seen"]
    assert uses(story, tokens=700) == uses(story, tokens=3) == uses(story, tokens="many") == []
    assert spent(story) == (700, 0)


@pytest.mark.parametrize(
    ("usage", "counter", "ceiling"),
    [({"tokens": 1_001}, "limits.tokens", 1_000), ({"cost_usd": 2.5}, "limits.cost", 2_000_000)],
)
def test_past_a_ceiling_the_work_is_stopped_and_the_run_fails_by_name(
    story_of: "StoryOf", usage: dict[str, Any], counter: str, ceiling: int
) -> None:
    story = story_of(CAPPED)
    assert uses(story, **usage) == ["usage.seen", "budget.exhausted"]
    assert story.pending == (StopAttempt(FIRST),)
    story.tell(SessionsClosed(story.at_ms, "clerk@1", "stopped", (stopped(story),)))
    reason = next(one.event.data for one in story.history if one.event.name == "budget.exhausted")
    assert story.state.status == "failed"
    assert (reason["code"], reason["counter"], reason["ceiling"]) == ("budget_exhausted", counter, ceiling)
    assert "declared" in reason["message"]


def test_at_a_ceiling_work_may_still_answer(story_of: "StoryOf") -> None:
    story = story_of(CAPPED)
    assert uses(story, tokens=1_000, cost_usd=2) == ["usage.seen"]
    replies(story, usage={"tokens": 1_000, "cost_usd": 2})
    assert story.state.status == "completed"


def test_what_a_lost_attempt_used_counts_beside_what_the_next_uses(story_of: "StoryOf") -> None:
    story = story_of(CAPPED)
    uses(story, tokens=600)
    story.tell(SessionsClosed(story.at_ms, "clerk@1", "ended", (AttemptLost(story.at_ms, FIRST, "crash"),)))
    assert uses(story, "look#1/2", tokens=400) == ["usage.seen"]
    assert uses(story, "look#1/2", tokens=401) == ["usage.seen", "budget.exhausted"]
    assert spent(story) == (1_001, 0)


def test_late_news_of_an_attempt_that_is_over_or_unknown_changes_nothing(story_of: "StoryOf") -> None:
    story = story_of(
        f"{STEP[:-1].replace('completed', 'then')}}}\nstep then: exec chat {{ on passed -> completed }}"
    )
    replies(story, usage={"tokens": 5})
    assert uses(story, tokens=900) == uses(story, "nobody#1/1", tokens=900) == []
    assert spent(story) == (5, 0)


@pytest.mark.parametrize(("entity", "tokens"), [(FIRST, 699), ("look#1/2", 701)])
def test_an_event_that_tells_less_or_of_nobody_is_refused(story_of: "StoryOf", entity: str, tokens: int) -> None:
    story = story_of(STEP)
    uses(story, tokens=700)
    event = Event("usage.seen", entity, None, None, {"tokens": tokens, "cost_microdollars": 0})
    with pytest.raises(IllegalEvent):
        evolve(story.plan, story.state, event)
    assert spent(story) == (700, 0)


def stopped(story: "Story") -> AttemptEnded:
    return AttemptEnded(story.at_ms, FIRST, signal=15, stopped=True)
