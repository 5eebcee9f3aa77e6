"""What diagnostics mean: one code for the terminal, and all of them as a page of the reference.

`python -m akmc.explain > docs/reference/diagnostics.md` writes the page anew.
"""

import re
import sys
from collections.abc import Iterable

from akmc.rules import all_rules
from akmc.rules.rule import EXAMPLE_REGISTRY, Rule
from akmc.wording import nearest

_HEAD = """\
# Diagnostics

Every finding of the compiler has a code that keeps its meaning for ever. `akmc explain CODE` prints one of these
sections. This page is made from the rules by `python -m akmc.explain`; each example is compiled by a test.
An example is compiled beside its own registry where it shows one, and otherwise beside this:
"""

_CHAPTERS = {
    "0": "Syntax",
    "1": "The form of a document",
    "2": "Names, targets and clauses",
    "3": "Bounds and ways through the workflow",
    "4": "References, types and evidence",
    "5": "The registry",
    "6": "Lifecycles",
    "7": "Other formats",
    "9": "Files",
}


class UnknownCode(ValueError):
    """No rule has this code. The message names the nearest one."""


def explained(code: str) -> str:
    """What `code` means, as Markdown. Case does not matter. Raises UnknownCode."""
    rules = {rule.code: rule for rule in all_rules()}
    rule = rules.get(code.upper())
    if rule is None:
        near = nearest(code, rules)
        raise UnknownCode(f"no finding has the code {code}" + (f"; the nearest is {near}" if near else ""))
    return _section(rule)


def page(rules: Iterable[Rule]) -> str:
    """The page of the reference, in Markdown."""
    parts = [_HEAD, _fenced("akm", EXAMPLE_REGISTRY)]
    chapter = ""
    for rule in rules:
        if rule.code[3] != chapter:
            chapter = rule.code[3]
            parts.append(f"\n## {_CHAPTERS[chapter]}\n")
        parts.append("\n" + _section(rule))
    return "".join(parts)


def _section(rule: Rule) -> str:
    severity = "" if rule.severity == "error" else " (a warning)"
    parts = [f"### {rule.code}: {rule.title}{severity}\n\n{rule.explanation}\n"]
    if rule.registry is None:
        parts.append("\nBeside no registry.\n")
    elif rule.registry != EXAMPLE_REGISTRY:
        parts.append("\nBeside this registry:\n" + _fenced("akm", rule.registry))
    if rule.child is not None:
        parts.append("\nBeside this `child.akm`:\n" + _fenced("akm", rule.child))
    parts.append("\nWrong:\n" + _fenced(rule.language, rule.wrong))
    parts.append("\nRight:\n" + _fenced(rule.language, rule.right))
    return "".join(parts)


def _fenced(language: str, text: str) -> str:
    return f"\n```{language}\n{_INVISIBLE.sub(_named, text)}```\n"


#: What an example may hold that a page would not show.
_INVISIBLE = re.compile("[\r\u2028\ufeff]")


def _named(found: re.Match[str]) -> str:
    return f"<U+{ord(found.group()):04X}>"


if __name__ == "__main__":
    sys.stdout.write(page(all_rules()))
