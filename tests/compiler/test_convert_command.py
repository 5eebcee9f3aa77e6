"""The command `akmc convert`, as a process: any format in, `.akm` out, and the same plan."""

import subprocess
import sys
from pathlib import Path

import pytest

from akmc.pipeline import compile_workflow
from akmc.source import Source

REGISTRY = 'tool model { argv ["model"], effect read_only }\nagent coder { tool model }\ndefaults { agent coder }\n'
MARKDOWN = "---\ndescription: Prüfen\nsteps:\n  - id: look\n---\n## look\nIst es „gut“?\n"
GATES = "schema: kxm.gate-registry.v1\ngates:\n  check: {kind: command, argv: [make, check], timeoutMs: 1000}\n"
KXM = """\
schema: kxm.workflow.v1
steps:
  - id: check
    kind: gate
    gate: check
    on:
      passed: {target: $terminal, terminalStatus: completed}
      implementation-failure: {target: $terminal, terminalStatus: failed}
      blocked: {target: $terminal, terminalStatus: failed}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {"registry.akm": REGISTRY, "look.md": MARKDOWN, "kxm/gates.yaml": GATES, "kxm/check.yaml": KXM}
    (tmp_path / "kxm").mkdir()
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def convert(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "akmc", "convert", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60)


def plan_hash(place: Path, registry: Path) -> str:
    return compile_workflow(Source.read(place), Source.read(registry)).plan_hash


def test_markdown_becomes_akm_with_the_same_plan(folder: Path) -> None:
    ended = convert(folder, "look.md")
    assert (ended.returncode, ended.stderr) == (0, b"")
    (folder / "look.akm").write_bytes(ended.stdout)
    registry = folder / "registry.akm"
    assert plan_hash(folder / "look.akm", registry) == plan_hash(folder / "look.md", registry)


def test_gates_become_a_registry_beside_which_the_workflow_has_the_same_plan(folder: Path) -> None:
    flow, gates = convert(folder, "kxm/check.yaml"), convert(folder, "kxm/gates.yaml")
    assert (flow.returncode, gates.returncode, gates.stderr) == (0, 0, b"")
    assert b"AKM7110" in flow.stderr
    alone = folder / "alone"
    alone.mkdir()
    (alone / "check.akm").write_bytes(flow.stdout)
    (alone / "registry.akm").write_bytes(gates.stdout)
    there = plan_hash(folder / "kxm" / "check.yaml", folder / "registry.akm")
    assert plan_hash(alone / "check.akm", alone / "registry.akm") == there


def test_akm_itself_is_put_into_layout(folder: Path) -> None:
    (folder / "even.akm").write_text('tool   t {argv ["a"]}\n', encoding="utf-8")
    assert convert(folder, "even.akm").stdout == b'tool t { argv ["a"] }\n'


def test_what_does_not_compile_is_not_converted(folder: Path) -> None:
    (folder / "look.md").write_text(MARKDOWN.replace("## look", "## lok"), encoding="utf-8")
    ended = convert(folder, "look.md")
    assert ended.returncode == 1
    assert ended.stdout == b""
    assert b"AKM720" in ended.stderr
    assert b"Traceback" not in ended.stderr
