"""The frozen plan: what stands in it, what never does, and that it is the same everywhere."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from akm_specs.canonical import hash_json, unseal
from akm_specs.lifecycle import tables_hash
from akm_specs.published import published_schema
from akmc.pipeline import compile_workflow, registry_beside
from akmc.rules import all_rules
from akmc.source import Source

PlanOf = Callable[..., Any]
WORKFLOWS = Path(__file__).parents[2] / "specs" / "workflows"
EXAMPLES = sorted(path for path in WORKFLOWS.rglob("*.akm") if path.name != "registry.akm")

REGISTRY = """
tool build {
  argv ["make", "./make.sh", "./absent.txt"], receipt ["../ask.sh"], effect receipt_queryable, directory "sub"
}
tool model { argv ["model"] }
tool unused { argv ["unused"] }
agent coder { tool model, model "deep", provider "somebody" }
agent idle { tool unused }
group leads [carol, alice]
"""
WORKFLOW = """workflow whole "Every kind of step" {
  param target: one of ["a", "b"]
  param note: string = "none"
  limits { transitions 20 }
  step make: exec build {
    attempts 3
    with { target: params.target, list: [1, 2.5, "x", null, true, params.note] }
    exit 3 -> again
    output { wheel: file }
    evidence wheel: artifact
    evidence proof: receipt
    on passed -> look
    on again -> make max 2
  }
  step look: gate artifacts_exist ["dist/a.whl"] { expect fail, on passed -> fit }
  step fit: gate schema make.output is { wheel: string } { on passed -> mend }
  step mend: agent coder { prompt "Mend it.", reads [make.output, params.note], on done -> pick }
  step pick: route params.target { when "a" -> ask, otherwise -> pause }
  step ask: approval {
    by [leads, bob], reads make.output.wheel, timeout 1d
    on passed -> pause, on rejected -> failed, on expired -> cancelled
  }
  step pause: wait 1h30m { on passed -> hear }
  step hear: wait signal go { timeout 1d, output string, on passed -> completed, on expired -> cancelled }
}
"""


@pytest.fixture
def steps(plan_of: PlanOf) -> dict[str, Any]:
    return {step["name"]: step for step in plan_of(WORKFLOW, REGISTRY)["steps"]}


def test_a_plan_is_sealed_and_pins_the_lifecycle_tables() -> None:
    made = compile_workflow(Source("a.akm", WORKFLOW), Source("registry.akm", REGISTRY))
    body, stated = unseal(made.data)
    assert body == made.plan
    assert stated == made.plan_hash == hash_json(made.plan)
    assert body["lifecycles"] == tables_hash()


def test_a_plan_holds_only_the_entries_that_its_steps_use(plan_of: PlanOf) -> None:
    plan = plan_of(WORKFLOW, REGISTRY)
    assert set(plan["tools"]) == {"build", "model"}
    assert plan["agents"] == {"coder": {"tool": "model", "model": "deep", "provider": "somebody"}}


def test_parameters_keep_their_order_and_only_written_defaults(plan_of: PlanOf) -> None:
    assert plan_of(WORKFLOW, REGISTRY)["parameters"] == [
        {"name": "target", "type": {"enum": ["a", "b"]}},
        {"name": "note", "type": {"type": "string"}, "default": "none"},
    ]


def test_an_exec_step_is_frozen_whole(steps: dict[str, Any]) -> None:
    make = steps["make"]
    assert make["exits"] == {"3": "again"}
    assert {name: each["kind"] for name, each in make["evidence"].items()} == {
        "wheel": "artifact",
        "proof": "receipt",
    }
    assert make["transitions"]["again"] == {
        "target": "make",
        "maximum": {"value": 2, "origin": "declared"},
        "back": True,
        "origin": "declared",
    }
    target = {"reference": {"root": "params", "name": "target", "path": []}}
    note = {"reference": {"root": "params", "name": "note", "path": []}}
    literals = [{"literal": value} for value in (1, 2.5, "x", None, True)]
    assert make["input"] == {"members": {"target": target, "list": {"items": [*literals, note]}}}


def test_gates_without_a_process_are_frozen_without_one(steps: dict[str, Any]) -> None:
    assert (steps["look"]["check"], steps["look"]["paths"], steps["look"]["expect"]) == (
        "artifacts_exist",
        ["dist/a.whl"],
        "fail",
    )
    assert steps["fit"]["check"] == "schema"
    assert steps["fit"]["value"] == {"reference": {"root": "output", "name": "make", "path": []}}
    assert not {"tool", "dispatch", "timeout_ms"} & steps["fit"].keys()


def test_an_agent_step_names_its_agent_and_that_agents_tool(steps: dict[str, Any]) -> None:
    mend = steps["mend"]
    assert (mend["agent"], mend["tool"], mend["prompt"]) == ("coder", "model", "Mend it.")
    assert [each["name"] for each in mend["reads"]] == ["make", "note"]
    assert set(mend["transitions"]) == {"done", "failed", "timed_out"}


def test_who_may_decide_is_people_alone_sorted_and_once(steps: dict[str, Any], plan_of: PlanOf) -> None:
    assert steps["ask"]["by"] == ["alice", "bob", "carol"]
    twice = """workflow w "Ask" { step ask: approval {
      by [leads, alice, carol], timeout 1d
      on passed -> completed, on rejected -> failed, on expired -> failed
    } }"""
    assert plan_of(twice, REGISTRY)["steps"][0]["by"] == ["alice", "carol"]


def test_waits_and_routes_are_frozen(steps: dict[str, Any]) -> None:
    assert (steps["pause"]["wait"], steps["pause"]["span_ms"]) == ("span", 5_400_000)
    assert (steps["hear"]["signal"], steps["hear"]["output"]) == ("go", {"type": "string"})
    assert set(steps["pick"]["transitions"]) == {"a", "otherwise"}


def test_scripts_are_pinned_from_where_the_registry_lies(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "make.sh").write_bytes(b"make\n")
    (tmp_path / "ask.sh").write_bytes(b"ask\n")
    registry = Source(str(tmp_path / "registry.akm"), REGISTRY)
    (first, second) = compile_workflow(Source("a.akm", WORKFLOW), registry).plan["tools"]["build"]["scripts"]
    assert (first["path"], second["path"]) == ("../ask.sh", "./make.sh")
    before = compile_workflow(Source("a.akm", WORKFLOW), registry).plan_hash
    (tmp_path / "sub" / "make.sh").write_bytes(b"make it different\n")
    assert compile_workflow(Source("a.akm", WORKFLOW), registry).plan_hash != before


def test_nothing_of_a_sources_place_or_layout_reaches_the_plan() -> None:
    plain = compile_workflow(Source("a.akm", WORKFLOW), Source("registry.akm", REGISTRY))
    windows = "\ufeff" + WORKFLOW.replace("\n", "\r\n")
    spaced = "# A comment\n\n" + WORKFLOW.replace("  step", "\n\t  step")
    for text in (windows, spaced):
        moved = compile_workflow(Source("/elsewhere/b.akm", text), Source("registry.akm", REGISTRY))
        assert moved.data == plain.data
    other = REGISTRY.replace("[carol, alice]", "[alice, carol]")
    assert compile_workflow(Source("a.akm", WORKFLOW), Source("registry.akm", other)).data == plain.data


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_a_plan_is_the_same_for_every_hash_seed_and_working_directory(tmp_path: Path, seed: str) -> None:
    (tmp_path / "a.akm").write_text(WORKFLOW, encoding="utf-8")
    (tmp_path / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    (tmp_path / "cwd").mkdir()
    command = [sys.executable, "-m", "akmc", "compile", "--json", "../a.akm", "-o", f"{seed}.json"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    ended = subprocess.run(command, cwd=tmp_path / "cwd", env=environment, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    expected = compile_workflow(Source("a.akm", WORKFLOW), Source(str(tmp_path / "registry.akm"), REGISTRY))
    assert (tmp_path / "cwd" / f"{seed}.json").read_bytes() == expected.data
    assert json.loads(ended.stdout)["plan_hash"] == expected.plan_hash


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_workflow_compiles_to_a_plan_of_the_published_form(path: Path) -> None:
    made = compile_workflow(Source.read(path), registry_beside(str(path)))
    assert made.warnings == ()
    jsonschema.Draft202012Validator(published_schema("plan")).validate(json.loads(made.data))


def test_every_plan_has_the_published_form_and_no_other_member(tmp_path: Path) -> None:
    validator = jsonschema.Draft202012Validator(published_schema("plan"))
    texts = [(WORKFLOW, REGISTRY, "")]
    texts += [
        (rule.right, rule.registry or "", rule.child or "")
        for rule in all_rules()
        if rule.right.startswith("workflow")
    ]
    for text, entries, child in texts:
        registry = Source(str(tmp_path / "registry.akm"), entries) if entries else None
        (tmp_path / "child.akm").write_text(child, encoding="utf-8")
        plan = json.loads(compile_workflow(Source(str(tmp_path / "a.akm"), text), registry).data)
        validator.validate(plan)
        assert not validator.is_valid({**plan, "more": 1})
        assert not validator.is_valid({**plan, "steps": [{**plan["steps"][0], "more": 1}]})
