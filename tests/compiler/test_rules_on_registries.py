"""Registries beyond the rules' own examples: tools of every form, scopes, defaults."""

from collections.abc import Callable
from typing import Any

import pytest

FindingsOf = Callable[..., Any]


def codes(found: Any) -> list[str]:
    return [each.code for each in found]


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ('argv ["t"]', []),
        ('python "pkg.mod:run"', []),
        ('python "mod:Class.run", effect read_only, env [TOKEN]', []),
        ("reserved", []),
        ('argv ["t"], session, reject 75 -> rate_limited', []),
        ("effect read_only", ["AKM5010"]),
        ("argv []", ["AKM5010"]),
        ('argv ["t"], python "a:b"', ["AKM5010"]),
        ('argv ["t"], reserved', ["AKM5010"]),
        ('argv [""]', ["AKM1003"]),
        ('python "mod"', ["AKM5011"]),
        ('python "mod.py"', ["AKM5011"]),
        ('python ":run"', ["AKM5011"]),
        ('python "mod:class"', ["AKM5011"]),
        ('python "a b:run"', ["AKM5011"]),
        ('python ""', ["AKM5011"]),
        ('python "a:b", session', ["AKM5012"]),
        ('python "a:b", reject 3 -> full', ["AKM5012"]),
        ('argv ["t"], session, receipt ["r"], effect receipt_queryable', ["AKM5012"]),
        ('argv ["t"], reject 3 -> full, reject 3 -> busy', ["AKM5013"]),
        ('argv ["t"], reject 0 -> full', ["AKM1002"]),
        ('argv ["t"], reject 3 -> Full', ["AKM1005"]),
        ('argv ["t", "--password=hunter2"]', ["AKM5019"]),
        ('argv ["t", "https://me:hunter2@example.org"]', ["AKM5019"]),
        ('argv ["t", "--tokenizer=fast"]', []),
        ('argv ["t"], directory "C:/t"', ["AKM5006"]),
    ],
)
def test_a_tool_is_one_program_and_says_only_what_it_means(
    findings: FindingsOf, clauses: str, expected: list[str]
) -> None:
    assert codes(findings(f"tool t {{ {clauses} }}")) == expected


ENTRIES = """
tool t { argv ["t"] }
agent a {
  tool t
  scope { read [site], write [docs], preset writer, allow [edit, grep], deny [shell], secrets [NPM] }
}
agent b { tool t }
repository site { directory "site" }
repository docs { directory "docs" }
"""


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        ("", []),
        ("defaults { agent a, judge b }", []),
        ("defaults { judge c }", ["AKM5014"]),
        ("agent c { tool t, scope { read [sites] } }", ["AKM5015"]),
        ("agent c { tool t, scope { write [sites] } }", ["AKM5015"]),
        ("agent c { tool t, scope { allow [edit], deny [edit] } }", ["AKM5016"]),
        ("agent c { tool t, scope { read [site, site] } }", ["AKM2022"]),
        ("agent A { tool t }", ["AKM5001"]),
        ("repository site { }", ["AKM5001"]),
        ("repository aux { }", ["AKM2016"]),
        ('repository up { directory "../up" }', ["AKM5006"]),
        ('repository up { remote "https://me:pass@example.org/up.git" }', ["AKM5019"]),
        ('tool artifacts_exist { argv ["t"] }', ["AKM5009"]),
    ],
)
def test_entries_name_one_another(findings: FindingsOf, entries: str, expected: list[str]) -> None:
    assert codes(findings(ENTRIES + entries)) == expected


@pytest.mark.parametrize(
    ("agent", "scope", "expected"),
    [
        ("a", "read [site]", []),
        ("a", "read [docs], write [docs], secrets [NPM]", []),
        ("a", "preset writer, allow [edit], deny [shell]", []),
        ("a", "", []),
        ("a", "deny [shell, grep]", []),
        ("a", "write [site]", ["AKM5017"]),
        ("a", "secrets [AWS]", ["AKM5017"]),
        ("a", "preset admin, deny [shell]", ["AKM5017"]),
        ("a", "allow [commit], deny [shell]", ["AKM5017"]),
        ("a", "allow [edit]", ["AKM5017"]),
        ("b", "read [site]", ["AKM5017"]),
        ("a", "allow [edit], deny [shell, edit]", ["AKM5016"]),
    ],
)
def test_a_step_narrows_its_agents_scope(findings: FindingsOf, agent: str, scope: str, expected: list[str]) -> None:
    text = (
        f'workflow w "T" {{ step s: agent {agent} {{ prompt "p", scope {{ {scope} }}, on passed -> completed }} }}'
    )
    assert codes(findings(text, ENTRIES)) == expected


def test_a_panels_scope_is_within_that_of_each_agent(findings: FindingsOf) -> None:
    text = """workflow w "T" { step s: panel {
      assign 2 of [a, b], prompt "p", scope { read [site] }, on passed -> completed, on quorum_not_met -> failed
    } }"""
    (found,) = findings(text, ENTRIES)
    assert (found.code, "`b`" in found.message) == ("AKM5017", True)


@pytest.mark.parametrize("kind", ["exec t", "gate t"])
def test_a_scope_is_for_agents(findings: FindingsOf, kind: str) -> None:
    text = f'workflow w "T" {{ step s: {kind} {{ scope {{ read [site] }}, on passed -> completed }} }}'
    assert codes(findings(text, ENTRIES)) == ["AKM2009"]
