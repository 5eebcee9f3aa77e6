"""akm Markdown: what people bring is accepted or refused as that format has it, at the line that it names."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akmc.convert import convert
from akmc.lint import findings_of
from akmc.pipeline import compile_workflow
from akmc.source import Source

SHARED = Path(__file__).parents[2].parent / "shared" / "cases"
with_cases = pytest.mark.skipif(not SHARED.exists(), reason="the cases that people bring are not here")

#: What `akm_context.json` describes, as registries.
_ENGINES = """\
tool agent_tool { argv ["agent"], effect external_idempotent, timeout 366d }
tool llm_tool { argv ["llm"], effect read_only, timeout 366d }

agent test-agent { tool agent_tool }
agent test-llm { tool llm_tool }
"""
CONTEXTS = {
    "default": _ENGINES + "defaults { agent test-agent, judge test-llm }\n",
    "llm": _ENGINES + "defaults { agent test-llm, judge test-llm }\n",
    "nojudge": _ENGINES + "defaults { agent test-agent }\n",
}
#: Faults that are shown where they stand, and not where that format ends the part that they stand in.
SHOWN_WHERE_THEY_STAND = {"bad_tags_blank_item", "bad_xrefs_noncanonical", "bad_yaml_alias_bomb"}


def cases() -> Iterator[Any]:
    path = SHARED / "akm_markdown.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    for line in lines:
        case = json.loads(line)
        yield pytest.param(case, id=case["name"])


def source(case: Any) -> Source:
    return Source("absent/case.md", case["markdown"])


def registry(case: Any) -> Source:
    return Source("absent/registry.akm", CONTEXTS[case.get("config", "default")])


@with_cases
@pytest.mark.parametrize("case", list(cases()))
def test_a_case_is_accepted_or_refused_as_the_format_has_it(case: Any) -> None:
    errors = [found for found in findings_of(source(case), registry(case)) if found.severity == "error"]
    assert (not errors) == case["accept"], [(found.code, found.message) for found in errors]
    if errors and case["line"] is not None and case["name"] not in SHOWN_WHERE_THEY_STAND:
        assert errors[0].source.position(errors[0].span.start).line == case["line"]


@with_cases
@pytest.mark.parametrize("case", [each for each in cases() if each.values[0]["accept"]])
def test_a_case_means_the_same_when_it_is_converted(case: Any) -> None:
    converted = Source("absent/converted.akm", convert(source(case), registry(case)).text)
    original = compile_workflow(source(case), registry(case))
    assert compile_workflow(converted, registry(case)).plan_hash == original.plan_hash
