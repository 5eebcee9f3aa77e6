"""What an akm Markdown workflow means here: order, routes, judges, parameters, and what the registry decides."""

from collections.abc import Mapping

import pytest

from akmc.diagnostic import CompileFailed
from akmc.document import AgentStep, JudgeStep, MapStep, RouteStep, Step, Workflow
from akmc.front_ends import read
from akmc.pipeline import compile_workflow, lower
from akmc.source import Source

REGISTRY = """\
tool model { argv ["model"], effect external_idempotent, timeout 1h }
tool judge { argv ["judge"], effect read_only }
agent coder { tool model }
agent critic { tool judge }
defaults { agent coder, judge critic }
"""
SECTIONS = "## a\nDo a.\n\n## b\nDo b.\n\n## c\nDo c.\n"
TWO = "  - id: a\n  - id: b\n"


def text(steps: str, head: str = "", sections: str | None = None) -> str:
    written = [name for name in "abc" if f"id: {name}\n" in steps or f"id: {name}," in steps]
    found = "".join(f"## {name}\nDo {name}.\n\n" for name in written) if sections is None else sections
    return f"---\n{head}steps:\n{steps}---\n\n{found}"


def source(steps: str, head: str = "", sections: str | None = None) -> Source:
    return Source("absent/flow.md", text(steps, head, sections))


def lowered(steps: str, head: str = "", sections: str | None = None) -> Workflow:
    return lower(read(source(steps, head, sections)), Source("absent/registry.akm", REGISTRY))


def warnings(steps: str, head: str = "") -> list[str]:
    made = compile_workflow(source(steps, head), Source("absent/registry.akm", REGISTRY))
    return [each.code for each in made.warnings]


def lines(found: Step) -> Mapping[str, str]:
    return {edge.outcome: edge.target for edge in found.on}


def agent(found: Step) -> AgentStep:
    assert isinstance(found, AgentStep)
    return found


def test_steps_follow_one_another_and_their_sections_are_the_prompts() -> None:
    first, second = map(agent, lowered(TWO).steps)
    assert (first.agent, first.prompt, lines(first)) == ("coder", "Do a.", {"passed": "b"})
    assert (second.prompt, lines(second)) == ("Do b.", {"passed": "completed"})


def test_an_engine_is_the_step_s_or_the_workflow_s_or_the_registry_s() -> None:
    steps = "  - id: a\n    unit: {engine: coder}\n  - id: b\n"
    found = lowered(steps, "defaults: {engine: critic}\n").steps
    assert [agent(each).agent for each in found] == ["coder", "critic"]


def test_parameters_are_attached_to_every_step_and_inputs_come_behind_them() -> None:
    steps = "  - id: a\n  - id: b\n    inputs: [steps.a.output]\n"
    first, second = map(agent, lowered(steps, "params: {topic: {type: string}}\n").steps)
    assert [(each.root, each.name) for each in first.reads] == [("params", "topic")]
    assert [(each.root, each.name) for each in second.reads] == [("params", "topic"), ("output", "a")]


def test_a_parameter_that_is_only_used_has_to_be_given() -> None:
    steps = "  - id: a\n    map: {over: params.files}\n"
    assert [(each.name, each.type, each.has_default) for each in lowered(steps).params] == [
        ("files", {"type": "array"}, False)
    ]
    assert "AKM7210" in warnings(steps, "params: {topic: {type: string}}\n")


ROUTE = (
    "  - id: a\n    output: {enum: [x, y]}\n"
    "  - id: r\n    route: {input: steps.a.output, when: [{match: x, step: b}], default: c}\n"
    "  - id: b\n  - id: c\n"
)


def test_a_route_leads_to_what_it_picks_and_that_leads_past_the_other_picks() -> None:
    first, route, *picks = lowered(ROUTE).steps
    assert isinstance(route, RouteStep)
    assert lines(first) == {"passed": "r"}
    assert [(each.when, each.target) for each in route.branches] == [("x", "b"), (None, "c")]
    assert [lines(each) for each in picks] == [{"passed": "completed"}, {"passed": "completed"}]


def test_a_route_with_a_rubric_is_judged_first_under_its_own_name() -> None:
    sections = "## a\nDo a.\n## r\n### gate\nIs it sound?\n## b\nDo b.\n## c\nDo c.\n"
    _, judge, route, *_ = lowered(ROUTE, sections=sections).steps
    assert isinstance(judge, JudgeStep)
    assert isinstance(route, RouteStep)
    assert (judge.name, judge.agent, judge.rubric, lines(judge)) == (
        "r",
        "critic",
        "Is it sound?",
        {"passed": "r-picks"},
    )
    assert route.name == "r-picks"


@pytest.mark.parametrize(
    ("written", "type_"),
    [
        ("", {"type": "object", "required": ["kind"]}),
        ("    output: {type: object, properties: {kind: {enum: [x, y]}}}\n", {"required": ["kind"]}),
        ("    output: {type: object, properties: {kind: {}}, required: [kind]}\n", {"required": ["kind"]}),
    ],
    ids=["undeclared", "optional", "required"],
)
def test_what_a_route_goes_by_has_to_be_there(written: str, type_: dict[str, object]) -> None:
    steps = ROUTE.replace("    output: {enum: [x, y]}\n", written).replace("a.output,", "a.output.kind,")
    output = agent(lowered(steps).steps[0]).output
    assert output is not None
    assert output.items() >= type_.items()
    compile_workflow(source(steps), Source("absent/registry.akm", REGISTRY))


def test_what_a_map_goes_over_has_to_be_there_also_in_what_another_map_collects() -> None:
    steps = (
        "  - id: a\n    map: {over: params.files}\n"
        "  - id: b\n    map: {over: 'steps.a.output[0].parts.left'}\n"
        "  - id: c\n    map: {over: steps.b.output}\n"
    )
    first = lowered(steps).steps[0]
    assert isinstance(first, MapStep)
    left = {"type": "object", "required": ["left"]}
    assert first.output == {"type": "object", "required": ["parts"], "properties": {"parts": left}}
    compile_workflow(source(steps), Source("absent/registry.akm", REGISTRY))


def test_a_member_that_an_output_cannot_have_is_not_gone_by() -> None:
    closed = "    output: {type: object, properties: {size: {}}, additionalProperties: false}\n"
    steps = ROUTE.replace("    output: {enum: [x, y]}\n", closed).replace("a.output,", "a.output.kind,")
    with pytest.raises(CompileFailed):
        compile_workflow(source(steps), Source("absent/registry.akm", REGISTRY))


def test_a_gate_section_is_the_rubric_of_its_step() -> None:
    sections = "## a\nDo a.\n### gate\nIs it short?\n"
    gate = agent(lowered("  - id: a\n    gate: {max_loops: 3}\n", sections=sections).steps[0]).gate
    assert gate is not None
    assert (gate.rubric, gate.max_loops) == ("Is it short?", 3)


def test_what_goes_on_after_an_error_goes_on_after_any_outcome() -> None:
    found = lowered("  - id: a\n    unit: {on_error: continue}\n  - id: b\n").steps[0]
    assert lines(found) == {"passed": "b", "failed": "b", "timed_out": "b"}


@pytest.mark.parametrize(
    ("params", "most"), [("", 10_000), ("params: {files: {type: array, maxItems: 3}}\n", 3)], ids=["any", "three"]
)
def test_a_map_that_goes_on_after_errors_stays_within_its_list(params: str, most: int) -> None:
    steps = "  - id: a\n    map: {over: params.files, concurrency: 8, unit: {on_error: continue}}\n"
    found = lowered(steps, params).steps[0]
    assert isinstance(found, MapStep)
    assert (found.parallel, found.tolerate) == (min(8, most), most - 1)
    compile_workflow(source(steps, params), Source("absent/registry.akm", REGISTRY))


@pytest.mark.parametrize(
    ("written", "timeout_ms"),
    [("90s", 90_000), ("10m", 600_000), ("500ms", 500), ("250", 250), ("none", None), ("90m", None)],
)
def test_a_timeout_has_units_and_ends_at_the_registry_s(written: str, timeout_ms: int | None) -> None:
    assert agent(lowered(f"  - id: a\n    unit: {{timeout: {written}}}\n").steps[0]).timeout_ms == timeout_ms


@pytest.mark.parametrize("written", ["soon", "1d", "-1s", "1.5h", "''"])
def test_what_is_no_timeout_is_refused(written: str) -> None:
    with pytest.raises(CompileFailed) as refused:
        lowered(f"  - id: a\n    unit: {{timeout: {written}}}\n")
    assert {each.code for each in refused.value.diagnostics} == {"AKM1005"}


def test_it_is_tried_again_after_reasons_that_pass() -> None:
    steps = "  - id: a\n    unit: {retry: {max: 2, on: [timeout, REASON]}}\n"
    retry = agent(lowered(steps.replace("REASON", "spawn_failed")).steps[0]).retry
    assert retry is not None
    assert (retry.count, len(retry.on)) == (2, 2)
    with pytest.raises(CompileFailed) as refused:
        lowered(steps.replace("REASON", "bad_luck"))
    assert [each.code for each in refused.value.diagnostics] == ["AKM1004"]


def test_a_budget_is_a_limit() -> None:
    limits = lowered("  - id: a\n", "budget: {max_units: 5, max_tokens: 1000}\n").limits
    assert (limits.units, limits.tokens) == (5, 1000)


def test_what_only_the_registry_decides_is_left_out_with_a_warning() -> None:
    assert warnings("  - id: a\n    unit: {model: large, env: [HOME]}\n") == ["AKM7211", "AKM7211"]


def test_a_worktree_for_an_agent_that_only_reads_is_refused() -> None:
    steps = "  - id: a\n    unit: {engine: critic, isolation: worktree}\n"
    with pytest.raises(CompileFailed) as refused:
        lowered(steps)
    assert [each.code for each in refused.value.diagnostics] == ["AKM7213"]
    assert agent(lowered(steps.replace("critic", "coder")).steps[0]).isolation == "worktree"


def test_without_a_judge_nothing_is_judged() -> None:
    registry = Source("absent/registry.akm", REGISTRY.replace(", judge critic", ""))
    sections = "## a\nDo a.\n### gate\nIs it short?\n"
    with pytest.raises(CompileFailed):
        compile_workflow(source("  - id: a\n", sections=sections), registry)
    compile_workflow(source("  - id: a\n"), registry)


def test_more_steps_than_a_workflow_has_are_refused_before_any_is_looked_at() -> None:
    steps = "".join(f"  - id: s{at}\n" for at in range(257))
    with pytest.raises(CompileFailed) as refused:
        lowered(steps, sections="")
    assert [each.code for each in refused.value.diagnostics] == ["AKM1003"]
