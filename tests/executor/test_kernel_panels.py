"""Panels: several agents on one question, within their bounds, joined whatever the order in which they answer."""

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import AwaitResolution, StopAttempt
from akm.kernel.decide import decide
from akm.kernel.digest import digest
from akm.kernel.observation import Arrived, AttemptEnded, HostSeen

if TYPE_CHECKING:
    from tests.executor.conftest import StoryOf


def panel(assign: str, join: str = "", extra: str = "") -> str:
    return f"""step review: panel {{
      assign {assign}
      {join}
      {extra}
      prompt "Look."
      output {{ note: string }}
      on passed -> completed
      on revise -> failed
      on quorum_not_met -> failed
    }}"""


ALL = panel("3 of [ada, ben, cleo]")


def outputs(story: Any) -> Any:
    return story.state.outputs["review"]


def test_the_first_seats_are_assigned_at_once_and_the_rest_stand_in(story_of: "StoryOf") -> None:
    story = story_of(panel("2 of [ada, ben, cleo] { maximum 4 }"))
    assert story.starts == ["review#1:1/1", "review#1:2/1"]
    story.ends("review#1:2/1", 77)
    assert story.starts == ["review#1:1/1", "review#1:3/1"]
    story.ends("review#1:3/1", 77)
    story.says("review#1:1/1", note="one")
    assert story.starts == ["review#1:4/1"]
    story.says("review#1:4/1", note="four")
    assert story.transitions == ["review passed completed"]
    assert outputs(story) == [{"note": "one"}, None, None, {"note": "four"}]


def test_fewer_results_than_the_minimum_are_no_quorum(story_of: "StoryOf") -> None:
    story = story_of(panel("2 of [ada, ben] { maximum 3 }"))
    story.says("review#1:1/1", note="one")
    story.ends("review#1:2/1", 77)
    story.ends("review#1:3/1", 77)
    assert story.transitions == ["review quorum_not_met failed"]


@pytest.mark.parametrize("parallel", [1, 2])
def test_no_more_than_parallel_are_at_work(story_of: "StoryOf", parallel: int) -> None:
    story = story_of(panel(f"3 of [ada, ben, cleo] {{ parallel {parallel} }}"))
    while story.starts:
        assert len(story.starts) <= parallel
        story.says(story.starts[0], note="n")
    assert story.state.status == "completed"


def test_the_host_narrows_and_never_widens(story_of: "StoryOf") -> None:
    story = story_of("step a: exec read { on passed -> review }\n" + ALL)
    story.tell(HostSeen(0, 2))
    story.ends("a#1/1")
    assert len(story.starts) == 2
    story.tell(HostSeen(0, 99))
    assert len(story.starts) == 3


@pytest.mark.parametrize("order", list(permutations("123")))
def test_the_order_of_arrival_changes_nothing(story_of: "StoryOf", order: tuple[str, ...]) -> None:
    story, straight = story_of(ALL), story_of(ALL)
    for seat in "123":
        straight.says(f"review#1:{seat}/1", note=seat)
    for seat in order:
        story.says(f"review#1:{seat}/1", note=seat)
    assert outputs(story) == [{"note": "1"}, {"note": "2"}, {"note": "3"}]
    assert digest(story.history) == digest(straight.history)


def test_results_that_arrive_together_are_decided_together(story_of: "StoryOf") -> None:
    story = story_of(ALL)
    reply = b'{"outcome": "passed", "note": "n"}'
    ends = tuple(AttemptEnded(0, f"review#1:{seat}/1", 0, stdout=reply) for seat in "123")
    story.tell(Arrived(0, ends))
    assert story.transitions == ["review passed completed"]


def test_all_needs_every_one_to_pass(story_of: "StoryOf") -> None:
    story = story_of(ALL)
    story.says("review#1:1/1", note="n")
    story.says("review#1:2/1", note="n")
    story.ends("review#1:3/1", 1)
    ended = next(one.event for one in story.history if one.event.name == "step_attempt.fail")
    assert ended.data["code"] == "join_conflict"


def test_all_takes_an_outcome_on_which_all_agree(story_of: "StoryOf") -> None:
    story = story_of(ALL)
    for seat in "123":
        story.says(f"review#1:{seat}/1", outcome="revise", note=seat)
    assert story.transitions == ["review revise failed"]


@pytest.mark.parametrize(("passes", "outcome"), [(2, "passed"), (1, "quorum_not_met")])
def test_settled_waits_for_all_and_counts(story_of: "StoryOf", passes: int, outcome: str) -> None:
    story = story_of(panel("3 of [ada, ben, cleo]", "join settled pass 2"))
    for seat in (1, 2, 3):
        assert not story.transitions
        if seat <= passes:
            story.says(f"review#1:{seat}/1", note="n")
        else:
            story.ends(f"review#1:{seat}/1", 1)
    assert story.transitions[0].startswith(f"review {outcome}")


def test_settled_takes_another_outcome_that_enough_agree_on(story_of: "StoryOf") -> None:
    story = story_of(panel("3 of [ada, ben, cleo]", "join settled pass 2"))
    story.says("review#1:1/1", note="n")
    story.says("review#1:2/1", outcome="revise", note="n")
    story.says("review#1:3/1", outcome="revise", note="n")
    assert story.transitions == ["review revise failed"]


def test_a_quorum_cancels_what_is_not_needed_any_more(story_of: "StoryOf") -> None:
    story = story_of(panel("3 of [ada, ben, cleo]", "join quorum 2 then cancel"))
    story.says("review#1:1/1", note="one")
    story.says("review#1:3/1", note="three")
    assert story.pending == (StopAttempt("review#1:2/1"),)
    story.ends("review#1:2/1", None, signal=15, stopped=True)
    assert story.transitions == ["review passed completed"]
    assert outputs(story) == [{"note": "one"}, None, {"note": "three"}]


def test_a_quorum_drains_what_has_begun_and_begins_nothing(story_of: "StoryOf") -> None:
    story = story_of(panel("3 of [ada, ben, cleo] { parallel 2 }", "join quorum 1"))
    story.says("review#1:2/1", note="two")
    assert story.starts == ["review#1:1/1"]
    story.says("review#1:1/1", note="one")
    assert story.state.status == "completed"
    assert outputs(story) == [{"note": "one"}, {"note": "two"}]


def test_a_quorum_that_cannot_be_reached_ends_the_panel(story_of: "StoryOf") -> None:
    story = story_of(panel("3 of [ada, ben, cleo]", "join quorum 2 then cancel"))
    story.ends("review#1:1/1", 1)
    story.ends("review#1:2/1", 1)
    story.ends("review#1:3/1", None, signal=15, stopped=True)
    assert story.transitions == ["review quorum_not_met failed"]


def test_the_first_that_passes_is_the_output(story_of: "StoryOf") -> None:
    story = story_of(panel("2 of [ada, ben]", "join first then cancel", "safe to speculate"))
    story.says("review#1:2/1", note="two")
    story.ends("review#1:1/1", None, signal=15, stopped=True)
    assert story.transitions == ["review passed completed"]
    assert outputs(story) == [None, {"note": "two"}]


def test_a_rate_limit_is_retried_where_the_panel_says_so(story_of: "StoryOf") -> None:
    story = story_of(panel("1 of [ada] { attempts 2 }"))
    story.ends("review#1:1/1", 75)
    assert story.starts == ["review#1:1/2"]
    story.ends("review#1:1/2", 75)
    assert story.transitions == ["review quorum_not_met failed"]
    assert [one["result_class"] for one in story.results] == ["producer_rejected"]


def test_what_an_agent_refuses_for_good_is_not_retried(story_of: "StoryOf") -> None:
    story = story_of(panel("1 of [ada] { attempts 2 }"))
    story.ends("review#1:1/1", 77)
    assert not story.starts
    assert [(one["code"], one["result_class"]) for one in story.results] == [("refused", "producer_rejected")]


def test_an_agent_cannot_declare_what_only_the_join_finds(story_of: "StoryOf") -> None:
    story = story_of(panel("1 of [ada]"))
    story.says("review#1:1/1", outcome="quorum_not_met", note="n")
    assert [one["result_class"] for one in story.results] == ["outcome_unknown"]


def test_the_others_go_on_while_one_is_uncertain(story_of: "StoryOf", plan_of: Any) -> None:
    story = story_of(ALL)
    story.ends("review#1:2/1", None, survivors=("7 sleep",))
    assert story.state.status == "running"
    assert story.starts == ["review#1:1/1", "review#1:3/1"]
    story.says("review#1:1/1", note="one")
    story.says("review#1:3/1", note="three")
    assert story.state.status == "blocked_uncertain"
    assert story.pending == (AwaitResolution("review#1:2/1"),)
    story.resolves("review#1:2/1", "confirm-absent")
    assert story.state.status == "running"
    story.says("review#1:2/2", note="two")
    assert outputs(story) == [{"note": "one"}, {"note": "two"}, {"note": "three"}]


def test_each_uncertain_effect_is_resolved_for_itself(story_of: "StoryOf") -> None:
    story = story_of(ALL)
    for seat in "12":
        story.ends(f"review#1:{seat}/1", None, survivors=("7 sleep",))
    story.says("review#1:3/1", note="three")
    story.resolves("review#1:1/1", "mark-failed")
    assert story.state.status == "blocked_uncertain"
    story.resolves("review#1:2/1", "mark-failed")
    assert story.transitions == ["review failed failed"]


def test_a_cancelled_panel_stops_all_of_its_work(story_of: "StoryOf") -> None:
    story = story_of(ALL)
    story.says("review#1:2/1", note="two")
    story.cancels()
    assert story.pending == (StopAttempt("review#1:1/1"), StopAttempt("review#1:3/1"))
    for seat in "13":
        story.ends(f"review#1:{seat}/1", None, signal=15, stopped=True)
    assert story.state.status == "cancelled"


def test_deciding_twice_gives_the_same(story_of: "StoryOf") -> None:
    story = story_of(ALL)
    end = AttemptEnded(0, "review#1:1/1", 1)
    assert decide(story.plan, story.state, end) == decide(story.plan, story.state, end)
