"""Each rule's own examples: the wrong one triggers exactly that code, the right one nothing."""

import re
from pathlib import Path

import pytest

from akmc.lint import findings_of
from akmc.rules import all_rules, collect
from akmc.rules.rule import Rule
from akmc.source import Source

#: How the names of sources end, by the language of an example that is compiled.
SUFFIXES = {"akm": ".akm", "yaml": ".yaml", "markdown": ".md"}
RULES = [pytest.param(rule, id=rule.code) for rule in all_rules()]
COMPILED = [pytest.param(rule, id=rule.code) for rule in all_rules() if rule.language in SUFFIXES]


def codes_of(text: str, rule: Rule, folder: Path) -> list[str]:
    if rule.child is not None:
        (folder / "child.akm").write_text(rule.child, encoding="utf-8")
    registry = None if rule.registry is None else Source(str(folder / "registry.akm"), rule.registry)
    return [
        found.code
        for found in findings_of(Source(str(folder / f"example{SUFFIXES[rule.language]}"), text), registry)
    ]


@pytest.mark.parametrize("rule", COMPILED)
def test_the_wrong_example_triggers_its_own_code_and_no_other(rule: Rule, tmp_path: Path) -> None:
    assert set(codes_of(rule.wrong, rule, tmp_path)) == {rule.code}


@pytest.mark.parametrize("rule", COMPILED)
def test_the_right_example_compiles_without_a_finding(rule: Rule, tmp_path: Path) -> None:
    assert codes_of(rule.right, rule, tmp_path) == []


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_explains_itself_in_sentences(rule: Rule) -> None:
    assert re.fullmatch(r"AKM\d{4}", rule.code)
    assert rule.title
    assert not rule.title.endswith(".")
    assert rule.explanation.endswith(".")


def test_a_file_among_the_rules_that_is_none_is_refused() -> None:
    with pytest.raises(AssertionError, match="not named"):
        collect(["rule.py"])


def test_an_empty_folder_of_rules_is_refused_since_it_would_accept_everything() -> None:
    with pytest.raises(AssertionError, match="empty"):
        collect([])


def test_a_code_that_is_used_twice_is_refused() -> None:
    with pytest.raises(AssertionError, match="twice"):
        collect(["akm2001_duplicate_name.py", "akm2001_duplicate_name.py"])
