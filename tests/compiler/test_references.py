"""References beyond the rules' own examples: where they may stand, and what must have happened before."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]


def codes(found: Any) -> list[str]:
    return [each.code for each in found]


def use_of(reference: str, *, output: str = "{ wheel: file, notes?: string, parts: list max 3 of int }") -> str:
    return f"""workflow use "Build and use" {{
      param origin: {{ branch: string, tag?: string }} = {{ branch: "main" }}
      step build: exec build {{ output {output}, on passed -> use }}
      step use: exec build {{ with {{ key: {reference}, origin: params.origin }}, on passed -> completed }}
    }}"""


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("build.output", []),
        ("build.output.wheel", []),
        ("build.output.parts[2]", []),
        ("[build.output.wheel, { deep: params.origin.branch }]", []),
        ("build.output.parts[3]", ["AKM4004"]),
        ("build.output.parts.first", ["AKM4004"]),
        ("build.output.wheel[0]", ["AKM4004"]),
        ("build.output.notes", ["AKM4006"]),
        ("params.origin.tag", ["AKM4006"]),
        ("params.origin.nothing", ["AKM4004"]),
        ("params.nothing", ["AKM4001"]),
        ("nothing.output", ["AKM4002"]),
        ("use.output", ["AKM4003"]),
        ("[params.nothing, { deep: nothing.output }]", ["AKM4001", "AKM4002"]),
    ],
)
def test_a_reference_is_followed_through_its_declared_type(
    findings: FindingsOf, reference: str, expected: list[str]
) -> None:
    assert codes(findings(use_of(reference))) == expected


def after(outcome: str, reads: str, *, kind: str = 'agent coder { prompt "Mend it."') -> str:
    """A step that reads what `build` left behind when it ended with `outcome`."""
    return f"""workflow after "Build, and go on in any case" {{
      step build: exec build {{
        exit 3 -> partly
        output {{ log: string }}
        on passed -> completed
        on failed -> {"next" if outcome == "failed" else "failed"}
        on partly -> {"next" if outcome == "partly" else "failed"}
      }}
      step next: {kind}, {reads}, on passed -> completed }}
    }}"""


def test_an_outcome_of_its_own_carries_a_steps_output(findings: FindingsOf) -> None:
    assert codes(findings(after("partly", "with { log: build.output.log }", kind="exec build { attempts 1"))) == []


def test_a_failure_carries_no_output_into_a_tool(findings: FindingsOf) -> None:
    found = findings(after("failed", "with { log: build.output.log }", kind="exec build { attempts 1"))
    assert codes(found) == ["AKM4005"]
    assert "ended without an output" in found[0].message


def test_an_agent_may_read_what_a_failed_step_left_behind(findings: FindingsOf) -> None:
    assert codes(findings(after("failed", "reads build.output"))) == []


def test_a_person_decides_only_about_what_is_there(findings: FindingsOf) -> None:
    kind = "approval { by alice, timeout 1h, on rejected -> failed, on expired -> failed"
    assert codes(findings(after("failed", "reads build.output", kind=kind))) == ["AKM4005"]


def test_no_step_reads_what_only_some_paths_have_made(findings: FindingsOf) -> None:
    text = """workflow some "Sometimes built" {
      step check: gate check { on passed -> build, on failed -> ask }
      step build: exec build { output { wheel: file }, on passed -> ask }
      step ask: agent coder { prompt "Go.", reads build.output, on passed -> completed }
    }"""
    (found,) = findings(text)
    assert found.code == "AKM4005"
    assert "not run" in found.message


def test_a_step_cannot_use_its_own_output(findings: FindingsOf) -> None:
    text = """workflow own "Its own" {
      step build: exec build { output { n: int }, with { n: build.output.n }, on passed -> completed }
    }"""
    assert codes(findings(text)) == ["AKM4005"]


def test_the_data_of_a_signal_is_a_step_output(findings: FindingsOf) -> None:
    text = """workflow wait "Wait for data" {
      step go: wait signal go { timeout 1h, output { id: int 1..9 }, on passed -> use, on expired -> cancelled }
      step use: exec build { with { id: go.output.id }, on passed -> completed }
    }"""
    assert codes(findings(text)) == []


@pytest.mark.parametrize(
    ("type_", "branches", "expected"),
    [
        ("boolean", "when true -> done, when false -> done", []),
        ("boolean", "when true -> done", ["AKM2008"]),
        ('one of ["a", "b"]', 'when "a" -> done, when "b" -> done', []),
        ('one of ["a", "b"]', 'when "a" -> done, when "c" -> done, otherwise -> done', ["AKM4009"]),
        ("int 1..3", "when 1 -> done, otherwise -> done", []),
        ("int 1..3", "when 4 -> done, otherwise -> done", ["AKM4009"]),
        ("int 1..3", "when 1 -> done", ["AKM2008"]),
        ("int 1..3", 'when "1" -> done, otherwise -> done', ["AKM4009"]),
        ("int 0..1", "when true -> done, otherwise -> done", ["AKM4009"]),
        ("number", "otherwise -> done", ["AKM4009"]),
        ("list of int", "otherwise -> done", ["AKM4009"]),
        ("string", 'when "a" -> done, when "a" -> done, otherwise -> done', ["AKM2006"]),
        ("string", "", ["AKM2008", "AKM2010"]),
    ],
)
def test_a_route_compares_what_can_be_compared_and_covers_it(
    findings: FindingsOf, type_: str, branches: str, expected: list[str]
) -> None:
    text = f"""workflow pick "Pick" {{
      param p: {type_}
      step pick: route params.p {{ {branches} }}
      step done: wait 1s {{ on passed -> completed }}
    }}"""
    assert sorted(codes(findings(text))) == expected
