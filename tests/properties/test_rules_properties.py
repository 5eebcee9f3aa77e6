"""Clauses of one example in another one: whatever a careless author mixes up gives findings, or a sound plan."""

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akm_specs.plan import Plan
from akm_specs.published import published_schema
from akm_specs.types import violation
from akmc.diagnostic import CompileFailed
from akmc.pipeline import compile_workflow
from akmc.rules import all_rules
from akmc.rules.rule import EXAMPLE_REGISTRY
from akmc.source import Source

RULES = [rule for rule in all_rules() if rule.language == "akm" and rule.wrong.startswith("workflow")]
TEXTS = [text for rule in RULES for text in (rule.wrong, rule.right)]
REGISTRIES = list(dict.fromkeys(rule.registry or EXAMPLE_REGISTRY for rule in RULES))
CLAUSE = re.compile(r"^ {4}(\w[^{}\n]*(?:\{[^{}\n]*\})?)$", re.MULTILINE)
#: Whole clauses on a line of their own, wherever they stood.
CLAUSES = sorted({clause for text in TEXTS for clause in CLAUSE.findall(text)})
CODES = {rule.code for rule in all_rules()}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mixed")
    (folder / "child.akm").write_text(next(rule.child for rule in RULES if rule.child), encoding="utf-8")
    return folder


def made_of(source: Source, registry: Source) -> tuple[Plan | None, set[str]]:
    """The plan of `source` or, where it has none, the codes of why."""
    try:
        return compile_workflow(source, registry).plan, set()
    except CompileFailed as failed:
        return None, {each.code for each in failed.diagnostics}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.sampled_from(TEXTS),
    registry=st.sampled_from(REGISTRIES),
    mixed=st.lists(st.tuples(st.sampled_from(CLAUSES), st.integers(0, 40)), min_size=1, max_size=3),
)
def test_mixed_clauses_give_findings_or_a_plan_of_the_published_form(
    folder: Path, text: str, registry: str, mixed: list[tuple[str, int]]
) -> None:
    lines = text.splitlines()
    for clause, at in mixed:
        lines.insert(at % (len(lines) - 1) + 1, f"    {clause}")
    source = Source(str(folder / "example.akm"), "\n".join(lines) + "\n")
    plan, codes = made_of(source, Source(str(folder / "registry.akm"), registry))
    assert codes <= CODES
    assert plan is None or violation(published_schema("plan"), dict(plan)) is None
