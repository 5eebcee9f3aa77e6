"""The flow's answers about paths, on small flows drawn by hand."""

from akm_specs.reader import read
from akmc.document import Workflow
from akmc.flow import Flow, flow_of
from akmc.outcomes import carries_output


def flow(**steps: dict[str, str]) -> Flow:
    """Exec steps, each with its outcomes and their targets, in order."""
    document = {
        "schema": "akm.document.v1",
        "name": "drawn",
        "title": "Drawn by hand",
        "steps": [
            {
                "kind": "exec",
                "name": name,
                "tool": "t",
                "exits": [{"code": 9, "outcome": each} for each in outcomes if each == "other"],
                "on": [{"outcome": outcome, "target": target} for outcome, target in outcomes.items()],
            }
            for name, outcomes in steps.items()
        ],
    }
    workflow, faults = read(Workflow, document)
    assert not faults
    return flow_of(workflow)


def test_an_edge_leads_back_when_its_target_stands_at_or_before_its_source() -> None:
    drawn = flow(a={"passed": "b"}, b={"passed": "b", "failed": "a", "timed_out": "c"}, c={"passed": "completed"})
    back = {(edge.source, edge.target) for edge in drawn.edges if edge.back}
    assert back == {("b", "b"), ("b", "a")}


def test_defaulted_failures_are_edges_too() -> None:
    drawn = flow(a={"passed": "completed"})
    assert [(edge.outcome, edge.target, edge.origin) for edge in drawn.leaving("a")] == [
        ("passed", "completed", "declared"),
        ("failed", "failed", "defaulted"),
        ("timed_out", "failed", "defaulted"),
    ]


def test_a_flow_with_a_hole_is_not_whole() -> None:
    assert flow(a={"passed": "completed"}).whole
    assert not flow(a={"passed": "nowhere"}).whole
    assert not flow(a={"failed": "completed"}).whole
    assert not flow(a={"passed": "completed", "rejected": "failed"}).whole
    assert not flow(failed={"passed": "completed"}).whole


def test_distances_count_transitions_by_the_shortest_path() -> None:
    drawn = flow(a={"passed": "b", "failed": "c"}, b={"passed": "c"}, c={"passed": "completed"}, d={"passed": "a"})
    distances = drawn.distances()
    assert {name: distances[name] for name in "abc"} == {"a": 0, "b": 1, "c": 1}
    assert distances["completed"] == 2
    assert "d" not in distances


def test_what_was_left_before_is_what_every_path_has_left() -> None:
    drawn = flow(
        a={"passed": "b", "other": "c"},
        b={"passed": "c"},
        c={"passed": "completed"},
    )
    before = drawn.left_before(lambda edge: True)
    assert before["a"] == set()
    assert before["b"] == {"a"}
    assert before["c"] == {"a"}


def test_a_failed_repetition_takes_the_earlier_output_away() -> None:
    drawn = flow(
        make={"passed": "use", "failed": "recover"},
        use={"passed": "completed", "failed": "make"},
        recover={"passed": "completed"},
    )
    before = drawn.left_before(lambda edge: carries_output(edge.outcome))
    assert "make" in before["use"]
    assert "make" not in before["recover"]
