"""Rules about maps, judges, step gates and skips beyond their own examples."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]


def codes(found: Any) -> list[str]:
    return [each.code for each in found]


def over(clauses: str, type_: str = "list max 5 of { name: string, note?: string }", item: str = "each") -> str:
    return f"""workflow w "T" {{
      param rows: {type_}
      step work: map {item} in params.rows {{ {clauses}, on passed -> completed }}
    }}"""


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("run tool build", []),
        ("run tool build, with { name: each.name }", []),
        ("run tool build, with { each: each }", []),
        ('run agent coder, prompt "Look.", reads each.note', []),
        ("run tool build, items 5, parallel 5, tolerate 4", []),
        ("run tool build, output string, reduce vote", []),
        ("run tool build, with { name: each.nam }", ["AKM4004"]),
        ("run tool build, with { note: each.note }", ["AKM4006"]),
        ("run tool build, with { name: each[0] }", ["AKM4004"]),
        ("run tool bulid", ["AKM2011"]),
        ("run agent coder", ["AKM2010"]),
        ("attempts 1", ["AKM2010"]),
        ('run tool build, run agent coder, prompt "Look."', ["AKM2024"]),
        ('run tool build, prompt "Look."', ["AKM2009"]),
        ('run agent coder, prompt "Look.", with { each: each }', ["AKM2009"]),
        ("run tool build, scope { }", ["AKM2009"]),
        ("run tool build, items 6", ["AKM3021"]),
        ("run tool build, items 3, parallel 4", ["AKM3021"]),
        ("run tool build, tolerate 5", ["AKM3021"]),
        ("run tool build, reduce vote", ["AKM4015"]),
        ('run tool build, skip when each.name is "a", on skipped -> completed', ["AKM0008"]),
    ],
)
def test_a_map_says_what_is_done_with_each_item(findings: FindingsOf, clauses: str, expected: list[str]) -> None:
    found = findings(over(clauses))
    assert sorted(codes(each for each in found if each.severity == "error")) == expected


@pytest.mark.parametrize(
    ("type_", "expected"),
    [
        ("list of string", []),
        ("any", []),
        ('json { type: "array" }', []),
        ("json { }", []),
        ("string", ["AKM4014"]),
        ("{ a: string }", ["AKM4014"]),
        ('one of ["a"]', ["AKM4014"]),
    ],
)
def test_a_map_goes_over_what_may_be_a_list(findings: FindingsOf, type_: str, expected: list[str]) -> None:
    assert codes(findings(over("run tool build", type_))) == expected


@pytest.mark.parametrize("item", ["work", "params", "true", "completed"])
def test_an_items_name_means_nothing_else(findings: FindingsOf, item: str) -> None:
    assert codes(findings(over("run tool build", item=item))) == ["AKM2017"]


def test_an_item_is_known_in_its_own_map_alone(findings: FindingsOf) -> None:
    text = over("run tool build").replace("-> completed", "-> next").rstrip("}")
    assert codes(findings(text + 'step next: route each { when "a" -> completed, otherwise -> failed } }')) == [
        "AKM0008"
    ]


GATED = """workflow w "T" {
  step s: %s {
    gate { %s }
    on passed -> completed
  }
}"""
AGENT = 'agent coder { prompt "Write.", attempts 1'


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ('judge critic_a, rubric "Good."', []),
        ('judge critic_a, rubric "Good.", max_loops 9', []),
        ('rubric "Good."', ["AKM2010"]),
        ("judge critic_a", ["AKM2010"]),
        ('judge critic_a, rubric ""', ["AKM2010"]),
        ('judge critc_a, rubric "Good."', ["AKM2011"]),
        ('judge coder, rubric "Good."', ["AKM4027"]),
        ('judge critic_a, rubric "Good.", max_loops 0', ["AKM1002"]),
        ('judge critic_a, rubric "Good.", max_loops 101', ["AKM1002"]),
    ],
)
def test_a_gate_has_a_judge_and_a_rubric(findings: FindingsOf, gate: str, expected: list[str]) -> None:
    text = GATED.replace("%s {\n", 'agent coder {\n    prompt "Write."\n', 1) % gate
    assert codes(findings(text)) == expected


def test_the_registry_names_the_judge_of_a_gate_that_names_none(findings: FindingsOf) -> None:
    registry = 'tool m { argv ["m"] }\nagent coder { tool m }\nagent critic { tool m }\ndefaults { judge %s }'
    text = GATED.replace("%s {\n", 'agent coder {\n    prompt "Write."\n', 1) % 'rubric "Good."'
    assert codes(findings(text, registry % "critic")) == []
    assert codes(findings(text, registry % "coder")) == ["AKM4027"]


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("exec build", []),
        ("gate check", []),
        ("wait 1s", ["AKM4016"]),
        ('gate artifacts_exist ["a"]', ["AKM4016"]),
    ],
)
def test_only_what_makes_something_is_judged(findings: FindingsOf, kind: str, expected: list[str]) -> None:
    assert codes(findings(GATED % (kind, 'judge critic_a, rubric "Good."'))) == expected


def test_a_judge_reads_what_another_agent_made(findings: FindingsOf) -> None:
    text = """workflow w "T" {
      step make: agent %s { prompt "Write.", output { text: string }, on passed -> look }
      step look: judge critic_a { of make.output, rubric "Good.", %s on passed -> completed }
    }"""
    assert codes(findings(text % ("coder", ""))) == []
    assert codes(findings(text % ("critic_a", ""))) == ["AKM4027"]
    assert codes(findings(text % ("coder", "output string,"))) == ["AKM2009"]


SKIPPING = """workflow w "T" {
  param fast: boolean
  step s: %s {
    skip when params.fast is %s
    on passed -> completed
    %s
  }
}"""


@pytest.mark.parametrize(
    ("kind", "value", "lines", "expected"),
    [
        ("exec build", "true", "on skipped -> completed", []),
        ("exec build", '"yes"', "on skipped -> completed", ["AKM4023"]),
        ("exec build", "true", "", ["AKM2005"]),
        ("gate check", "true", "on skipped -> completed", ["AKM3023"]),
        ("wait 1s", "true", "on skipped -> completed", []),
    ],
)
def test_what_may_be_skipped_says_where_that_leads(
    findings: FindingsOf, kind: str, value: str, lines: str, expected: list[str]
) -> None:
    assert codes(findings(SKIPPING % (kind, value, lines))) == expected


def test_without_a_skip_nothing_is_skipped(findings: FindingsOf) -> None:
    text = 'workflow w "T" { step s: agent coder { prompt "p", on passed -> completed, on skipped -> failed } }'
    assert codes(findings(text)) == ["AKM2004"]


def test_a_step_that_was_skipped_put_nothing_out(findings: FindingsOf) -> None:
    text = (SKIPPING % ("exec build", "true", "output string, on skipped -> use")).replace(
        "-> completed", "-> use", 1
    )
    text = text.rstrip("}") + "step use: exec build { with { text: s.output }, on passed -> completed } }"
    assert codes(findings(text)) == ["AKM4005"]
