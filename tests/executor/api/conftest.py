"""A program that carries runs: a folder with a module of tools, and workflows beside it."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

TOOLS = """
import asyncio, os, sys, threading, time
from pathlib import Path
import akm

HERE = Path(__file__).parent

def note(word):
    with open(HERE / "notes", "a") as file:
        file.write(word + "\\n")

def echo(given):
    return given

def nothing():
    note(akm.current_attempt().attempt)

async def echo_later(given):
    await asyncio.sleep(0)
    note(akm.current_attempt().key)
    return given

def fails():
    raise ValueError(f"with {os.environ.get('TOKEN')}")

def leaves():
    sys.exit(3)

def no_json(given):
    return {"n": object()}

async def waits():
    note("began")
    try:
        await asyncio.sleep(3600)
    finally:
        note("cancelled")

def hangs():
    note("began")
    while not (HERE / "go").exists():
        time.sleep(0.005)
    note("done")

def agent(given):
    return {"outcome": "passed", "text": given["prompt"]}

def dies():
    note("died")
    if (HERE / "notes").read_text().count("died") == 1:
        os._exit(9)
"""

REGISTRY = """
tool echo       { python "fixture_tools:echo", effect read_only }
tool nothing    { python "fixture_tools:nothing", effect read_only }
tool echo_later { python "fixture_tools:echo_later", effect external_idempotent }
tool fails      { python "fixture_tools:fails", effect read_only, env [TOKEN] }
tool leaves     { python "fixture_tools:leaves", effect read_only }
tool no_json    { python "fixture_tools:no_json", effect read_only }
tool waits      { python "fixture_tools:waits", effect read_only }
tool hangs      { python "fixture_tools:hangs", effect read_only }
tool mails      { python "fixture_tools:hangs", effect external_non_idempotent }
tool agent      { python "fixture_tools:agent", effect read_only }
tool dies       { python "fixture_tools:dies", effect read_only }
tool pays       { python "fixture_tools:dies" }
tool missing    { python "fixture_tools:absent" }
tool process    { argv ["cat"], effect read_only }
agent writer    { tool agent }
"""


class Program:
    """A folder from which tools are imported."""

    def __init__(self, here: Path) -> None:
        self.here = here
        self.store = here / ".akm"

    def workflow(self, steps: str, name: str = "work") -> Path:
        """A source with these steps."""
        path = self.here / f"{name}.akm"
        path.write_text(f'workflow {name} "Work" {{\n{steps}\n}}\n', encoding="utf-8")
        return path

    def notes(self) -> list[str]:
        """What tools have written down."""
        file = self.here / "notes"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Program]:
    """A program whose tools are `fixture_tools`."""
    (tmp_path / "fixture_tools.py").write_text(TOOLS, encoding="utf-8")
    (tmp_path / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("fixture_tools", None)
    yield Program(tmp_path)
    (tmp_path / "go").touch()  # a thread that hangs ends
    sys.modules.pop("fixture_tools", None)
