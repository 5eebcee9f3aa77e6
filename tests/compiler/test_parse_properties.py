"""Whatever stands in a file, the answer is a tree or named findings, soon."""

from datetime import timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import akm_grammar
from akmc.diagnostic import CompileFailed
from akmc.lifecycle import freeze_lifecycle
from akmc.lower_registry import lower_registry
from akmc.lower_workflow import lower_workflow
from akmc.parse import parse
from akmc.reports.json import to_json
from akmc.reports.text import to_text
from akmc.source import Source, SourceUnreadable

SAMPLE = '''\
workflow w "t" {
  param p: list of { a: string matching "^x$", b?: int 1..3 } = [{ a: "x" }]
  limits { transitions 12, cost 5 USD }
  step a: gate t {
    attempts 2, on passed -> b max 2
    with { k: [params.p, a.output[0].x, "q"], l: null }
    retry 1 on timeout, lost
  }
  step b: agent c { prompt """
    text
  """, on passed -> completed }
}
'''
SIGNS = ["\n", " ", '"', '"""', "#", "\\", "9", "é", "\0"]
PIECES = [*sorted(set(akm_grammar.read().split('"')[1::2])), *SAMPLE.split(), *SIGNS]

quickly = settings(deadline=timedelta(seconds=5), max_examples=200, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(autouse=True, scope="module")
def grammar_is_loaded() -> None:
    parse(Source("a.akm", SAMPLE))


def compiled(source: Source) -> bool:
    """Whether `source` gives a document. Its findings, if any, can be shown and lie in the text."""
    try:
        parsed = parse(source)
        {"workflow": lower_workflow, "registry": lower_registry, "lifecycle": freeze_lifecycle}[parsed.kind](parsed)
    except CompileFailed as failed:
        for found in failed.diagnostics:
            assert found.span.end <= len(source.text)
            assert found.message
            assert to_text(found)
            assert to_json(found)["line"] >= 1
        return False
    return True


@quickly
@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    try:
        source = Source.decode("a.akm", data)
    except SourceUnreadable:
        return
    compiled(source)


@quickly
@given(st.text(max_size=300))
def test_any_text(text: str) -> None:
    compiled(Source("a.akm", text))


@quickly
@given(st.lists(st.sampled_from(PIECES), max_size=80).map(" ".join))
@example('workflow w "t" { step a: exec t { reads [')
def test_any_order_of_the_words_of_the_language(text: str) -> None:
    compiled(Source("a.akm", text))


@quickly
@given(st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join))
def test_any_order_of_words_inside_a_step(text: str) -> None:
    compiled(Source("a.akm", f'workflow w "t" {{\n step a: exec t {{\n{text}\n}}\n}}'))


@quickly
@given(
    st.integers(0, len(SAMPLE)),
    st.integers(0, 12),
    st.one_of(st.just(""), st.sampled_from(PIECES), st.text(max_size=3)),
)
def test_a_source_with_any_one_slip(at: int, dropped: int, inserted: str) -> None:
    compiled(Source("a.akm", SAMPLE[:at] + inserted + SAMPLE[at + dropped :]))


def test_the_sample_without_a_slip_compiles() -> None:
    assert compiled(Source("a.akm", SAMPLE))
