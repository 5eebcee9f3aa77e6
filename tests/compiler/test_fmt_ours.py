"""Every source of ours is in canonical layout: files, the examples of rules, and the samples of pages."""

import re
from collections.abc import Iterator
from pathlib import Path

from akmc.diagnostic import CompileFailed
from akmc.fmt import formatted
from akmc.rules import all_rules
from akmc.source import Source

ROOT = Path(__file__).parents[2]
ADVICE = "lay it out with: akmc fmt -"


def sources() -> Iterator[tuple[str, str]]:
    """Each text with the place where it stands. Outside of a checkout there are fewer files."""
    for path in sorted(ROOT.rglob("*.akm")):
        if not any(part.startswith(".") for part in path.relative_to(ROOT).parts):
            yield str(path), path.read_text(encoding="utf-8")
    for path in [*sorted((ROOT / "docs").rglob("*.md")), *ROOT.glob("README.md")]:
        for sample in re.findall(r"^```akm\n(.*?)^```", path.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
            yield str(path), sample
    for rule in all_rules():
        if rule.language == "akm":
            yield from ((rule.code, text) for text in (rule.wrong, rule.right, rule.registry) if text)


def test_every_source_of_ours_is_in_canonical_layout() -> None:
    compared = 0
    for place, text in sources():
        try:
            laid_out = formatted(Source(place, text))
        except CompileFailed:  # a wrong example may have a syntax error, and then has no layout
            continue
        compared += 1
        assert text == laid_out, f"{place}: {ADVICE}"
    assert compared > 100
