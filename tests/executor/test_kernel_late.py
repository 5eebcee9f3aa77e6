"""News that a run cannot use any more, and questions that only an altered history asks."""

from typing import TYPE_CHECKING

import pytest

from akm.kernel import observation as seen
from akm.kernel.draft import Draft
from akm.kernel.machines import IllegalMove, target
from akm.kernel.resolution import files_named
from akm.kernel.units import unit_of

if TYPE_CHECKING:
    from tests.executor.conftest import StoryOf

STEPS = """step a: agent coder { prompt "Do it.", output { n: number }, on passed -> b, on failed -> failed }
step b: wait 1s { on passed -> completed }"""
LATE = (
    seen.Prepared(0, ()),
    seen.Prepared(0, ("no tool",)),
    seen.PinsChecked(0, "a#1", "start", {}),
    seen.PinsChecked(0, "b#7", "end", {}),
    seen.RepositoriesSeen(0, "a#1", {}),
    seen.ArtifactsChecked(0, "b#7", ("x",)),
    seen.AttemptEnded(0, "a#1/7", 0),
    seen.AttemptLost(0, "a#1/7", "crash"),
    seen.AttemptReattached(0, "a#1/7", {"pid": 7}),
    seen.ReceiptAnswered(0, "a#1/7", "found", 7),
)


@pytest.mark.parametrize("news", LATE, ids=lambda news: type(news).__name__)
def test_news_of_what_is_not_under_way_changes_nothing(story_of: "StoryOf", news: seen.Observation) -> None:
    story = story_of(STEPS)
    before = story.state
    assert not story.tell(news)
    assert story.state == before


@pytest.mark.parametrize(("reply", "code"), [('{"outcome":"passed","n":1e999}', "output_not_json")])
def test_a_number_that_cannot_be_written_down_is_no_output(story_of: "StoryOf", reply: str, code: str) -> None:
    story = story_of(STEPS)
    story.ends("a#1/1", stdout=reply.encode())
    assert [found["code"] for found in story.results] == [code]
    assert story.state.status == "failed"


def test_a_move_that_no_table_lists_cannot_be_drafted(story_of: "StoryOf") -> None:
    story = story_of(STEPS)
    with pytest.raises(IllegalMove, match="no move 'end' from state 'starting'"):
        Draft(story.plan, story.state, 0).move("attempt", "a#1/1", "end")
    assert target("weather.change", "sun") is None


def test_a_step_without_processes_has_no_unit(story_of: "StoryOf") -> None:
    with pytest.raises(KeyError, match="b#1"):
        unit_of(story_of(STEPS).plan, "b#1")


@pytest.mark.parametrize("effect", ["nothing", "b#1/1", "z#1/1"])
def test_a_reference_names_no_files_of_what_is_no_effect(story_of: "StoryOf", effect: str) -> None:
    asked = seen.ResolutionGiven(0, 1, effect, "mark-completed", "alice", "looked", '{"n": 1}')
    assert files_named(story_of(STEPS).plan, asked) == ()
