"""The files by which other repositories use this one: hooks of pre-commit, and an action of GitHub.

Each command in them really runs here, the hooks by pre-commit itself, on a small repository with and without fault.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from akmc.cli.parser import parser

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

ROOT = Path(__file__).parents[2]
REGISTRY = 'tool build { argv ["make"] }\n'
WORKFLOW = """\
workflow flow "Build" {
  step build: exec build {
    on passed -> completed
  }
}
"""


def run(
    folder: Path, *command: str, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    own = Path(sys.executable).parent
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    variables |= {"PATH": f"{own}{os.pathsep}{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": os.devnull}
    return subprocess.run(
        command,
        cwd=folder,
        env={**variables, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def commit(folder: Path) -> None:
    who = ("-c", "user.name=alice", "-c", "user.email=alice@example.org", "-c", "commit.gpgsign=false")
    for arguments in (("add", "--all"), ("commit", "--quiet", "--allow-empty", "--message", "as it is")):
        ended = run(folder, "git", *who, *arguments)
        assert ended.returncode == 0, ended.stderr


@pytest.fixture(scope="session")
def checkout() -> Path:
    """The root of the checkout. A suite that was copied away to test an installed wheel has none."""
    if not (ROOT / "action.yml").is_file():
        pytest.skip("about the checkout, and this suite runs outside of one")
    return ROOT


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A small repository in which nothing is wrong, and everything is committed."""
    folder = tmp_path / "team work"
    (folder / "flows").mkdir(parents=True)
    (folder / "flows" / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    (folder / "flows" / "flow.akm").write_text(WORKFLOW, encoding="utf-8")
    assert run(folder, "akmc", "compile", "flows/flow.akm").returncode == 0
    assert run(folder, "git", "init", "--quiet", "--initial-branch=main").returncode == 0
    commit(folder)
    return folder


def spoil(folder: Path, how: str) -> None:
    """Makes one thing wrong with a repository."""
    name, old, new = {
        "lint": ("registry.akm", "tool build", "tool biuld"),
        "layout": ("flow.akm", "    on passed", "  on passed"),
        "plan": ("registry.akm", "make", "cmake"),
    }[how]
    path = folder / "flows" / name
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def document(checkout: Path, name: str) -> Any:
    return yaml.safe_load((checkout / name).read_text(encoding="utf-8"))


class TestHooks:
    @pytest.fixture
    def hooks(self, checkout: Path) -> dict[str, dict[str, Any]]:
        return {hook["id"]: hook for hook in document(checkout, ".pre-commit-hooks.yaml")}

    @pytest.fixture
    def committing(self, repository: Path, hooks: dict[str, dict[str, Any]], tmp_path: Path) -> Path:
        """The repository with the hooks set up. Only where akmc comes from is not what the manifest says."""
        local = [{**hook, "language": "system"} for hook in hooks.values()]
        config = {"repos": [{"repo": "local", "hooks": local}]}
        (repository / ".pre-commit-config.yaml").write_text(json.dumps(config), encoding="utf-8")
        commit(repository)
        return repository

    def outcomes(self, folder: Path, tmp_path: Path) -> dict[str, str]:
        """What pre-commit says of each hook, by its name."""
        home = {"PRE_COMMIT_HOME": str(tmp_path / "home")}
        ended = run(folder, sys.executable, "-m", "pre_commit", "run", "--all-files", environment=home)
        found = dict(re.findall(r"^(akmc [a-z -]*?)\.{3,}(?:\(.*\))?(\w+)$", ended.stdout, flags=re.MULTILINE))
        assert set(found.values()) <= {"Passed", "Failed"}, ended.stdout + ended.stderr
        assert (ended.returncode == 0) == ("Failed" not in found.values())
        return found

    def test_are_valid_to_pre_commit(self, checkout: Path) -> None:
        ended = run(checkout, sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml")
        assert ended.returncode == 0, ended.stdout + ended.stderr

    def test_all_pass_where_nothing_is_wrong(
        self, committing: Path, hooks: dict[str, dict[str, Any]], tmp_path: Path
    ) -> None:
        assert self.outcomes(committing, tmp_path) == {hook["name"]: "Passed" for hook in hooks.values()}

    @pytest.mark.parametrize(
        ("how", "failed"),
        [
            ("lint", {"akmc lint", "akmc compile --check"}),
            ("layout", {"akmc fmt"}),
            ("plan", {"akmc compile --check"}),
        ],
    )
    def test_each_fails_for_its_own_reason(
        self, committing: Path, tmp_path: Path, how: str, failed: set[str]
    ) -> None:
        spoil(committing, how)
        told = self.outcomes(committing, tmp_path)
        assert {name for name, outcome in told.items() if outcome == "Failed"} == failed


class TestAction:
    @pytest.fixture
    def action(self, checkout: Path) -> Any:
        return document(checkout, "action.yml")

    @pytest.fixture
    def act(self, action: Any, repository: Path, tmp_path: Path) -> Any:
        """Runs the checking step as the runner does: by bash, with the inputs as variables."""
        (step,) = (step for step in action["runs"]["steps"] if step["name"] == "Check")
        script = tmp_path / "step.sh"
        script.write_text(step["run"], encoding="utf-8")

        def run_step(**given: str) -> subprocess.CompletedProcess[str]:
            inputs = {name: each["default"] for name, each in action["inputs"].items()} | {
                name.replace("_", "-"): value for name, value in given.items()
            }
            assert inputs.keys() == action["inputs"].keys()
            environment = {
                name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: inputs[found[1]], value)
                for name, value in step["env"].items()
            }
            bash = ("bash", "--noprofile", "--norc", "-eo", "pipefail", str(script))
            return run(repository, *bash, environment=environment)

        return run_step

    def test_is_valid_by_the_published_schema(self, action: Any, published_schema: Any) -> None:
        schema = published_schema("https://json.schemastore.org/github-action.json")
        assert [error.message for error in jsonschema.Draft7Validator(schema).iter_errors(action)] == []

    def test_splices_no_input_into_a_script(self, action: Any) -> None:
        for step in action["runs"]["steps"]:
            assert "${{" not in step["run"]

    def test_installs_what_it_is_part_of(self, action: Any, tmp_path: Path) -> None:
        install = action["runs"]["steps"][0]["run"]
        assert run(tmp_path, "bash", "-n", "-c", install).returncode == 0
        assert '"$GITHUB_ACTION_PATH"' in install

    def test_passes_where_nothing_is_wrong(self, act: Any) -> None:
        ended = act(plans="true", base="HEAD", compare="flows/flow.akm\nflows/flow.plan.json\n")
        assert (ended.returncode, ended.stderr) == (0, "")

    @pytest.mark.parametrize("how", ["lint", "layout", "plan"])
    def test_fails_for_each_reason_and_annotates_findings(self, act: Any, repository: Path, how: str) -> None:
        spoil(repository, how)
        ended = act(plans="true")
        assert ended.returncode == 1
        assert ("::error file=flows/flow.akm,line=2," in ended.stdout) == (how == "lint")

    def test_leaves_out_what_is_not_asked_for(self, act: Any, repository: Path) -> None:
        spoil(repository, "layout")
        spoil(repository, "plan")
        assert act(layout="false", plans="false").returncode == 0

    def test_fails_for_what_widens_against_the_base(self, act: Any, repository: Path) -> None:
        spoil(repository, "plan")
        ended = act(base="main", compare="flows/flow.akm")
        assert ended.returncode == 1
        assert "widens   tool build argv" in ended.stdout

    @pytest.mark.parametrize("form", ["sarif", "junit", "json"])
    def test_writes_a_report_also_of_what_is_wrong(self, act: Any, repository: Path, form: str) -> None:
        spoil(repository, "lint")
        assert act(report="found.txt", report_format=form).returncode == 1
        text = (repository / "found.txt").read_text(encoding="utf-8")
        assert text.startswith("<?xml" if form == "junit" else "{")
        assert "AKM2011" in text

    def test_takes_paths_one_a_line_whatever_they_hold(self, act: Any, repository: Path) -> None:
        odd = repository / "-x; $(touch spoiled) *"
        (repository / "flows").rename(odd)
        assert act(paths=f"\n{odd.name}\n").returncode == 0
        assert not (repository / "spoiled").exists()
        assert act(paths="absent\n").returncode == 2


def test_what_the_files_call_are_commands_of_ours(checkout: Path) -> None:
    """So that a command that is renamed is renamed there too."""
    words = (checkout / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    words += (checkout / "action.yml").read_text(encoding="utf-8")
    called = set(re.findall(r"(?:entry:|check) akmc (\w+)", words))
    assert called == {"lint", "fmt", "compile", "diff"}
    usage = parser().format_help()
    assert all(name in usage for name in called)
