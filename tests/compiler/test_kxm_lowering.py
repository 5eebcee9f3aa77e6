"""What a `kxm.workflow.v1` file means here: outcomes, gates, bounds, pins, and the registries around it."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from akmc.diagnostic import CompileFailed
from akmc.document import GateStep, PanelStep, Step, Workflow
from akmc.front_ends import read
from akmc.pipeline import compile_workflow, lower, registry_beside
from akmc.source import Source

REGISTRY = """\
tool check { argv ["make", "check"], effect read_only, timeout 10m }
tool model { argv ["model"], effect read_only }
agent coder { tool model }
agent critic { tool model }
"""
DONE = "{target: $terminal, terminalStatus: completed}"
FAILED = "{target: $terminal, terminalStatus: failed}"
END = f"  - {{id: check, kind: gate, gate: check, on: {{passed: {DONE}, implementation-failure: {FAILED}}}}}\n"
GATES = """\
schema: kxm.gate-registry.v1
gates:
  check: {kind: command, argv: [make, check], timeoutMs: 600000}
  notes: {kind: artifacts-exist, paths: [notes.md, CHANGES.md]}
  later: {kind: reserved}
"""


def workflow(steps: str, head: str = "") -> Source:
    return Source("absent/flow.yaml", f"schema: kxm.workflow.v1\n{head}steps:\n{steps}")


def lowered(steps: str, head: str = "") -> Workflow:
    return lower(read(workflow(steps, head)), Source("absent/registry.akm", REGISTRY))


def step(steps: str, head: str = "") -> Step:
    return lowered(steps, head).steps[0]


def lines(found: Step) -> Mapping[str, str]:
    return {edge.outcome: edge.target for edge in found.on}


def warnings(steps: str, head: str = "") -> list[str]:
    made = compile_workflow(workflow(steps, head), Source("absent/registry.akm", REGISTRY))
    return [each.code for each in made.warnings]


def project(folder: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return folder


def test_a_workflow_is_named_after_its_file_and_titled_by_its_description() -> None:
    found = lowered(END, "description: |\n  Check it\n  well.\n")
    assert (found.name, found.title) == ("flow", "Check it well.")


def test_a_gate_has_two_outcomes_and_the_lines_of_others_are_left_out_with_a_warning() -> None:
    steps = (
        f"  - {{id: check, kind: gate, gate: check, on: {{passed: {DONE}, implementation-failure: {FAILED}, "
        f"environment-failure: {FAILED}, blocked: {FAILED}}}}}\n"
    )
    assert lines(step(steps)) == {"passed": "completed", "failed": "failed"}
    assert warnings(steps) == ["AKM7110", "AKM7110"]


def test_a_gate_that_is_to_fail_misses_what_it_should_reproduce() -> None:
    steps = (
        "  - {id: check, kind: gate, gate: check, expect: fail, on: "
        f"{{passed: {DONE}, repro-missing: {FAILED}}}}}\n"
    )
    found = step(steps)
    assert isinstance(found, GateStep)
    assert found.expect == "fail"
    assert lines(found) == {"passed": "completed", "failed": "failed"}


def test_an_outcome_that_never_comes_must_not_complete_a_run() -> None:
    steps = f"  - {{id: check, kind: gate, gate: check, on: {{passed: {DONE}, blocked: {DONE}}}}}\n"
    with pytest.raises(CompileFailed) as refused:
        lowered(steps)
    assert [each.code for each in refused.value.diagnostics] == ["AKM7110"]


def test_approvals_and_waits_without_a_timeout_take_as_long_as_a_run_may() -> None:
    steps = (
        "  - {id: ask, kind: approval, on: {passed: hear}}\n"
        f"  - {{id: hear, kind: wait, signal: ready, on: {{passed: {DONE}}}}}\n"
    )
    head = "limits: {maxRunDurationMs: 60000}\n"
    assert [each.timeout_ms for each in lowered(steps, head).steps] == [60_000, 60_000]
    assert warnings(steps, head).count("AKM7113") == 2


def test_what_a_step_needs_a_line_for_fails_the_run_where_the_format_needs_none() -> None:
    steps = f"  - {{id: ask, kind: approval, timeoutMs: 1000, on: {{passed: {DONE}}}}}\n"
    assert lines(step(steps)) == {"passed": "completed", "rejected": "failed", "expired": "failed"}


def test_a_timeout_above_the_registry_s_is_cut_with_a_warning() -> None:
    steps = END.replace("gate: check,", "gate: check, timeoutMs: 3600000,")
    assert step(steps).timeout_ms == 600_000
    assert warnings(steps) == ["AKM7114"]


def test_whoever_completes_has_gone_through_every_gate_and_approval() -> None:
    steps = "  - {id: write, kind: agent, agent: coder, on: {passed: check}}\n" + END
    assert [(each.kind, each.step) for each in lowered(steps).properties] == [("only_through", "write")]
    assert not lowered(END).properties  # the first step is gone through in any case


def test_a_way_back_that_no_run_can_take_ends_the_run_with_a_warning() -> None:
    steps = (
        "  - {id: write, kind: agent, agent: coder, on: {passed: check}}\n"
        f"  - {{id: check, kind: gate, gate: check, on: {{passed: {DONE}, "
        "implementation-failure: {target: write, maxTransitions: 2}}}\n"
    )
    head = "limits: {maxTransitions: 9}\n"
    assert lines(lowered(steps, head).steps[1])["failed"] == "failed"
    assert warnings(steps, head) == ["AKM7111"]
    again = steps.replace("agent: coder,", "agent: coder, maxAttempts: 3,")
    assert lines(lowered(again, head).steps[1])["failed"] == "write"


def test_assignments_make_a_panel_and_a_plain_agent_stays_one() -> None:
    plain = f"  - {{id: write, kind: agent, agent: coder, on: {{passed: {DONE}}}}}\n"
    several = plain.replace(
        "agent: coder,", "agent: coder, assignments: {target: 2, allowedAgents: [coder, critic]},"
    )
    assert step(plain).kind == "agent"
    found = step(several)
    assert isinstance(found, PanelStep)
    assert found.assign is not None
    assert (found.assign.target, found.assign.agents) == (2, ("coder", "critic"))
    assert lines(found) == {"passed": "completed", "quorum_not_met": "failed"}


def test_a_plan_hash_becomes_a_pin_that_the_named_steps_require() -> None:
    steps = (
        "  - id: plan\n    kind: agent\n    agent: coder\n"
        "    requiredEvidence: [{key: hash, kind: assignment-result}]\n    on: {passed: check}\n"
    )
    found = lowered(steps + END, "planHash: {stageId: plan, evidenceKey: hash}\nrequirePlanHash: [check]\n")
    assert [each.pin for each in found.steps[0].evidence] == [True]
    assert found.steps[1].requires == ("hash",)


def test_the_scope_of_a_step_that_no_agent_does_is_left_out_but_its_names_are_read() -> None:
    steps = END.replace("gate: check,", "gate: check, repositories: {app: read},")
    with pytest.raises(CompileFailed) as refused:
        lowered(steps)
    assert [each.code for each in refused.value.diagnostics] == ["AKM7119"]
    registry = Source("absent/registry.akm", REGISTRY + 'repository app { remote "git@example.org:app.git" }\n')
    made = compile_workflow(workflow(steps), registry)
    assert [each.code for each in made.warnings] == ["AKM7112"]


def test_gates_are_found_above_the_workflows_and_files_alone_need_no_tool(tmp_path: Path) -> None:
    flow = workflow(END.replace("passed: {target: $terminal, terminalStatus: completed}", "passed: look") + LOOK)
    folder = project(tmp_path, {"kxm/gates.yaml": GATES, "kxm/workflows/flow.yaml": flow.text})
    source = Source.read(folder / "kxm" / "workflows" / "flow.yaml")
    look = lower(read(source), None).steps[1]
    assert isinstance(look, GateStep)
    assert look.artifacts == ("notes.md", "CHANGES.md")
    assert compile_workflow(source, None).plan["steps"][0]["name"] == "check"


def test_a_reserved_gate_is_known_and_refused_only_when_it_is_used(tmp_path: Path) -> None:
    text = workflow(END.replace("gate: check", "gate: later")).text
    folder = project(tmp_path, {"gates.yaml": GATES, "flow.yaml": text})
    made = compile_workflow(Source.read(folder / "flow.yaml"), None)
    assert [tool for tool in made.plan["tools"].values() if tool.get("reserved")]


def test_a_tool_of_the_registry_counts_more_than_a_gate_of_that_name(tmp_path: Path) -> None:
    registry = REGISTRY + 'tool notes { argv ["look"], effect read_only }\n'
    files = {"gates.yaml": GATES, "registry.akm": registry, "flows/flow.yaml": workflow(LOOK).text}
    flow = project(tmp_path, files) / "flows" / "flow.yaml"
    look = lower(read(Source.read(flow)), registry_beside(str(flow))).steps[0]
    assert isinstance(look, GateStep)
    assert (look.tool, look.artifacts) == ("notes", ())


LOOK = f"  - {{id: look, kind: gate, gate: notes, on: {{passed: {DONE}, implementation-failure: {FAILED}}}}}\n"
