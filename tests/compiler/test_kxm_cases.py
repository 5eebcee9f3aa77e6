"""`kxm.workflow.v1`: what people bring is accepted or refused as that format has it, and means the same."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akm_specs.plan import Plan
from akmc.convert import convert
from akmc.lint import findings_of
from akmc.pipeline import compile_workflow
from akmc.source import Source

SHARED = Path(__file__).parents[2].parent / "shared" / "cases"
with_cases = pytest.mark.skipif(not SHARED.exists(), reason="the cases that people bring are not here")

#: What `kxm_context.json` describes, as a registry.
CONTEXT = """\
tool model { argv ["model"], effect read_only }
tool test { argv ["npm", "test"], timeout 10m }
tool lint { argv ["npm", "run", "lint"], timeout 1m }
tool later { reserved }

agent coordinator { tool model, scope { read [control, api], preset coordinator } }
agent planner { tool model, scope { read [control, api], preset read-only } }
agent implementer {
  tool model
  scope {
    read [control]
    write [api]
    preset workspace-writer
    allow [edit-file, read-file]
    deny [shell]
    secrets [npm-token]
  }
}
agent critic-1 { tool model, scope { read [control, api] } }
agent critic-2 { tool model, scope { read [control, api] } }
agent critic-3 { tool model, scope { read [control, api] } }

repository control { directory "control" }
repository api { directory "api" }
"""

_AGENTS = ("coordinator", "planner", "implementer", "reproducer", "critic-arch", "critic-cli")
_REPOSITORIES = ("control", "api", "web")
_STAGES = ("land-verify", "land-docs", "land-rebase", "land-merge", "land-release", "land-milestone", "test")


def whole_registry(gates: bool) -> Source:
    """A registry with every name that whole workflows use; with `gates`, those that no file of theirs defines."""
    scope = f"scope {{ write [{', '.join(_REPOSITORIES)}] }}"
    lines = ['tool model { argv ["model"], effect read_only, timeout 2h }']
    lines += [f"agent {name} {{ tool model, {scope} }}" for name in _AGENTS]
    lines += [
        f'agent critic-{at} {{ tool model, model "critic", provider "provider-{at}", {scope} }}' for at in (1, 2, 3)
    ]
    lines += [f'repository {name} {{ directory "{name}" }}' for name in _REPOSITORIES]
    lines += [f'tool {name} {{ argv ["npm", "test"], timeout 1h }}' for name in _STAGES if gates]
    return Source("absent/registry.akm", "\n".join(lines) + "\n")


def cases() -> Iterator[Any]:
    path = SHARED / "kxm_compile.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in lines:
        case = json.loads(line)
        yield pytest.param(case, id=case["name"])


def whole() -> Iterator[Any]:
    for path in sorted((SHARED / "kxm").rglob("*.yaml")):
        if path.name != "gates.yaml":
            yield pytest.param(path, id="-".join(path.parts[-3:]))


def source(case: Any) -> Source:
    return Source("absent/case.yaml", case["yaml"])


def registry() -> Source:
    return Source("absent/registry.akm", CONTEXT)


@with_cases
@pytest.mark.parametrize("case", list(cases()))
def test_a_case_is_accepted_or_refused_as_the_format_has_it(case: Any) -> None:
    errors = [found for found in findings_of(source(case), registry()) if found.severity == "error"]
    assert (not errors) == case["accept"], [(found.code, found.message) for found in errors]


@with_cases
@pytest.mark.parametrize("case", [each for each in cases() if each.values[0]["plan"]])
def test_a_case_has_the_bounds_that_the_format_resolves(case: Any) -> None:
    plan, bounds = compile_workflow(source(case), registry()).plan, case["plan"]
    if "budget" in bounds:
        assert plan["limits"]["transitions"]["value"] == bounds["budget"]
    if "back" in bounds:
        edges = [edge for step in plan["steps"] for edge in step["transitions"].values()]
        assert any(edge["back"] for edge in edges) == bounds["back"]
    if "maxAttempts" in bounds:
        assert plan["steps"][0]["attempts"]["value"] == bounds["maxAttempts"]
    if "assign" in bounds:
        assert assignment_bounds(plan) == bounds["assign"]


def assignment_bounds(plan: Plan) -> list[int]:
    """Least, wished and most assignments, those at the same time, and the tries of each, of the first step."""
    step: Any = plan["steps"][0]
    if step["kind"] == "agent":
        return [1, 1, 1, 1, step["dispatch"]["attempts"]["value"]]
    counts = [step[name]["value"] for name in ("minimum", "target", "maximum", "parallel")]
    return [*counts, step["dispatch"]["attempts"]["value"]]


@with_cases
@pytest.mark.parametrize("path", list(whole()))
def test_a_whole_workflow_compiles_beside_a_registry_that_has_its_names(path: Path) -> None:
    beside = whole_registry(gates="examples" not in path.parts)
    assert compile_workflow(Source.read(path), beside).plan["workflow"] == path.stem


@with_cases
@pytest.mark.parametrize("path", list(whole()))
def test_a_whole_workflow_means_the_same_when_it_is_converted(path: Path) -> None:
    beside = whole_registry(gates="examples" not in path.parts)
    original = Source.read(path)
    gates = convert(Source.read(path.parents[1] / "gates.yaml"), None).text if "examples" in path.parts else ""
    both = Source("absent/registry.akm", beside.text + gates)
    converted = Source("absent/converted.akm", convert(original, beside).text)
    assert compile_workflow(converted, both).plan_hash == compile_workflow(original, beside).plan_hash


@with_cases
@pytest.mark.parametrize("case", [each for each in cases() if each.values[0]["accept"]])
def test_a_case_means_the_same_when_it_is_converted(case: Any) -> None:
    converted = Source("absent/converted.akm", convert(source(case), registry()).text)
    original = compile_workflow(source(case), registry())
    assert compile_workflow(converted, registry()).plan_hash == original.plan_hash
