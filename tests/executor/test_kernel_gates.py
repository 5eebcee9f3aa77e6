"""The gates of steps, and judges: an artifact passes only by a verdict, or is done again as often as is written."""

from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import StartAttempt
from akm.kernel.inputs import ARTIFACT_LENGTH_MAX, artifact

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

WRITE = """step write: agent ada {
  prompt "Write."
  output { text: string }
  gate { rubric "Is it good?", max_loops 3 }
  on passed -> completed
  on failed -> completed
}"""
REJECTS: dict[str, Any] = {"complete": False, "feedback": "too short", "missing": ["an end"]}


def start(story: "Story") -> StartAttempt:
    (only,) = story.pending
    assert isinstance(only, StartAttempt)
    return only


def given(story: "Story") -> Any:
    return start(story).input


def test_the_judge_sees_the_artifact_and_the_rubric(story_of: "StoryOf") -> None:
    story = story_of(WRITE)
    story.says("write#1/1", text="t")
    assert start(story).attempt == "write.gate#1/1"
    assert given(story)["prompt"] == "Is it good?"
    assert given(story)["inputs"] == {"artifact": '1 unit\n{"text":"t"}'}
    assert given(story)["outcomes"] == []


def test_a_complete_artifact_passes(story_of: "StoryOf") -> None:
    story = story_of(WRITE)
    story.says("write#1/1", text="t")
    assert dict(story.state.outputs) == {}
    story.judges("write.gate#1/1", complete=True)
    assert story.transitions == ["write passed completed"]
    assert dict(story.state.outputs) == {"write": {"text": "t"}}


def test_a_rejection_is_done_again_with_the_feedback_attached(story_of: "StoryOf") -> None:
    story = story_of(WRITE)
    story.says("write#1/1", text="t")
    story.judges("write.gate#1/1", **REJECTS)
    assert start(story).attempt == "write#1~2/1"
    assert given(story)["feedback"] == {"feedback": "too short", "missing": ["an end"]}
    hashes = [one.event.data["input_hash"] for one in story.history if one.event.name == "assignment.create"]
    assert len(set(hashes)) == 3
    story.says("write#1~2/1", text="tt")
    story.judges("write.gate#1~2/1", complete=True)
    assert dict(story.state.outputs) == {"write": {"text": "tt"}}


def test_after_the_last_rejection_the_run_stops_with_the_feedback(story_of: "StoryOf") -> None:
    story = story_of(WRITE)
    for loop in ("", "~2", "~3"):
        story.says(f"write#1{loop}/1", text="t")
        story.judges(f"write.gate#1{loop}/1", **REJECTS)
    assert story.state.status == "failed"
    assert story.state.reason is not None
    assert story.state.reason["code"] == "gate_rejected"
    assert "too short" in story.state.reason["message"]
    assert "an end" in story.state.reason["message"]
    assert not story.transitions


def test_an_output_of_another_type_spends_a_round_without_a_judge(story_of: "StoryOf") -> None:
    story = story_of(WRITE)
    story.says("write#1/1", text=7)
    assert start(story).attempt == "write#1~2/1"
    assert "7 is not of type 'string'" in given(story)["feedback"]["feedback"]
    story.says("write#1~2/1", text=7)
    story.says("write#1~3/1", text=7)
    assert story.state.reason is not None
    assert story.state.reason["code"] == "gate_rejected"


@pytest.mark.parametrize(
    "how",
    [
        {"exit_code": 1},
        {"exit_code": None, "signal": 9},
        {"exit_code": None, "signal": 15, "timed_out": True},
        {"stdout": b"It is complete."},
        {"stdout": b'{"complete": "true"}'},
        {"stdout": b'{"complete": true, "score": 9}'},
        {"stdout": b'{"verdict": {"complete": true}} and so on'},
    ],
)
def test_a_judge_without_a_verdict_blocks_and_spends_no_round(story_of: "StoryOf", how: dict[str, Any]) -> None:
    story = story_of(WRITE)
    story.says("write#1/1", text="t")
    story.ends("write.gate#1/1", **how)
    assert story.state.status == "failed"
    assert story.state.reason is not None
    assert story.state.reason["code"] == "gate_blocked"
    assert "gate.rejected" not in story.names


def test_a_lost_judge_is_asked_again_as_its_class_allows(story_of: "StoryOf") -> None:
    story = story_of(WRITE)
    story.says("write#1/1", text="t")
    story.loses("write.gate#1/1")
    assert start(story).attempt == "write.gate#1/2"


def test_what_did_not_pass_is_not_judged(story_of: "StoryOf") -> None:
    story = story_of(WRITE)
    story.ends("write#1/1", 1)
    assert story.transitions == ["write failed completed"]


def test_a_step_that_is_frozen_is_judged_once(story_of: "StoryOf") -> None:
    story = story_of("""step each: map it in params.items {
      run tool read, parallel 3, output { n: int }, gate { rubric "Good?" }, on passed -> completed }""")
    for attempt in story.starts:
        story.ends(attempt, stdout=b'{"n": 1}')
    assert given(story)["inputs"] == {"artifact": '3 units\n[{"n":1},{"n":1},{"n":1}]'}
    story.judges("each.gate#1/1", **REJECTS)
    assert story.state.status == "failed"


def test_an_entry_anew_has_all_its_rounds(story_of: "StoryOf") -> None:
    story = story_of(
        """limits { transitions 5 }
        """
        + WRITE.replace("on passed -> completed", "attempts 2, on passed -> write max 1").replace("3 }", "1 }")
        + "\n"
    )
    story.says("write#1/1", text="t")
    story.judges("write.gate#1/1", complete=True)
    story.says("write#2/1", text="t")
    assert start(story).attempt == "write.gate#2/1"


def test_an_artifact_is_clipped() -> None:
    shown = artifact(["x" * 10_000])
    assert shown.startswith('1 unit\n["xx')
    assert len(shown) == len("1 unit\n") + ARTIFACT_LENGTH_MAX


JUDGED = """step check: judge judy { of params.items, rubric "All there?"
  on passed -> completed, on failed -> cancelled }"""


@pytest.mark.parametrize(
    ("stdout", "transition"),
    [
        (b'{"complete": true}', "check passed completed"),
        (b'Well. {"complete": false, "feedback": "no"}', "check failed cancelled"),
        (b"", "check failed cancelled"),
    ],
)
def test_a_judge_step_passes_only_by_its_verdict(story_of: "StoryOf", stdout: bytes, transition: str) -> None:
    story = story_of(JUDGED)
    assert given(story)["inputs"] == {"artifact": '3 units\n["x","y","z"]'}
    story.ends("check#1/1", stdout=stdout)
    assert story.transitions == [transition]


def test_the_verdict_is_the_output_and_says_what_it_cost(story_of: "StoryOf") -> None:
    story = story_of(JUDGED)
    story.judges("check#1/1", complete=False, feedback="no", usage={"tokens": 7, "cost_usd": 0.5})
    assert story.results[0]["output"] == {"complete": False, "feedback": "no"}
    assert (story.state.counters.tokens, story.state.counters.cost_microdollars) == (7, 500_000)
