"""Every rule of the compiler, one a file, found by looking into this folder.

A new rule is a new file `akmNNNN_subject.py` that defines `RULE`; nothing else has to be told.
"""

import re
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

from akmc.rules.rule import Rule

_RULE_FILE = re.compile(r"akm(\d{4})_[a-z0-9_]+\.py")


@cache
def all_rules() -> tuple[Rule, ...]:
    """The rules, by code. An empty set would accept every source, so it is refused."""
    names = (entry.name for entry in Path(__file__).parent.iterdir())
    return collect(name for name in names if name.endswith(".py") and name not in ("__init__.py", "rule.py"))


def collect(names: Iterable[str]) -> tuple[Rule, ...]:
    """The rules in the files `names` of this folder, by code.

    A file that holds no rule, a code that differs from its file's name, a code used twice and an empty folder
    are our own faults, and asserted.
    """
    rules = [_rule_in(name) for name in sorted(names)]
    assert rules, "the rules folder is empty: every source would pass"
    codes = [rule.code for rule in rules]
    assert len(set(codes)) == len(codes), f"a code is used twice: {sorted(codes)}"
    return tuple(rules)


def _rule_in(name: str) -> Rule:
    match = _RULE_FILE.fullmatch(name)
    assert match, f"{name} stands among the rules, but is not named akmNNNN_subject.py"
    rule = getattr(import_module(f"{__name__}.{name.removesuffix('.py')}"), "RULE", None)
    assert isinstance(rule, Rule), f"{name} defines no RULE"
    assert rule.code == f"AKM{match[1]}", f"{name} holds {rule.code}"
    return rule
