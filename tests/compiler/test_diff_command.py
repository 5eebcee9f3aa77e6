"""The command akmc diff, as a process, between files and against revisions of real git repositories."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., subprocess.CompletedProcess[str]]

REGISTRY = 'tool build { argv ["./build.sh"], effect read_only }\ngroup leads [alice, bob]\n'
WORKFLOW = """\
workflow flow "Build" {
  step build: exec build {
    timeout 5m
    on passed -> sign
  }
  step sign: approval {
    by leads
    timeout 1d
    on passed -> completed
    on rejected -> failed
    on expired -> failed
  }
}
"""
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    home = tmp_path / "team" / "flows"
    home.mkdir(parents=True)
    (home / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    (home / "build.sh").write_text("true\n", encoding="utf-8")
    (home / "flow.akm").write_text(WORKFLOW, encoding="utf-8")
    return home


def run_in(folder: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )


@pytest.fixture
def diff(folder: Path) -> Run:
    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return run_in(folder, sys.executable, "-m", "akmc", "diff", *arguments, **environment)

    return run


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository one folder up, in which everything is committed once."""
    root = folder.parent
    git(root, "init", "--quiet", "--initial-branch=main")
    commit(root)
    return root


def git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=alice", "-c", "user.email=alice@example.org", "-c", "commit.gpgsign=false")
    ended = run_in(root, "git", *who, *arguments, GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_SYSTEM=os.devnull)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def commit(root: Path) -> None:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "as it is")


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_what_widens_comes_first_and_exits_1(diff: Run, folder: Path) -> None:
    shutil.copy(folder / "flow.akm", folder / "new.akm")
    edit(folder / "new.akm", "timeout 5m", "timeout 4m")
    edit(folder / "new.akm", "timeout 1d", "timeout 2d")
    ended = diff("flow.akm", "new.akm")
    assert ended.returncode == 1
    assert ended.stdout.splitlines() == [
        "widens   approval sign timeout_ms: 1d -> 2d",
        "narrows  exec build timeout_ms: 5m -> 4m",
    ]
    assert diff("new.akm", "flow.akm").returncode == 1


def test_what_only_narrows_exits_0(diff: Run, folder: Path) -> None:
    shutil.copy(folder / "flow.akm", folder / "new.akm")
    edit(folder / "new.akm", "by leads", "by alice")
    ended = diff("flow.akm", "new.akm")
    assert (ended.returncode, ended.stdout) == (0, "narrows  approval sign by: loses bob\n")


def test_a_plan_and_its_source_differ_in_nothing(diff: Run, folder: Path) -> None:
    assert run_in(folder, sys.executable, "-m", "akmc", "compile", "flow.akm").returncode == 0
    for pair in (("flow.plan.json", "flow.akm"), ("flow.akm", "flow.plan.json"), ("flow.akm", "flow.akm")):
        ended = diff(*pair)
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


def test_json_is_one_document(diff: Run, folder: Path) -> None:
    shutil.copy(folder / "flow.akm", folder / "new.akm")
    edit(folder / "new.akm", "timeout 1d", "timeout 2d")
    ended = diff("flow.akm", "new.akm", "--json")
    document = json.loads(ended.stdout)
    assert (ended.returncode, document["widens"]) == (1, True)
    assert document["old_hash"] != document["new_hash"]
    assert document["changes"] == [
        {"direction": "widens", "place": ["approval", "sign", "timeout_ms"], "says": "1d -> 2d"}
    ]


def test_a_changed_script_widens(diff: Run, folder: Path) -> None:
    assert run_in(folder, sys.executable, "-m", "akmc", "compile", "flow.akm").returncode == 0
    (folder / "build.sh").write_text("rm -r /\n", encoding="utf-8")
    ended = diff("flow.plan.json", "flow.akm")
    assert ended.returncode == 1
    assert ended.stdout.startswith("widens   tool build scripts: ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("flow.akm",),
        ("--base", "main", "flow.akm", "flow.akm"),
        ("flow.akm", "absent.akm"),
        ("absent.json", "flow.akm"),
    ],
)
def test_wrong_usage_and_absent_files_exit_2_in_one_line(diff: Run, arguments: tuple[str, ...]) -> None:
    ended = diff(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("akmc: ")
    assert ended.stderr.count("\n") == 1


def test_a_source_that_does_not_compile_exits_1_with_its_findings(diff: Run, folder: Path) -> None:
    (folder / "new.akm").write_text("workflow", encoding="utf-8")
    ended = diff("flow.akm", "new.akm")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "new.akm:1:9: error AKM0001" in ended.stderr


@needs_git
class TestBase:
    def test_compares_with_the_file_as_it_was_beside_what_was_beside_it(
        self, diff: Run, folder: Path, repository: Path
    ) -> None:
        edit(folder / "flow.akm", "timeout 1d", "timeout 2d")
        edit(folder / "registry.akm", "[alice, bob]", "[alice, carol]")
        (folder / "build.sh").write_text("false\n", encoding="utf-8")
        ended = diff("--base", "HEAD", "flow.akm")
        assert ended.returncode == 1
        assert [line.split(":")[0] for line in ended.stdout.splitlines()] == [
            "widens   approval sign by",
            "widens   approval sign timeout_ms",
            "widens   tool build scripts",
            "narrows  approval sign by",
        ]

    def test_finds_nothing_in_an_unchanged_file(self, diff: Run, repository: Path) -> None:
        ended = diff("--base", "main", "flow.akm", "--registry", "registry.akm")
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")

    def test_takes_any_name_of_a_revision_and_any_path(self, diff: Run, folder: Path, repository: Path) -> None:
        edit(folder / "flow.akm", "timeout 1d", "timeout 2d")
        commit(repository)
        git(repository, "tag", "v2")
        edit(folder / "flow.akm", "timeout 2d", "timeout 3d")
        for base, told in {"HEAD~1": "1d -> 3d", "v2": "2d -> 3d", "main": "2d -> 3d"}.items():
            assert told in diff("--base", base, str(folder / "flow.akm")).stdout

    def test_changes_nothing_in_the_repository(self, diff: Run, folder: Path, repository: Path) -> None:
        edit(folder / "flow.akm", "timeout 1d", "timeout 2d")
        git(repository, "add", "--all")
        edit(folder / "flow.akm", "timeout 2d", "timeout 3d")
        before = git(repository, "status", "--porcelain=v2"), git(repository, "worktree", "list")
        index = (repository / ".git" / "index").read_bytes()
        assert "1d -> 3d" in diff("--base", "HEAD", "flow.akm").stdout
        assert (repository / ".git" / "index").read_bytes() == index
        assert (git(repository, "status", "--porcelain=v2"), git(repository, "worktree", "list")) == before

    def test_works_in_a_hook_that_names_another_repository(self, diff: Run, folder: Path, repository: Path) -> None:
        edit(folder / "flow.akm", "timeout 1d", "timeout 2d")
        ended = diff("--base", "HEAD", "flow.akm", GIT_DIR="/nowhere", GIT_INDEX_FILE="/nowhere/index")
        assert "1d -> 2d" in ended.stdout

    def test_leaves_no_file_behind(self, diff: Run, folder: Path, repository: Path, tmp_path: Path) -> None:
        (tmp_path / "temporary").mkdir()
        diff("--base", "HEAD", "flow.akm", TMPDIR=str(tmp_path / "temporary"))
        assert not list((tmp_path / "temporary").iterdir())

    @pytest.mark.parametrize("base", ["nope", "--help", "-x", "HEAD:flow.akm", "", "a b", "HEAD~99", "\udcff"])
    def test_that_is_no_revision_is_told(self, diff: Run, repository: Path, base: str) -> None:
        ended = diff(f"--base={base}", "flow.akm")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr.startswith("akmc: git knows no revision")

    def test_without_the_file_is_told(self, diff: Run, folder: Path, repository: Path) -> None:
        shutil.copy(folder / "flow.akm", folder / "new.akm")
        ended = diff("--base", "HEAD", "new.akm")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert ended.stderr == "akmc: at HEAD, flows/new.akm: no such file\n"

    def test_whose_file_does_not_compile_is_told_in_the_names_of_the_repository(
        self, diff: Run, folder: Path, repository: Path
    ) -> None:
        edit(folder / "flow.akm", "exec build", "exec biuld")
        commit(repository)
        edit(folder / "flow.akm", "exec biuld", "exec build")
        ended = diff("--base", "HEAD", "flow.akm", "--json")
        assert ended.returncode == 2
        assert json.loads(ended.stdout)["error"].startswith("at HEAD, flows/flow.akm does not compile: AKM2011")

    def test_outside_of_a_repository_is_told(self, diff: Run, folder: Path, tmp_path: Path) -> None:
        ended = diff("--base", "HEAD", "flow.akm", GIT_CEILING_DIRECTORIES=str(tmp_path))
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "not a git repository" in ended.stderr

    def test_of_a_plan_compares_with_the_plan_that_was_committed(
        self, diff: Run, folder: Path, repository: Path
    ) -> None:
        compile_ = (sys.executable, "-m", "akmc", "compile", "flow.akm")
        assert run_in(folder, *compile_).returncode == 0
        commit(repository)
        edit(folder / "flow.akm", "timeout 1d", "timeout 2d")
        assert diff("--base", "HEAD", "flow.plan.json").returncode == 0
        assert run_in(folder, *compile_).returncode == 0
        assert "1d -> 2d" in diff("--base", "HEAD", "flow.plan.json").stdout

    def test_needs_git(self, diff: Run, repository: Path, tmp_path: Path) -> None:
        ended = diff("--base", "HEAD", "flow.akm", PATH=str(tmp_path))
        assert (ended.returncode, ended.stderr) == (2, "akmc: git is not installed, and --base needs it\n")
