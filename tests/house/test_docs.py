"""The pages under docs/ point at what is there, and their tables are those of the code."""

import re
from collections.abc import Iterator
from pathlib import Path

from akm.audit import check, shape
from akm.engine.standing import Exit
from akm.kernel.evolve import FACTS

LINK = re.compile(r"\[[^\]]*\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)\s]*)?\)")
CITED = re.compile(r"\bdocs/[\w./-]*\w")
TEST_FILE = re.compile(r"\btests/[\w/]+\.py\b")
SOURCES = ("compiler", "executor", "grammar", "specs", "tests")


def pages(checkout: Path) -> Iterator[Path]:
    yield checkout / "README.md"
    yield from sorted((checkout / "docs").rglob("*.md"))


def reference(checkout: Path, name: str) -> str:
    return (checkout / "docs" / "reference" / name).read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The names by which the headings of a page are linked to."""
    headings = re.findall(r"^#+ +(.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


def test_every_relative_link_leads_to_something(checkout: Path) -> None:
    broken = [
        f"{page.relative_to(checkout)} -> {target}"
        for page in pages(checkout)
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert not broken


def test_every_link_into_a_page_leads_to_one_of_its_headings(checkout: Path) -> None:
    broken = [
        f"{page.relative_to(checkout)} -> {target}#{anchor}"
        for page in pages(checkout)
        for target, anchor in re.findall(r"\]\(((?!https?:)[^)#\s]*)#([^)\s]+)\)", page.read_text(encoding="utf-8"))
        if anchor not in anchors(page.parent / target if target else page)
    ]
    assert not broken


def test_every_test_that_the_architecture_names_exists(checkout: Path) -> None:
    named = TEST_FILE.findall((checkout / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8"))
    assert named
    assert not [name for name in named if not (checkout / name).is_file()]


def test_every_page_that_the_code_cites_exists(checkout: Path) -> None:
    cited = {
        place: path.relative_to(checkout)
        for folder in SOURCES
        for path in sorted((checkout / folder).rglob("*.py"))
        for place in CITED.findall(path.read_text(encoding="utf-8"))
    }
    assert cited
    assert not {place: where for place, where in cited.items() if not (checkout / place).exists()}


def test_every_decision_is_listed(checkout: Path) -> None:
    folder = checkout / "docs" / "decisions"
    listed = LINK.findall((folder / "README.md").read_text(encoding="utf-8"))
    assert listed == sorted(page.name for page in folder.glob("[0-9]*.md"))


def test_the_exit_codes_of_the_page_are_those_of_the_code(checkout: Path) -> None:
    marked = re.search(
        r"<!-- exits:[^\n]*\n(.*?)<!-- end of exits -->", reference(checkout, "cli.md"), flags=re.DOTALL
    )
    assert marked is not None
    rows = re.findall(r"^\| (\d+) \| (\w+) \|", marked[1], flags=re.MULTILINE)
    assert [(int(code), name) for code, name in rows] == [(member.value, member.name.lower()) for member in Exit]


def test_the_facts_of_the_page_are_those_of_the_code(checkout: Path) -> None:
    section = re.search(r"^### Facts$(.*?)^### ", reference(checkout, "engine.md"), flags=re.DOTALL | re.MULTILINE)
    assert section is not None
    first_cells = "".join(re.findall(r"^\|([^|]*)\|", section[1], flags=re.MULTILINE))
    assert set(re.findall(r"`([\w.]+)`", first_cells)) == FACTS
    assert shape.FACTS == FACTS


def test_the_checks_of_the_page_are_those_of_the_history_checker(checkout: Path) -> None:
    section = reference(checkout, "audit.md").partition("## What is looked at")[2].partition("\n## ")[0]
    first_cells = "".join(re.findall(r"^\|([^|]*)\|", section, flags=re.MULTILINE))
    stages = (*check.FORM, *check.LIFE, *check.WORK, *check.MEANING)
    assert re.findall(r"`(\w+)`", first_cells) == [one.__name__ for one in stages]
