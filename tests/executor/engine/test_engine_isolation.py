"""Work in isolation: each attempt has a git worktree of its own, what it changed is kept, and nothing is left."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm.engine.standing import Exit
from akm.kernel.digest import digest

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="there is no git here")

#: An editor changes a file and answers; a slow one first says that it has begun, and then waits to be let go.
TOOLS = r"""
tool edit {
  argv ["sh", "-c", "echo \"$AKM_ATTEMPT\" >> notes.txt; echo new > made.txt; echo '{\"outcome\": \"passed\"}'"]
  effect workspace_mutation
}
tool slow {
  argv ["sh", "-c", "echo edited >> notes.txt; touch \"$BEGAN\"; while [ ! -e \"$GO\" ]; do sleep 0.05; done"]
  effect workspace_mutation
  env [BEGAN, GO]
}
tool report { argv ["sh", "-c", "echo text > report.txt; echo '{\"report\": \"report.txt\"}'"] }
agent ada { tool edit }
agent ben { tool edit }
"""
PANEL = """step change: panel {
  assign 2 of [ada, ben], prompt "Change it.", isolation worktree
  on passed -> completed, on quorum_not_met -> failed
}"""


def git(directory: Path, *words: str) -> str:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    ended = subprocess.run(
        ("git", *words), cwd=directory, env={**os.environ, **identity}, check=True, capture_output=True, text=True
    )
    return ended.stdout


def repository(workshop: Any) -> Any:
    """The workshop, with one commit in its workspace."""
    git(workshop.workspace, "init", "-q")
    (workshop.workspace / "notes.txt").write_text("begun\n", encoding="utf-8")
    git(workshop.workspace, "add", "notes.txt")
    git(workshop.workspace, "commit", "-q", "-m", "begin")
    return workshop


def files(workshop: Any) -> list[dict[str, Any]]:
    """What each result keeps."""
    results = [
        one.event.data["result"] for one in workshop.history() if one.event.name == "assignment.record_result"
    ]
    return [result["evidence"]["files"] for result in results]


def is_as_it_was(workshop: Any) -> bool:
    """Whether the workspace has neither a change nor a worktree beside its own."""
    changed = git(workshop.workspace, "status", "--porcelain")
    return changed == "" and len(git(workshop.workspace, "worktree", "list").splitlines()) == 1


def test_each_attempt_changes_a_worktree_of_its_own_and_its_patch_is_kept(
    workshop_in: Callable[[str], Any], frozen_of: Any
) -> None:
    workshop = repository(workshop_in("here"))
    assert workshop.new(frozen_of(PANEL, TOOLS)).drive().exit == Exit.COMPLETED
    patches = [workshop.store().blob(each["@patch"]["sha256"]).decode() for each in files(workshop)]
    assert sorted(line for patch in patches for line in patch.splitlines() if line.startswith("+change")) == [
        "+change#1:1/1",
        "+change#1:2/1",
    ]
    assert all("made.txt" in patch for patch in patches)
    assert is_as_it_was(workshop)


def test_a_file_that_an_output_names_is_taken_from_the_worktree(
    workshop_in: Callable[[str], Any], frozen_of: Any
) -> None:
    workshop = repository(workshop_in("here"))
    step = "step a: exec report { output { report: file }, isolation worktree, on passed -> completed }"
    assert workshop.new(frozen_of(step, TOOLS)).drive().exit == Exit.COMPLETED
    (kept,) = files(workshop)
    assert workshop.store().blob(kept["report"]["sha256"]) == b"text\n"
    assert not (workshop.workspace / "report.txt").exists()


def test_a_workspace_without_a_commit_is_refused_before_anything_starts(
    workshop_in: Callable[[str], Any], frozen_of: Any
) -> None:
    workshop = workshop_in("here")
    standing = workshop.new(frozen_of(PANEL, TOOLS)).drive()
    assert standing.exit == Exit.FAILED
    assert standing.state.reason["code"] == "preparation_failed"
    assert "cannot have worktrees" in standing.state.reason["message"]


def test_edits_of_a_lost_attempt_are_thrown_away_and_made_once(
    workshop_in: Callable[[str], Any], frozen_of: Any, eventually: Any, tmp_path: Path
) -> None:
    step = "step a: exec slow { isolation worktree, on passed -> completed }"
    frozen = frozen_of(step, TOOLS)
    signs = {"BEGAN": str(tmp_path / "began"), "GO": str(tmp_path / "go")}
    workshop = repository(workshop_in("here"))
    child = workshop.child(frozen, **signs)
    eventually(lambda: Path(signs["BEGAN"]).exists())
    child.terminate()  # an interrupt stops what is under way: its outcome is lost
    assert child.wait(60) == Exit.INTERRUPTED
    assert is_as_it_was(workshop)
    Path(signs["GO"]).touch()
    assert workshop.resumed(**signs).exit == Exit.COMPLETED
    assert "attempt.lose" in [one.event.name for one in workshop.history()]
    (kept,) = files(workshop)
    assert workshop.store().blob(kept["@patch"]["sha256"]).decode().count("+edited") == 1
    other = repository(workshop_in("undisturbed"))
    assert other.new(frozen, **signs).drive().exit == Exit.COMPLETED
    assert digest(other.history()) == digest(workshop.history())
