"""The digest: what a run did, and nothing of when, where or how often it was tried."""

import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from akm.kernel.digest import digest, unit_graph
from akm.kernel.inputs import idempotency_key
from akm.kernel.pending import ReplayDivergence, pending
from akm.kernel.steps import process_step

if TYPE_CHECKING:
    from tests.executor.conftest import Story, StoryOf

STEPS = """step a: exec read { with { seen: params.value }, output int, retry 1 on failed, on passed -> b }
step b: exec read { with { seen: a.output }, on passed -> completed, exit 3 -> partly, on partly -> completed }"""


def told(story: "Story", a: bytes = b"1", b: int = 0) -> "Story":
    """The story told to its end."""
    newest = max(story.state.attempts)
    story.ends(newest, stdout=a)
    story.ends("b#1/1", b)
    return story


def test_tries_losses_and_time_change_nothing(story_of: "StoryOf") -> None:
    smooth = told(story_of(STEPS))
    rough = story_of(STEPS)
    rough.at_ms = 5_000
    rough.loses("a#1/1")
    rough.ends("a#1/2", 1)
    assert digest(told(rough).history) == digest(smooth.history)
    assert rough.names != smooth.names


@pytest.mark.parametrize("how", ["parameter", "output", "outcome"])
def test_other_work_other_results_and_another_path_change_it(story_of: "StoryOf", how: str) -> None:
    other = told(
        story_of(STEPS, value="y" if how == "parameter" else "x"),
        a=b"2" if how == "output" else b"1",
        b=3 if how == "outcome" else 0,
    )
    assert digest(other.history) != digest(told(story_of(STEPS)).history)


def test_the_unit_graph_lists_units_sorted_and_transitions_in_order(story_of: "StoryOf") -> None:
    graph = unit_graph(told(story_of(STEPS)).history)
    assert [unit[0] for unit in graph["units"]] == ["a#1", "b#1"]
    assert graph["transitions"] == [["a", "passed", "b"], ["b", "passed", "completed"]]


@pytest.mark.parametrize("changed", ["parameter", "argv", "timeout"])
def test_work_whose_inputs_changed_is_not_run_and_the_unit_is_named(story_of: "StoryOf", changed: str) -> None:
    story = story_of(STEPS)
    plan, state = copy.deepcopy(story.plan), story.state
    if changed == "parameter":
        state = replace(state, parameters={"value": "y"})
    elif changed == "argv":
        plan["tools"]["read"]["argv"] = ["false"]
    else:
        step = process_step(plan["steps"][0])
        assert step is not None
        assert step["kind"] != "panel"
        step["timeout_ms"]["value"] += 1
    with pytest.raises(ReplayDivergence, match="a#1") as refused:
        pending(plan, state)
    assert refused.value.expected != refused.value.found


def test_retry_policy_is_no_part_of_what_the_work_is(story_of: "StoryOf") -> None:
    plain = story_of(STEPS.replace("retry 1 on failed, ", ""))
    assert plain.state.assignments["a#1"].input_hash == story_of(STEPS).state.assignments["a#1"].input_hash


def test_an_idempotency_key_belongs_to_one_effect_of_one_assignment_of_one_run() -> None:
    keys = {
        idempotency_key(run, unit, tool) for run in ("r", "s") for unit in ("a#1", "a#2") for tool in ("t", "u")
    }
    assert len(keys) == 8
    assert idempotency_key("r", "a#1", "t") in keys
