"""The wheel: built here where there is a checkout, else the one that is installed."""

import importlib.metadata
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel_names(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The paths that the wheel holds."""
    if not (ROOT / "compiler").is_dir():
        recorded = importlib.metadata.files("akm") or []
        return [str(path) for path in recorded if path.parts[0] != ".." and path.suffix != ".pyc"]
    target = tmp_path_factory.mktemp("wheel")
    argv = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(target)]
    subprocess.run(argv, cwd=ROOT, check=True, capture_output=True, timeout=120)
    (wheel,) = target.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()
