"""Edits of the run's own workspace: a lost attempt is repeated only where nothing provably changed."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm.engine import comparison
from akm.engine.standing import Exit

git_is_here = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")

#: Says that it has begun, and edits once it may go on; the other edits first.
TOOLS = r"""
tool late {
  argv ["sh", "-c", "echo x >> \"$BEGAN\"; while [ ! -e \"$GO\" ]; do sleep 0.02; done; echo edited >> notes.txt"]
  effect workspace_mutation
  env [BEGAN, GO]
}
tool early {
  argv ["sh", "-c", "echo edited >> notes.txt; echo x >> \"$BEGAN\"; while [ ! -e \"$GO\" ]; do sleep 0.02; done"]
  effect workspace_mutation
  env [BEGAN, GO]
}
"""


def git(directory: Path, *words: str) -> None:
    identity = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    subprocess.run(("git", *words), cwd=directory, env={**os.environ, **identity}, check=True, capture_output=True)


def filled(workspace: Path, *, repository: bool) -> Path:
    """A workspace with a file, and one more that nobody committed."""
    (workspace / "notes.txt").write_text("begun\n", encoding="utf-8")
    if repository:
        git(workspace, "init", "-q")
        (workspace / ".gitignore").write_text("ignored\n", encoding="utf-8")
        git(workspace, "add", ".")
        git(workspace, "commit", "-q", "-m", "begin")
    (workspace / "draft.txt").write_text("mine\n", encoding="utf-8")
    return workspace


@pytest.fixture(params=[pytest.param(True, marks=git_is_here, id="in git"), pytest.param(False, id="in no git")])
def in_git(request: pytest.FixtureRequest) -> bool:
    """Whether the workspace is a repository."""
    return bool(request.param)


@pytest.fixture
def lost(workshop: Any, frozen_of: Any, eventually: Any, tmp_path: Path, in_git: bool) -> Callable[[str], Any]:
    """A workshop whose driver and supervisor were killed in the middle of a tool."""

    def killed(tool: str) -> Any:
        filled(workshop.workspace, repository=in_git)
        signs = {"BEGAN": str(tmp_path / "began"), "GO": str(tmp_path / "go")}
        frozen = frozen_of(f"step one: exec {tool} {{ on passed -> completed }}", TOOLS)
        driver = workshop.child(frozen, **signs)
        eventually(lambda: Path(signs["BEGAN"]).exists())
        driver.kill()
        driver.wait(60)
        workshop.kill_supervisor("one.1")
        workshop.frozen, workshop.signs = frozen, signs
        return workshop

    return killed


def edits(workshop: Any) -> int:
    return int((workshop.workspace / "notes.txt").read_text(encoding="utf-8").count("edited"))


def test_a_lost_edit_that_had_not_begun_to_change_anything_is_made_once(
    lost: Callable[[str], Any], eventually: Any
) -> None:
    workshop = lost("late")
    child = workshop.child(workshop.frozen, **workshop.signs)
    eventually(lambda: Path(workshop.signs["BEGAN"]).read_text(encoding="utf-8").count("x") == 2)
    Path(workshop.signs["GO"]).touch()
    assert child.wait(60) == Exit.COMPLETED
    assert edits(workshop) == 1
    workshop.history()
    assert workshop.left() == []


def test_a_lost_edit_that_changed_something_waits_for_a_person_and_says_what_differs(
    lost: Callable[[str], Any],
) -> None:
    workshop = lost("early")
    standing = workshop.resumed(**workshop.signs)
    assert standing.exit == Exit.BLOCKED
    (effect,) = standing.state.effects.values()
    assert effect.blocked["tried"] == {"changed": ["notes.txt"]}
    assert edits(workshop) == 1
    assert workshop.left() == []
    workshop.history()


# what counts as a change ------------------------------------------------------------------------------


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


CHANGES: dict[str, Callable[[Path], object]] = {
    "notes.txt": lambda at: (at / "notes.txt").write_text("other\n", encoding="utf-8"),
    "draft.txt": lambda at: (at / "draft.txt").write_text("yours\n", encoding="utf-8"),
    "made/new.txt": lambda at: (made(at / "made") / "new.txt").touch(),
}


def differences(workspace: Path, folder: Path, change: Callable[[Path], object]) -> tuple[str, ...] | None:
    """What a comparison tells after a change."""
    folder.mkdir()
    comparison.remember(folder, comparison.contents(workspace, folder))
    change(workspace)
    return comparison.changes(folder, comparison.contents(workspace, folder))


@pytest.mark.parametrize("path", CHANGES)
def test_each_changed_file_is_named_whether_it_is_committed_untracked_or_new(
    tmp_path: Path, in_git: bool, path: str
) -> None:
    workspace = filled(tmp_path, repository=in_git)
    named = differences(workspace, tmp_path / "store", CHANGES[path])
    assert named is not None
    assert path in named
    assert set(named) <= {path, "made"}


def test_a_removed_file_and_another_mode_and_link_are_changes(tmp_path: Path, in_git: bool) -> None:
    workspace = filled(tmp_path, repository=in_git)
    (workspace / "link").symlink_to("here")

    def change(at: Path) -> None:
        (at / "notes.txt").unlink()
        (at / "draft.txt").chmod(0o700)
        (at / "link").unlink()
        (at / "link").symlink_to("there")

    assert differences(workspace, tmp_path / "store", change) == ("draft.txt", "link", "notes.txt")


def test_nothing_differs_where_only_the_store_changed(tmp_path: Path, in_git: bool) -> None:
    workspace = filled(tmp_path, repository=in_git)
    assert differences(workspace, tmp_path / "store", lambda at: (at / "store/x").touch()) == ()


@git_is_here
@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("commit", "-q", "--allow-empty", "-m", "more"), (".git/HEAD", ".git/refs")),
        (("checkout", "-q", "-b", "other"), (".git/HEAD", ".git/refs")),
        (("tag", "v1"), (".git/refs",)),
        (("add", "draft.txt"), ("draft.txt",)),
        (("stash", "--include-untracked"), (".git/refs", "draft.txt")),
    ],
)
def test_what_git_itself_keeps_counts_too(tmp_path: Path, words: tuple[str, ...], named: tuple[str, ...]) -> None:
    workspace, folder = tmp_path / "workspace", tmp_path / "store"
    workspace.mkdir()
    filled(workspace, repository=True)
    assert differences(workspace, folder, lambda at: git(at, *words)) == named


@git_is_here
def test_ignored_files_do_not_count(tmp_path: Path) -> None:
    workspace = filled(tmp_path, repository=True)
    assert differences(workspace, tmp_path / "store", lambda at: (at / "ignored").touch()) == ()


@git_is_here
def test_a_repository_in_the_repository_and_one_that_git_does_not_read_are_not_compared(tmp_path: Path) -> None:
    workspace = filled(tmp_path, repository=True)
    (workspace / "inner").mkdir()
    filled(workspace / "inner", repository=True)
    assert comparison.contents(workspace, tmp_path / "store") is None
    (workspace / ".git/HEAD").write_text("nothing\n", encoding="utf-8")
    assert comparison.contents(workspace, tmp_path / "store") is None


@pytest.mark.parametrize("bound", ["FILES_MAX", "BYTES_MAX"])
def test_more_than_the_bounds_allow_is_not_compared(
    tmp_path: Path, in_git: bool, bound: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = filled(tmp_path, repository=in_git)
    (workspace / "more.txt").write_text("more\n", encoding="utf-8")
    assert comparison.contents(workspace, tmp_path / "store") is not None
    monkeypatch.setattr(comparison, bound, 1)
    assert differences(workspace, tmp_path / "store", lambda at: None) is None


def test_what_was_not_written_down_or_is_broken_is_not_compared(tmp_path: Path) -> None:
    assert comparison.changes(tmp_path, {}) is None
    (tmp_path / comparison.BEFORE).write_text("{", encoding="utf-8")
    assert comparison.changes(tmp_path, {}) is None
