"""README tells the truth: its samples compile and run, its commands exist, and its demo does what it says."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SCRIPTS = Path(sys.executable).parent
PARKED = 4

DEPLOY = "#!/bin/sh\ngrep -q staging\n"
TEST = "def test_it_works() -> None:\n    assert True\n"


def blocks(language: str) -> list[str]:
    """The fenced blocks of README in `language`."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, flags=re.DOTALL | re.MULTILINE)


def run(argv: list[str], directory: Path) -> subprocess.CompletedProcess[str]:
    path = f"{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "TMPDIR": str(directory), "AKM_STORE": str(directory / ".akm")}
    return subprocess.run(argv, cwd=directory, env=environment, capture_output=True, text=True, timeout=180)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A directory with README's sources, each under the name in its first line, and what they speak of."""
    for block in blocks("akm"):
        name = block.splitlines()[0].removeprefix("# ")
        (tmp_path / name).write_text(block, encoding="utf-8")
    (tmp_path / "test_it.py").write_text(TEST)
    deploy = tmp_path / "deploy.sh"
    deploy.write_text(DEPLOY)
    deploy.chmod(0o755)
    return tmp_path


def test_the_sample_session_goes_as_told(project: Path) -> None:
    (session,) = blocks("console")
    commands = [line.removeprefix("$ ") for line in session.splitlines()]
    for command in commands:
        ended = run(shlex.split(command, comments=True), project)
        expected = PARKED if command.startswith("akm run") else 0
        assert ended.returncode == expected, f"{command}: {ended.stdout}{ended.stderr}"


@pytest.mark.parametrize("program", ["akm", "akmc"])
def test_each_named_command_exists(program: str, tmp_path: Path) -> None:
    (told,) = re.findall(rf"^`{program}` is the (.*?)\n\n", README, flags=re.DOTALL | re.MULTILINE)
    named = [word for word in re.findall(r"`([a-z]+)`", told) if word not in ("akm", "akmc")]
    assert named
    for word in named:
        assert run([program, word, "--help"], tmp_path).returncode == 0, word


def test_the_demo_publishes_once_in_spite_of_the_crash(tmp_path: Path) -> None:
    ended = run([sys.executable, str(ROOT / "specs" / "workflows" / "release_demo.py")], tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "Published exactly once" in ended.stdout
    assert "Traceback" not in ended.stdout + ended.stderr
