"""The wheel brings what it must and nothing else, and its commands start."""

import subprocess
import sys
from pathlib import Path

import pytest

import akm_specs
from akm_specs import lifecycle

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(sys.executable).parent
SOURCE_ROOTS = ("compiler/akmc", "executor/akm", "grammar/akm_grammar", "specs/akm_specs")
PACKAGES = ("akm", "akmc", "akm_grammar", "akm_specs")


def akm(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SCRIPTS / program, *arguments], capture_output=True, text=True, timeout=60)


def test_the_wheel_installs_four_packages_and_nothing_else(wheel_names: list[str]) -> None:
    top = {name.partition("/")[0] for name in wheel_names}
    assert {name for name in top if not name.endswith(".dist-info")} == set(PACKAGES)


@pytest.mark.parametrize(
    "name",
    [
        *(f"{package}/py.typed" for package in PACKAGES),
        "akm_grammar/akm.lark",
        "akm_grammar/akm.tables.json",
        *(f"akm_specs/lifecycles/{name}.{ending}" for name in lifecycle.NAMES for ending in ("akm", "json")),
        *(f"akm_specs/schemas/{name}.schema.json" for name in ("document", "plan", "registry")),
    ],
)
def test_the_wheel_brings_its_data(name: str, wheel_names: list[str]) -> None:
    assert name in wheel_names


def test_the_wheel_brings_its_licence(wheel_names: list[str]) -> None:
    assert [name for name in wheel_names if name.endswith(".dist-info/licenses/LICENSE")]


def test_the_wheel_leaves_out_no_file_of_the_packages(wheel_names: list[str]) -> None:
    """The build backend drops what .gitignore names, and says nothing."""
    if not (ROOT / "compiler").is_dir():
        pytest.skip("compares the wheel with the checkout, and this suite runs outside of one")
    for root in SOURCE_ROOTS:
        home = ROOT / root
        paths = [path for path in home.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
        assert not {str(path.relative_to(home.parent)) for path in paths} - set(wheel_names)


@pytest.mark.parametrize("program", ["akm", "akmc"])
def test_a_command_says_its_version(program: str) -> None:
    ended = akm(program, "--version")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == f"{program} {akm_specs.__version__}\n"


@pytest.mark.parametrize("program", ["akm", "akmc"])
def test_a_command_without_words_or_with_wrong_ones_is_wrong_usage(program: str) -> None:
    for words in ([], ["no-such-command"], ["--no-such-option"]):
        ended = akm(program, *words)
        assert ended.returncode == 2, words
        assert "Traceback" not in ended.stderr
        assert ended.stderr
