"""Names, texts and paths that would not mean one thing everywhere, and what looks like a secret."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]


def codes(found: Any) -> list[str]:
    return [each.code for each in found]


def two_steps(one: str, other: str) -> str:
    return f"""workflow w "T" {{
      step {one}: wait 1s {{ on passed -> {other} }}
      step {other}: wait 1s {{ on passed -> completed }}
    }}"""


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("build", "check", []),
        ("step1", "step2", []),
        ("l1", "ll", ["AKM2014"]),
        ("a-b", "a_b", ["AKM2014"]),
        ("port0", "portO", ["AKM2014"]),
        ("build", "Build", ["AKM2001"]),
        ("build", "con", ["AKM2016"]),
        ("build", "LPT1", ["AKM2016"]),
        ("build", "console", []),
        ("build", "true", ["AKM2002"]),
        ("build", "params", ["AKM2002"]),
    ],
)
def test_steps_are_called_so_that_nobody_takes_one_for_another(
    findings: FindingsOf, one: str, other: str, expected: list[str]
) -> None:
    assert codes(findings(two_steps(one, other))) == expected


@pytest.mark.parametrize(
    ("outcome", "expected"),
    [
        ("passed", []),
        ("parsed", []),
        ("blocked", []),
        ("pased", ["AKM2018"]),
        ("fialed", ["AKM2018"]),
        ("Passed", ["AKM2018"]),
        ("timed-out", ["AKM2018"]),
    ],
)
def test_an_agents_own_word_is_no_slip_of_a_known_one(
    findings: FindingsOf, outcome: str, expected: list[str]
) -> None:
    lines = f"on {outcome} -> completed, on done -> completed"
    text = f'workflow w "T" {{ step s: agent coder {{ prompt "p", {lines} }} }}'
    assert codes(findings(text)) == expected


def test_an_agent_can_do_more_than_fail(findings: FindingsOf) -> None:
    text = 'workflow w "T" { step s: agent coder { prompt "p", on failed -> completed } }'
    assert codes(findings(text)) == ["AKM2005"]


def test_a_misspelt_outcome_is_one_finding(findings: FindingsOf) -> None:
    (found,) = findings('workflow w "T" { step s: exec build { on pased -> completed } }')
    assert (found.code, found.help) == ("AKM2004", "did you mean `passed`?")


@pytest.mark.parametrize(
    "text",
    [
        """workflow w "T" {
          param p: string
          step s: route params.p { when "\u00e9" -> completed, when "e\u0301" -> failed, otherwise -> cancelled }
        }""",
        'workflow w "T" { step s: gate artifacts_exist ["\u00e9", "e\u0301"] { on passed -> completed } }',
        """workflow w "T" {
          param p: { deep: list of one of ["\u00e9", "e\u0301"] }
          step s: exec build { with { p: params.p }, on passed -> completed }
        }""",
    ],
)
def test_two_spellings_of_one_text_are_refused(findings: FindingsOf, text: str) -> None:
    assert codes(findings(text)) == ["AKM2015"]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../a", "a/../../b", "C:\\\\a", "..\\\\a", "\\\\\\\\host\\\\a", ""]
)
def test_a_gate_looks_into_the_workspace_alone(findings: FindingsOf, path: str) -> None:
    text = f'workflow w "T" {{ step s: gate artifacts_exist ["{path}"] {{ on passed -> completed }} }}'
    assert codes(findings(text)) == ["AKM4026"]


@pytest.mark.parametrize(
    "given",
    [
        'password: "hunter2"',
        'auth: { apiKey: "hunter2" }',
        'tokens: ["hunter2"], token: ["hunter2"]',
        'url: "https://me:hunter2@example.org/"',
        'text: "ghp_hunter2hunter2hunter2hunter2hunter2"',
        'text: "-----BEGIN RSA PRIVATE KEY-----"',
    ],
)
def test_a_constant_that_looks_like_a_secret_is_warned_about_and_not_shown(
    findings: FindingsOf, given: str
) -> None:
    (found,) = findings(f'workflow w "T" {{ step s: exec build {{ with {{ {given} }}, on passed -> completed }} }}')
    assert (found.code, found.severity) == ("AKM4024", "warning")
    assert "hunter2" not in found.message + found.help


@pytest.mark.parametrize(
    "given", ['user: "me"', 'url: "https://example.org/a:b@c"', 'tokenizer: "fast"', 'password: ""']
)
def test_an_innocent_constant_is_not(findings: FindingsOf, given: str) -> None:
    text = f'workflow w "T" {{ step s: exec build {{ with {{ {given} }}, on passed -> completed }} }}'
    assert codes(findings(text)) == []


def test_more_findings_than_anybody_reads_are_counted(findings: FindingsOf) -> None:
    params = "\n".join(f"param p{at}: string" for at in range(150))
    found = findings(f'workflow w "T" {{ {params}\n step s: wait 1s {{ on passed -> completed }} }}')
    assert len(found) == 101
    assert "more than 100" in found[-1].message


@pytest.mark.parametrize("where", ['prompt "%s"', 'prompt "p", with_ "%s"', 'prompt """%s"""'])
def test_a_text_has_a_length(findings: FindingsOf, where: str) -> None:
    clause = where.replace("with_", "output one of [").replace('"%s"', '"%s"]' if "with_" in where else '"%s"')
    text = 'workflow w "T" { step s: agent coder { %s, on passed -> completed } }'
    assert codes(findings(text % (clause % ("x" * 65_000)))) == []
    found = findings(text % (clause % ("x" * 65_537)))
    assert codes(found) == ["AKM1003"]
    assert "65536" in found[0].message
