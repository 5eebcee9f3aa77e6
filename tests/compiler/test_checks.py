"""Checks beyond the rules' own examples: their exact edges, and that one fault is one finding."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]


def codes(found: Any) -> list[str]:
    return [each.code for each in found]


def loop(*, transitions: int = 9, attempts: int = 2, entry: str = "build") -> str:
    """`entry -> build -> check`, and from `check` back to `build`."""
    return f"""workflow loop "A way back" {{
      limits {{ transitions {transitions} }}
      step start: wait 1s {{ on passed -> {entry} }}
      step build: exec build {{ attempts {attempts}, on passed -> check }}
      step check: gate check {{ attempts 9, on passed -> completed, on failed -> build max 1 }}
    }}"""


@pytest.mark.parametrize(("attempts", "expected"), [(1, ["AKM3003"]), (2, [])])
def test_a_way_back_needs_a_second_attempt_of_a_step_that_was_entered(
    findings: FindingsOf, attempts: int, expected: list[str]
) -> None:
    assert codes(findings(loop(attempts=attempts))) == expected


def test_a_way_back_to_a_step_that_was_passed_by_needs_only_one_attempt(findings: FindingsOf) -> None:
    assert codes(findings(loop(attempts=1, entry="check"))) == []


@pytest.mark.parametrize(
    ("transitions", "expected"),
    [(2, ["AKM3004", "AKM3011"]), (3, ["AKM3004"]), (4, [])],
)
def test_a_way_back_needs_a_transition_to_go_on_with(
    findings: FindingsOf, transitions: int, expected: list[str]
) -> None:
    assert sorted(codes(findings(loop(transitions=transitions)))) == expected


def test_a_step_may_lead_back_to_itself(findings: FindingsOf) -> None:
    text = """workflow again "Try again" {
      limits { transitions 3 }
      step build: exec build { attempts 3, on passed -> completed, on failed -> build max 2 }
    }"""
    assert codes(findings(text)) == []


def test_a_misspelt_target_is_one_finding_and_hides_no_other_kind(findings: FindingsOf) -> None:
    text = """workflow slip "One slip" {
      step a: exec build { on passed -> bb, retry 1 on failed }
      step b: exec build { with { p: params.p }, on passed -> c }
      step c: approval { by alice, on passed -> completed, on rejected -> failed, on expired -> failed }
    }"""
    found = findings(text)
    assert codes(found) == ["AKM2003", "AKM3009", "AKM4001", "AKM3005"]
    assert found[0].help == "did you mean `b`?"


def test_findings_stand_in_the_order_of_the_text(findings: FindingsOf) -> None:
    text = """workflow order "In order" {
      step a: exec bulid { on passed -> x }
      step b: exec chekc { on passed -> y }
    }"""
    found = findings(text)
    assert [each.span.start for each in found] == sorted(each.span.start for each in found)


@pytest.mark.parametrize("timeout", ["10m", "9m59s"])
def test_a_step_may_ask_for_no_more_time_than_its_tool_declares(findings: FindingsOf, timeout: str) -> None:
    text = f'workflow w "T" {{ step s: exec check {{ timeout {timeout}, on passed -> completed }} }}'
    assert codes(findings(text)) == []
    assert codes(findings(text.replace(timeout, "10m1s"))) == ["AKM3006"]


def test_a_step_may_ask_for_any_time_where_its_tool_declares_none(findings: FindingsOf) -> None:
    assert codes(findings('workflow w "T" { step s: exec build { timeout 9h, on passed -> completed } }')) == []


def test_an_agents_time_is_bounded_by_its_tool(findings: FindingsOf) -> None:
    registry = 'tool model { argv ["m"], timeout 1m }\nagent coder { tool model }'
    text = 'workflow w "T" { step s: agent coder { prompt "p", timeout 2m, on passed -> completed } }'
    assert codes(findings(text, registry)) == ["AKM3006"]


@pytest.mark.parametrize("effect", ["unknown", "external_non_idempotent", "workspace_mutation"])
@pytest.mark.parametrize(
    ("reason", "expected"), [("failed", ["AKM3009"]), ("timeout", ["AKM3009"]), ("spawn_failed", [])]
)
def test_only_what_never_started_is_tried_again_for_an_unsafe_effect(
    findings: FindingsOf, effect: str, reason: str, expected: list[str]
) -> None:
    registry = f'tool t {{ argv ["t"], effect {effect} }}'
    text = f'workflow w "T" {{ step s: exec t {{ retry 1 on {reason}, on passed -> completed }} }}'
    assert codes(findings(text, registry)) == expected


@pytest.mark.parametrize(("effect", "expected"), [("unknown", ["AKM3010"]), ("workspace_mutation", [])])
def test_what_cannot_be_told_apart_is_never_replayed(
    findings: FindingsOf, effect: str, expected: list[str]
) -> None:
    registry = f'tool t {{ argv ["t"], effect {effect} }}'
    text = 'workflow w "T" { step s: exec t { recover 1, on passed -> completed } }'
    assert codes(findings(text, registry)) == expected
    assert codes(findings(text.replace("recover 1", "recover 0"), registry)) == []


@pytest.mark.parametrize(
    ("kind", "clause"),
    [
        ('gate artifacts_exist ["x"]', "timeout 1m"),
        ('gate artifacts_exist ["x"]', "retry 1 on failed"),
        ('gate artifacts_exist ["x"]', "recover 1"),
        ('gate artifacts_exist ["x"]', "output string"),
        ("gate schema params.p is string", "isolation worktree"),
        ("gate schema params.p is string", "with { a: 1 }"),
        ("wait 1m", "timeout 1m"),
        ("wait 1m", "output string"),
    ],
)
def test_a_clause_that_would_be_ignored_is_refused(findings: FindingsOf, kind: str, clause: str) -> None:
    text = f"""workflow w "T" {{
      param p: string
      step s: {kind} {{ {clause}, on passed -> u }}
      step u: exec build {{ with {{ p: params.p }}, on passed -> completed }}
    }}"""
    assert codes(findings(text)) == ["AKM2009"]


@pytest.mark.parametrize("clause", ["timeout 1m", "on passed -> completed"])
def test_a_route_has_branches_and_nothing_else(findings: FindingsOf, clause: str) -> None:
    text = f"""workflow w "T" {{
      param p: boolean
      step s: route params.p {{ {clause}, when true -> completed, when false -> failed }}
    }}"""
    assert codes(findings(text)) == ["AKM2009"]


def test_a_person_of_a_group_is_no_misspelt_group(findings: FindingsOf) -> None:
    text = """workflow w "T" { step s: approval {
      by lead, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed
    } }"""
    assert codes(findings(text, "group leads [lead, alice]")) == []
    assert codes(findings(text, "group leads [alice]")) == ["AKM2012"]


def taking(name: str) -> str:
    return f"""workflow w "T" {{
      param {name}: string
      step s: exec build {{ with {{ p: params.{name} }}, on passed -> completed }}
    }}"""


@pytest.mark.parametrize("name", ["api_key", "apiKey", "AWS_SECRET", "password", "db-password", "githubToken"])
def test_a_parameter_that_looks_like_a_credential_is_warned_about(findings: FindingsOf, name: str) -> None:
    (found,) = findings(taking(name))
    assert (found.code, found.severity) == ("AKM4012", "warning")
    assert name in found.message


@pytest.mark.parametrize("name", ["version", "tokenizer", "secretary", "key", "monkey"])
def test_an_innocent_parameter_is_not(findings: FindingsOf, name: str) -> None:
    assert codes(findings(taking(name))) == []


def test_a_value_in_env_is_refused_and_not_shown(findings: FindingsOf) -> None:
    (found,) = findings('tool t { argv ["t"], env ["TOKEN=hunter2"] }')
    assert found.code == "AKM5005"
    assert "hunter2" not in found.message + found.help


@pytest.mark.parametrize("directory", ["/etc", "..", "a/../../b"])
def test_no_tool_runs_outside_the_workspace(findings: FindingsOf, directory: str) -> None:
    assert codes(findings(f'tool t {{ argv ["t"], directory "{directory}" }}')) == ["AKM5006"]
    assert codes(findings('tool t { argv ["t"], directory "a/b" }')) == []
