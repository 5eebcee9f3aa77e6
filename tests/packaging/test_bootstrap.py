"""The script that a newcomer meets first. That it installs is shown by .ci/run, which begins with it."""

import subprocess
import sys
from pathlib import Path

import pytest

BOOTSTRAP = Path(__file__).parents[2] / "bootstrap.py"


@pytest.mark.parametrize(("words", "code"), [(["--help"], 0), ([], 2), (["no-such-command"], 2)])
def test_it_names_its_commands_and_installs_nothing(words: list[str], code: int, tmp_path: Path) -> None:
    script = tmp_path / "bootstrap.py"
    script.write_bytes(BOOTSTRAP.read_bytes())
    ended = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, timeout=60)
    assert ended.returncode == code
    assert "bootstrap.py demo" in ended.stdout
    assert "bootstrap.py test" in ended.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["bootstrap.py"]
