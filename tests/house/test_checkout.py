"""What holds for the checkout as a whole: it lints, it type-checks, and it names no private place."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

#: Absolute paths of one person's machine. What is installed or run elsewhere must not know them.
PRIVATE_PATHS = re.compile(r"(?<![A-Za-z0-9_.])/(?:home|root|Users|work|farm|tmp/[a-z]+)/[a-z]")
GENERATED = {"__pycache__", "build", "dist", "index"}


def run(checkout: Path, *arguments: str) -> None:
    ended = subprocess.run([sys.executable, "-m", *arguments], cwd=checkout, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr


def texts(checkout: Path) -> Iterator[tuple[str, str]]:
    """Every text file that belongs to the checkout: path and content."""
    for path in sorted(checkout.rglob("*")):
        place = path.relative_to(checkout)
        hidden = {part for part in place.parts if part.startswith(".") and part != ".ci"}
        if path.is_file() and not hidden and not GENERATED & set(place.parts):
            yield str(place), path.read_text(encoding="utf-8")


def fenced(text: str) -> list[list[str]]:
    """The lines of each fenced block of a Markdown text."""
    return [
        block.splitlines() for block in re.findall(r"^```[^\n]*\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    ]


def test_ruff_finds_nothing(checkout: Path) -> None:
    run(checkout, "ruff", "check", "--quiet")


def test_mypy_finds_nothing(checkout: Path) -> None:
    run(checkout, "mypy")


def test_no_file_names_a_private_place(checkout: Path) -> None:
    found = {place: match.group() for place, text in texts(checkout) if (match := PRIVATE_PATHS.search(text))}
    assert not found


def test_readme_begins_with_the_two_commands_that_bootstrap_knows(checkout: Path) -> None:
    """The first block is what a newcomer types, and .ci/run takes the second line from it."""
    first = fenced((checkout / "README.md").read_text(encoding="utf-8"))[0]
    assert first == ["python3 bootstrap.py demo", "python3 bootstrap.py test"]
