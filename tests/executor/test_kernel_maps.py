"""Maps: one assignment for each item of a list, refused whole where items cannot be told apart."""

import tracemalloc
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from akm.kernel.command import StartAttempt
from akm.kernel.decide import decide
from akm.kernel.evolve import evolve
from akm.kernel.inputs import input_hash
from akm.kernel.observation import AttemptEnded
from akm.kernel.pending import pending, renewed
from akm.kernel.units import unit_of
from akm_specs.canonical import canonical, hash_json

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

UPPER = """step shout: map word in params.items {
  run tool read
  parallel 3
  output { text: string }
  on passed -> completed
}"""


def attempt(item: Any, number: int = 1) -> str:
    return f"shout#1:{hash_json(item)[:12]}/{number}"


def shouts(story: "Story", item: str) -> None:
    story.ends(attempt(item), stdout=canonical({"text": item.upper()}))


def code(story: "Story") -> Any:
    return next(one.event.data["code"] for one in story.history if one.event.name == "step_attempt.fail")


@pytest.mark.parametrize("order", list(permutations("xyz")))
def test_outputs_stand_in_the_order_of_the_items(story_of: "StoryOf", order: tuple[str, ...]) -> None:
    story = story_of(UPPER)
    assert story.starts == [attempt(item) for item in "xyz"]
    for item in order:
        shouts(story, item)
    assert story.state.outputs["shout"] == [{"text": "X"}, {"text": "Y"}, {"text": "Z"}]


def test_a_tool_without_with_gets_the_item(story_of: "StoryOf") -> None:
    start = story_of(UPPER).pending[0]
    assert isinstance(start, StartAttempt)
    assert start.input == {"item": "x"}


def test_with_refers_to_the_item_and_to_all_else(story_of: "StoryOf") -> None:
    story = story_of(UPPER.replace("run tool read", "run tool read, with { it: word, all: params.value }"))
    assert [one.input for one in story.pending if isinstance(one, StartAttempt)] == [
        {"it": item, "all": "x"} for item in "xyz"
    ]


def test_an_agent_gets_the_item_beside_its_prompt(story_of: "StoryOf") -> None:
    story = story_of(UPPER.replace("run tool read", 'run agent ada, prompt "Shout.", reads params.value'))
    start = story.pending[1]
    assert isinstance(start, StartAttempt)
    assert isinstance(start.input, dict)
    assert (start.input["item"], start.input["prompt"], start.input["inputs"]) == (
        "y",
        "Shout.",
        {"params.value": "x"},
    )


def test_each_item_has_an_input_hash_of_its_own(story_of: "StoryOf") -> None:
    story = story_of(UPPER)
    assert len({one.input_hash for one in story.state.assignments.values()}) == 3


@pytest.mark.parametrize(
    ("items", "found"),
    [(["x", "y", "x"], "duplicate_item"), (["x", None], "null_item"), (["x"] * 9, "items_exceeded")],
)
def test_items_that_cannot_be_told_apart_are_refused_before_anything_starts(
    story_of: "StoryOf", items: list[Any], found: str
) -> None:
    story = story_of(UPPER.replace("parallel 3", "parallel 3, items 8"), items=items)
    assert code(story) == found
    assert story.transitions == ["shout failed failed"]
    assert "assignment.create" not in story.names


def test_what_is_no_list_is_refused(story_of: "StoryOf") -> None:
    assert code(story_of(UPPER, items="xyz")) == "not_a_list"


@pytest.mark.parametrize(("reduce", "outcome"), [("collect", "passed"), ("vote", "failed")])
def test_a_map_over_nothing_does_nothing(story_of: "StoryOf", reduce: str, outcome: str) -> None:
    story = story_of(UPPER.replace("parallel 3", f"reduce {reduce}"), items=[])
    assert story.transitions[0].startswith(f"shout {outcome}")
    assert "assignment.create" not in story.names


@pytest.mark.parametrize(("tolerate", "outcome"), [(0, "failed"), (1, "passed")])
def test_every_item_is_worked_on_and_failures_are_counted_at_the_end(
    story_of: "StoryOf", tolerate: int, outcome: str
) -> None:
    story = story_of(UPPER.replace("parallel 3", f"tolerate {tolerate}"))
    story.ends(attempt("x"), 1)
    shouts(story, "y")
    assert story.starts == [attempt("z")]
    shouts(story, "z")
    assert story.transitions[0].startswith(f"shout {outcome}")
    if outcome == "passed":
        assert story.state.outputs["shout"] == [None, {"text": "Y"}, {"text": "Z"}]


@pytest.mark.parametrize(
    ("votes", "found"), [("aab", {"text": "a"}), ("baa", {"text": "a"}), ("abc", None), ("ab!", None)]
)
def test_a_vote_takes_what_most_items_gave(story_of: "StoryOf", votes: str, found: Any) -> None:
    story = story_of(UPPER.replace("parallel 3", "parallel 3, tolerate 1, reduce vote"))
    for item, vote in zip("xyz", votes, strict=True):
        story.ends(attempt(item), int(vote == "!"), stdout=canonical({"text": vote}))
    assert story.state.outputs["shout"] == found
    if found is None:
        assert code(story) == "vote_tied"


def test_an_item_is_retried_for_the_reasons_that_are_declared(story_of: "StoryOf") -> None:
    story = story_of(UPPER.replace("parallel 3", "retry 1 on timeout"))
    story.ends(attempt("x"), None, signal=15, timed_out=True)
    assert story.starts == [attempt("x", 2)]
    story.ends(attempt("x", 2), 1)
    assert story.starts == [attempt("y")]


def test_what_is_renewed_is_all_that_is_pending(story_of: "StoryOf") -> None:
    """A driver that only ever asks what an append made new misses nothing, and does nothing twice."""
    story = story_of(UPPER.replace("parallel 3", "parallel 2"), items=list("abcdef"))
    begun = set(story.starts)
    for item in "badcfe":
        events = story.ends(attempt(item), stdout=canonical({"text": item}))
        begun |= {
            one.attempt for one in renewed(story.plan, story.state, events, ()) if isinstance(one, StartAttempt)
        }
        assert begun >= set(story.starts)
    assert len(begun) == 6


def calls_for(plan_of: Any, story_of: "StoryOf", count: int) -> tuple[int, int]:
    """Work done for a map of `count` items: events evolved, and the most bytes that were held."""
    story = story_of(UPPER.replace("parallel 3", "parallel 16"), items=[f"i{at}" for at in range(count)])
    plan, state = story.plan, story.state
    evolved = 0
    tracemalloc.start()
    open_starts = list(pending(plan, state))
    while open_starts:
        start = open_starts.pop()
        assert isinstance(start, StartAttempt)
        events = decide(plan, state, AttemptEnded(0, start.attempt, 0, stdout=b'{"text": "t"}'))
        for event in events:
            state = evolve(plan, state, event)
            evolved += 1
        open_starts = list(renewed(plan, state, events, open_starts)) if state.status == "running" else []
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert state.status == "completed"
    return evolved, held


def test_the_work_of_a_large_map_grows_with_its_items(plan_of: Any, story_of: "StoryOf") -> None:
    (few, small), (many, large) = calls_for(plan_of, story_of, 50), calls_for(plan_of, story_of, 500)
    assert many <= 12 * few
    assert large <= 15 * small


def test_the_hash_of_a_unit_is_that_of_its_whole_content(story_of: "StoryOf") -> None:
    """It is put together from parts that are encoded once, and is nothing else for that."""
    story = story_of(UPPER)
    tool = story.plan["tools"]["read"]
    content = {
        "version": 1,
        "target": {"argv": tool["argv"], "scripts": tool["scripts"], "directory": tool["directory"]},
        "parameters": story.state.parameters,
        "timeout_ms": 600_000,
        "env": [],
        "inputs": {"item": "x"},
        "item": "x",
        "output": unit_of(story.plan, "shout#1:0").output,
    }
    assert input_hash(story.plan, story.state, unit_of(story.plan, "shout#1:0"), "x") == hash_json(content)
