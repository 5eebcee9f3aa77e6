"""Whatever stands in a file of another format, the answer is a plan or named findings, soon."""

import re
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from akmc.convert import convert
from akmc.diagnostic import CompileFailed
from akmc.lint import findings_of
from akmc.pipeline import compile_workflow
from akmc.reports.json import to_json
from akmc.reports.text import to_text
from akmc.rules import all_rules
from akmc.rules.rule import EXAMPLE_REGISTRY
from akmc.source import Source, SourceUnreadable

REGISTRY = Source(
    "absent/registry.akm",
    EXAMPLE_REGISTRY
    + """\
agent critic { tool model, provider "one" }
agent writer { tool model, scope { write [app] } }
repository app { directory "." }
defaults { agent coder, judge critic }
""",
)

KXM = """\
schema: kxm.workflow.v1
description: "Write, 漢字 😀"
coordinator: coder
limits: { maxTransitions: 9, maxRunDurationMs: 60000, maxModelCost: 1.5, currency: USD }
planHash: { stageId: draft, evidenceKey: outline }
reproOracle: { stageId: draft, evidenceKey: outline }
requirePlanHash: [write]
steps:
  - id: draft
    kind: agent
    agent: coder
    maxAttempts: 0o3
    timeoutMs: 6e4
    requiredEvidence:
      - { key: outline, kind: artifact }
      - { key: r, kind: assignment-result, minimum: 1, reusableAcrossAttempts: true }
    on: { passed: review, blocked: { target: $terminal, terminalStatus: failed } }
  - id: review
    kind: moa
    agent: critic
    assignments: { allowedAgents: [critic, coder], minimum: 1, target: 2, maxAttemptsPerAssignment: 2 }
    join: { strategy: all-settled, minimumPassed: 1, cancelRemaining: false }
    on: { passed: sign, quorum-not-met: { target: draft, maxTransitions: 2 } }
  - id: sign
    kind: approval
    timeoutMs: 86400000
    on: { passed: write, rejected: { target: draft, maxTransitions: 1 } }
  - id: write
    kind: agent
    agent: writer
    repositories: { app: write }
    secrets: []
    on: { passed: check }
  - id: check
    kind: gate
    gate: check
    expect: pass
    on: { passed: later, implementation-failure: { target: $terminal, terminalStatus: failed } }
  - { id: later, kind: wait, signal: go, on: { passed: { target: $terminal, terminalStatus: completed } } }
"""

MARKDOWN = """\
---
type: workflow
description: Draft, pick, and publish
tags: [x]
params: { files: { type: array, items: { type: string } }, mode: { enum: [long, short], default: short } }
defaults: { engine: coder, timeout: 5m, on_error: fail }
budget: { max_units: 40, max_tokens: 1000 }
steps:
  - id: draft
    output: { type: object, properties: { text: { type: string } }, required: [text] }
    gate: { max_loops: 2 }
  - id: each
    map: { over: params.files, concurrency: 2, reducer: collect, unit: { on_error: continue } }
  - id: choose
    route: { input: params.mode, when: [{ match: long, step: more }], default: publish }
  - id: more
    inputs: [steps.draft.output.text]
    unit: { retry: { max: 1, on: [timeout, llm_rate_limit] } }
  - id: publish
---
# Draft
## draft
Write it.
### gate
- it is short
## each
Look at the file.
## choose
Nothing to do.
### gate
The mode makes sense.
## more
```
## no heading
```
Say more.
## publish
Publish it.
"""

SAMPLES = {".yaml": KXM, ".md": MARKDOWN}
ODD_VALUES = ["-1", "0", "1e400", "9" * 30, "{}", "[]", "[a, a]", "''", "true", "null", "x" * 70, "a.b", "{a: [1]}"]
PIECES = sorted(
    {*re.findall(r"[\w$.-]+|\S", KXM + MARKDOWN), "&a", "*a", "!!str", "<<: ", "\t", "\n", "null", "~", "[" * 70}
)

quickly = settings(deadline=timedelta(seconds=5), max_examples=150, suppress_health_check=[HealthCheck.too_slow])
suffixes = st.sampled_from(sorted(SAMPLES))


def answered(source: Source) -> None:
    """Checks `source`. Findings can be shown and lie in the text; what is accepted can be converted."""
    found = findings_of(source, REGISTRY)
    for each in found:
        assert each.span.end <= len(each.source.text)
        assert each.message
        assert to_text(each)
        assert to_json(each)["line"] >= 1
    if not any(each.severity == "error" for each in found):
        try:
            converted = Source("absent/converted.akm", convert(source, REGISTRY).text)
        except CompileFailed:  # a registry of gates that holds no tool is no registry of ours
            return
        if converted.text.startswith("workflow"):
            original = compile_workflow(source, REGISTRY)
            assert compile_workflow(converted, REGISTRY).plan_hash == original.plan_hash


@pytest.mark.parametrize("suffix", sorted(SAMPLES))
def test_the_samples_are_accepted_as_they_are(suffix: str) -> None:
    found = findings_of(Source(f"absent/sample{suffix}", SAMPLES[suffix]), REGISTRY)
    assert not [each for each in found if each.severity == "error"]


@quickly
@given(suffixes, st.binary(max_size=300))
def test_any_bytes_are_answered(suffix: str, data: bytes) -> None:
    try:
        source = Source.decode(f"absent/x{suffix}", data)
    except SourceUnreadable:
        return
    answered(source)


@quickly
@given(suffixes, st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=60).map("".join))
@example(".md", "---\nsteps:\n---\n")
@example(".md", "---\n---\n## a\n")
@example(".yaml", "schema: kxm.workflow.v1\nsteps:\n  -\n")
def test_any_text_of_the_formats_own_pieces_is_answered(suffix: str, text: str) -> None:
    answered(Source(f"absent/x{suffix}", text))


@quickly
@given(suffixes, st.data())
def test_a_sample_with_pieces_taken_out_put_in_or_moved_is_answered(suffix: str, data: st.DataObject) -> None:
    text = SAMPLES[suffix]
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 40)))
        other = data.draw(st.integers(0, max(0, len(text) - 20)))
        put = data.draw(st.sampled_from(["", *PIECES, text[other : other + 20]]))
        text = text[:start] + put + text[end:]
    answered(Source(f"absent/x{suffix}", text))


@quickly
@given(suffixes, st.data())
def test_a_sample_with_one_value_replaced_is_answered(suffix: str, data: st.DataObject) -> None:
    text = SAMPLES[suffix]
    values = list(re.finditer(r"(?<=: )[^\s{},\[\]]+|(?<=\[)[^\s{},\[\]]+", text))
    found = data.draw(st.sampled_from(values))
    answered(
        Source(
            f"absent/x{suffix}",
            text[: found.start()] + data.draw(st.sampled_from(ODD_VALUES)) + text[found.end() :],
        )
    )


@pytest.mark.parametrize("suffix", [".yaml", ".md", ".akm"])
def test_an_example_of_another_format_is_answered(suffix: str) -> None:
    for rule in all_rules():
        answered(Source(f"absent/x{suffix}", rule.wrong))
