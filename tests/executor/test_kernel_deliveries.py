"""Deliveries: looked at first, pushed one by one, and never told better than what has arrived."""

from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import AskReceipt, LookAtRepositories, StartAttempt, StopAttempt
from akm.kernel.event import Event
from akm.kernel.evolve import IllegalEvent, evolve
from akm.kernel.observation import HostSeen, RepositoriesSeen

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

SITE, BOOK = "a" * 40, "b" * 40
COMMITS = {"site": SITE, "book": BOOK}
PUSH = """step push: deliver [site, book] {
  with { site: params.value }
  timeout 1m
  evidence arrived: receipt { min 2 }
  on passed  -> completed
  on partial -> failed
}"""
AGAIN = PUSH.replace("timeout", "remediate 1, timeout")


def looked(story_of: "StoryOf", steps: str = PUSH, value: str = SITE) -> "Story":
    """A delivery that has found its repositories in order."""
    story = story_of(steps, value=value)
    story.tell(RepositoriesSeen(story.at_ms, "push#1", COMMITS))
    return story


def receipt(repository: str) -> dict[str, str]:
    return {"remote": f"far/{repository}.git", "commit": COMMITS[repository]}


def arrives(story: "Story", attempt: str) -> None:
    """The push ends well, and the remote says so."""
    story.ends(attempt)
    story.answers(attempt, "found", receipt(attempt.partition(":")[2].partition("~")[0].partition("/")[0]))


def refused(story: "Story", attempt: str) -> None:
    """The remote refuses the push, and does not have it."""
    said = b"!\tx:refs/heads/y\t[remote rejected] (pre-receive hook declined)\n"
    story.ends(attempt, 1, stdout=said)
    story.answers(attempt, "absent")


def shown(story: "Story") -> Any:
    return story.state.deliveries["push"].status


def test_all_repositories_are_looked_at_before_any_is_pushed(story_of: "StoryOf") -> None:
    (look,) = story_of(PUSH, value=SITE).pending
    assert isinstance(look, LookAtRepositories)
    assert [(one.repository, one.commit) for one in look.looks] == [("site", SITE), ("book", None)]
    assert look.branch == "akm/r/push-1"


def test_what_cannot_be_delivered_as_a_whole_is_not_begun(story_of: "StoryOf") -> None:
    story = story_of(PUSH, value=SITE)
    story.tell(RepositoriesSeen(0, "push#1", {"site": SITE}, ("book gives no answer",)))
    assert story.transitions == ["push failed failed"]
    assert shown(story) == "failed"
    assert "assignment.create" not in story.names


def test_a_commit_that_is_not_spelt_out_is_not_looked_for(story_of: "StoryOf") -> None:
    story = story_of(PUSH, value="HEAD")
    assert story.transitions == ["push failed failed"]
    assert "site" in (story.state.deliveries["push"].problem or "")


def test_an_exact_commit_goes_to_a_branch_that_is_not_there_and_nothing_is_overwritten(story_of: "StoryOf") -> None:
    start = looked(story_of).pending[0]
    assert isinstance(start, StartAttempt)
    assert start.argv[-1] == f"{SITE}:refs/heads/akm/r/push-1"
    assert "--force-with-lease=refs/heads/akm/r/push-1:" in start.argv
    assert not {"--force", "-f", "--mirror", "--delete"} & {*start.argv}
    assert dict(start.variables)["GIT_TERMINAL_PROMPT"] == "0"


def test_a_delivery_passes_with_a_receipt_for_each_repository(story_of: "StoryOf") -> None:
    story = looked(story_of)
    for attempt in story.starts:
        arrives(story, attempt)
    assert story.transitions == ["push passed completed"]
    assert shown(story) == "completed"
    assert story.state.evidence["push arrived"].count == 2


def test_a_push_that_says_it_went_well_counts_only_once_the_remote_has_it(story_of: "StoryOf") -> None:
    story = looked(story_of)
    story.ends("push#1:site/1")
    assert isinstance(story.pending[0], AskReceipt)
    assert story.state.deliveries["push"].delivered == ()
    story.answers("push#1:site/1", "absent")
    arrives(story, "push#1:book/1")
    assert story.transitions == ["push partial failed"]


def test_a_push_that_says_it_failed_counts_where_the_remote_has_it(story_of: "StoryOf") -> None:
    story = looked(story_of)
    story.ends("push#1:site/1", 128)
    story.answers("push#1:site/1", "found", receipt("site"))
    arrives(story, "push#1:book/1")
    assert story.transitions == ["push passed completed"]


@pytest.mark.parametrize(("answer", "again"), [("found", []), ("absent", ["push#1:site/2"])])
def test_a_lost_push_is_settled_by_its_receipt(story_of: "StoryOf", answer: str, again: list[str]) -> None:
    story = looked(story_of)
    story.loses("push#1:site/1")
    story.answers("push#1:site/1", answer, receipt("site") if answer == "found" else None)
    assert story.starts == [*again, "push#1:book/1"]


def test_some_that_arrived_and_some_that_did_not_are_partial(story_of: "StoryOf") -> None:
    story = looked(story_of)
    refused(story, "push#1:site/1")
    assert shown(story) == "delivering"
    arrives(story, "push#1:book/1")
    assert story.transitions == ["push partial failed"]
    assert shown(story) == "partial"
    assert story.results[0]["code"] == "push_refused"
    assert "pre-receive hook declined" in story.results[0]["detail"]


def test_a_delivery_that_reached_nobody_failed(story_of: "StoryOf") -> None:
    story = looked(story_of, AGAIN)
    for attempt in story.starts:
        refused(story, attempt)
    assert story.transitions == ["push failed failed"]
    assert shown(story) == "failed"


def test_remediation_tries_only_those_that_failed(story_of: "StoryOf") -> None:
    story = looked(story_of, AGAIN)
    refused(story, "push#1:site/1")
    arrives(story, "push#1:book/1")
    assert story.starts == ["push#1:site~2/1"]
    assert shown(story) == "delivering"
    arrives(story, "push#1:site~2/1")
    assert story.transitions == ["push passed completed"]
    assert story.state.evidence["push arrived"].count == 2


def test_remediation_ends_after_its_last_round(story_of: "StoryOf") -> None:
    story = looked(story_of, AGAIN)
    arrives(story, "push#1:site/1")
    refused(story, "push#1:book/1")
    refused(story, "push#1:book~2/1")
    assert story.transitions == ["push partial failed"]


def test_an_uncertain_push_beside_one_that_arrived_is_partial_and_not_blocked(story_of: "StoryOf") -> None:
    story = looked(story_of)
    story.loses("push#1:site/1")
    story.answers("push#1:site/1", "ambiguous", detail="no answer")
    arrives(story, "push#1:book/1")
    assert story.state.status == "blocked_uncertain"
    assert shown(story) == "partial"
    story.resolves("push#1:site/1", "mark-completed", "seen on the server")
    assert story.transitions == ["push passed completed"]
    assert shown(story) == "completed"


def test_uncertain_pushes_alone_block_the_delivery(story_of: "StoryOf") -> None:
    story = looked(story_of)
    for attempt in ("push#1:site/1", "push#1:book/1"):
        story.loses(attempt)
        story.answers(attempt, "ambiguous", detail="no answer")
    assert shown(story) == "blocked_uncertain"
    query = story.state.effects["push#1:site/1"].blocked
    assert query is not None
    assert query["query"] == ["git", "ls-remote", "--", "far/site.git", "refs/heads/akm/r/push-1"]
    story.resolves("push#1:site/1", "mark-failed")
    story.resolves("push#1:book/1", "confirm-absent")
    arrives(story, "push#1:book/2")
    assert story.transitions == ["push partial failed"]


def test_cancelling_a_delivery_of_which_something_arrived_leaves_it_partial(story_of: "StoryOf") -> None:
    story = looked(story_of)
    arrives(story, "push#1:site/1")
    story.cancels()
    assert story.pending == (StopAttempt("push#1:book/1"),)
    story.ends("push#1:book/1", None, signal=15, stopped=True)
    assert isinstance(story.pending[0], AskReceipt)
    story.answers("push#1:book/1", "absent")
    assert story.state.status == "cancelled"
    assert shown(story) == "partial"


def test_a_push_that_was_stopped_too_late_is_told_as_delivered(story_of: "StoryOf") -> None:
    story = looked(story_of)
    story.cancels()
    story.ends("push#1:site/1", None, signal=15, stopped=True)
    story.answers("push#1:site/1", "found", receipt("site"))
    story.ends("push#1:book/1", None, never_started="stopped_before_start", stopped=True)
    assert story.state.status == "cancelled"
    assert story.state.deliveries["push"].delivered == ("site",)
    assert shown(story) == "partial"


def test_cancelling_before_anything_is_pushed_cancels_the_delivery(story_of: "StoryOf") -> None:
    story = story_of(PUSH, value=SITE)
    story.cancels()
    assert (story.state.status, shown(story)) == ("cancelled", "cancelled")


@pytest.mark.parametrize("trigger", [("fail", "failed"), ("cancel", "cancelled"), ("block", "blocked_uncertain")])
def test_no_event_tells_less_than_what_arrived(story_of: "StoryOf", trigger: tuple[str, str]) -> None:
    story = looked(story_of)
    arrives(story, "push#1:site/1")
    with pytest.raises(IllegalEvent, match="partial"):
        evolve(story.plan, story.state, Event(f"delivery.{trigger[0]}", "push#1", "delivering", trigger[1], {}))


def test_no_event_completes_what_did_not_arrive_or_delivers_without_a_receipt(story_of: "StoryOf") -> None:
    story = looked(story_of)
    arrives(story, "push#1:site/1")
    with pytest.raises(IllegalEvent, match="do not have"):
        evolve(story.plan, story.state, Event("delivery.complete", "push#1", "delivering", "completed", {}))
    confirm = Event("repository_delivery.confirm", "push#1:book", "delivering", "delivered", {"repository": "book"})
    with pytest.raises(IllegalEvent, match="receipt"):
        evolve(story.plan, story.state, confirm)
    assert evolve(story.plan, story.state, confirm._replace(data={"receipt": "seen"})).deliveries["push"].delivered


def test_a_host_of_one_processor_pushes_one_after_the_other(story_of: "StoryOf") -> None:
    story = story_of(PUSH, value=SITE)
    story.tell(HostSeen(0, 1))
    story.tell(RepositoriesSeen(0, "push#1", COMMITS))
    assert story.starts == ["push#1:site/1"]
    arrives(story, "push#1:site/1")
    assert story.starts == ["push#1:book/1"]
