"""From faults of a document to findings: code, place, and words that an author knows."""

from collections.abc import Callable
from typing import Any

import pytest

from akmc.diagnostic import CompileFailed
from akmc.document import Workflow
from akmc.lowered import Lowered
from akmc.shape import shaped
from akmc.source import Source

FindingsOf = Callable[..., Any]


def step(clauses: str) -> str:
    return f'workflow w "One" {{\n  step build: exec build {{ {clauses}, on passed -> completed }}\n}}'


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        (step("attempts 0"), "AKM1002", "step `build`: `attempts` must be at least 1"),
        (step("attempts 101"), "AKM1002", "step `build`: `attempts` must be at most 100"),
        (step("timeout 400d"), "AKM1002", "step `build`: `timeout` must be at most 366d"),
        (step("retry 0 on failed"), "AKM1002", "step `build`: `retry` must be at least 1"),
        (step("retry 1 on lost"), "AKM1004", "`lost` is no word for"),
        (step("exit 256 -> odd, on odd -> failed"), "AKM1002", "step `build`: `exit` must be at most 255"),
        (step("evidence proof: reciept"), "AKM1004", "`reciept` is no word for `evidence`"),
        ('workflow w "None" { }', "AKM1003", "`steps` is empty"),
        ('agent a { model "m" }', "AKM1001", "agent `a`: `tool` is missing"),
        ('tool t { argv ["a"], effect readonly }', "AKM1004", "tool `t`: `readonly` is no word for `effect`"),
        ('tool t { argv ["a"], output_max 2GiB }', "AKM1002", "tool `t`"),
        (f"group {'g' * 65} [alice]", "AKM1003", "`name` has more than 64 characters"),
    ],
)
def test_a_fault_of_form_is_told_in_the_authors_words(
    findings: FindingsOf, text: str, code: str, words: str
) -> None:
    (found,) = findings(text)
    assert found.code == code
    assert words in found.message
    assert found.help


def test_the_nearest_word_is_suggested(findings: FindingsOf) -> None:
    (found,) = findings('tool t { argv ["a"], effect readonly }')
    assert found.help == "did you mean `read_only`?"


def test_every_fault_is_reported_each_at_its_place(findings: FindingsOf) -> None:
    text = step("attempts 0, timeout 400d") + "\n"
    found = findings(text)
    assert [text[each.span.start : each.span.end] for each in found] == ["attempts 0", "timeout 400d"]


def test_a_document_of_another_front_end_is_held_to_the_published_form() -> None:
    document = {"schema": "akm.document.v1", "name": "w", "title": "", "steps": [{"kind": "wait", "span": 1}]}
    with pytest.raises(CompileFailed) as failed:
        shaped(Lowered(Source("w.yaml", ""), document, {}), Workflow)
    assert {found.code for found in failed.value.diagnostics} == {"AKM1001", "AKM1005"}
