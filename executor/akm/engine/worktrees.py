"""A git worktree for each attempt that works in isolation: made before it starts, gone when its end is recorded.

What it changed is kept as a patch. A lost attempt's worktree is thrown away, and with it all that it may have done,
so that another attempt starts from the same commit.
"""

import os
import shutil
from pathlib import Path

from akm.engine.git import GitRefused, git

#: The name, in an attempt's folder, of its worktree and of the commit on which it began.
TREE, BASE = "tree", "base"


def check(workspace: Path) -> str | None:
    """Why attempts cannot have worktrees of `workspace`, or None."""
    try:
        git(workspace, "rev-parse", "--verify", "HEAD^{commit}")
    except GitRefused as error:
        return str(error)
    return None


def make(workspace: Path, folder: Path) -> Path:
    """A fresh worktree in an attempt's `folder`; the place in it that is `workspace`'s. Raises GitRefused."""
    remove(workspace, folder)
    base = git(workspace, "rev-parse", "--verify", "HEAD^{commit}").decode().strip()
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / BASE).write_text(base, encoding="ascii")
    except OSError as error:
        raise GitRefused(str(error)) from error
    git(workspace, "worktree", "add", "--detach", "--force", os.fspath(folder / TREE), base)
    return place(workspace, folder)


def place(workspace: Path, folder: Path) -> Path:
    """Where, in the worktree of an attempt, its workspace is. Raises GitRefused."""
    inner = git(workspace, "rev-parse", "--show-prefix").decode().strip()
    return folder / TREE / inner


def patch(folder: Path) -> bytes:
    """What an attempt changed, as a patch on the commit on which it began. Raises GitRefused."""
    try:
        base = (folder / BASE).read_text(encoding="ascii")
    except OSError as error:
        raise GitRefused(str(error)) from error
    git(folder / TREE, "add", "--all")
    return git(folder / TREE, "diff", "--cached", "--binary", "--no-ext-diff", base)


def remove(workspace: Path, folder: Path) -> None:
    """Throw an attempt's worktree away, as far as there is one."""
    tree = folder / TREE
    if tree.exists():
        shutil.rmtree(tree, ignore_errors=True)
        git(workspace, "worktree", "prune")
