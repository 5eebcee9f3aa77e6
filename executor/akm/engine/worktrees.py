"""A git worktree for each attempt that works in isolation: made before it starts, gone when its end is recorded.

What it changed is kept as a patch. A lost attempt's worktree is thrown away, and with it all that it may have done,
so that another attempt starts from the same commit.
"""

import os
import shutil
import subprocess
from pathlib import Path

#: The name, in an attempt's folder, of its worktree and of the commit on which it began.
TREE, BASE = "tree", "base"
#: How long one git command may take, in seconds: it works on this disk alone.
GIT_WAIT_S = 120


class NoWorktree(Exception):
    """The workspace is no git repository with a commit, or git refuses; the message says what git said."""


def check(workspace: Path) -> str | None:
    """Why attempts cannot have worktrees of `workspace`, or None."""
    try:
        _git(workspace, "rev-parse", "--verify", "HEAD^{commit}")
    except NoWorktree as error:
        return str(error)
    return None


def make(workspace: Path, folder: Path) -> Path:
    """A fresh worktree in an attempt's `folder`; the place in it that is `workspace`'s. Raises NoWorktree."""
    remove(workspace, folder)
    base = _git(workspace, "rev-parse", "--verify", "HEAD^{commit}").decode().strip()
    try:
        (folder / BASE).write_text(base, encoding="ascii")
    except OSError as error:
        raise NoWorktree(str(error)) from error
    _git(workspace, "worktree", "add", "--detach", "--force", os.fspath(folder / TREE), base)
    return place(workspace, folder)


def place(workspace: Path, folder: Path) -> Path:
    """Where, in the worktree of an attempt, its workspace is. Raises NoWorktree."""
    inner = _git(workspace, "rev-parse", "--show-prefix").decode().strip()
    return folder / TREE / inner


def patch(folder: Path) -> bytes:
    """What an attempt changed, as a patch on the commit on which it began. Raises NoWorktree."""
    try:
        base = (folder / BASE).read_text(encoding="ascii")
    except OSError as error:
        raise NoWorktree(str(error)) from error
    _git(folder / TREE, "add", "--all")
    return _git(folder / TREE, "diff", "--cached", "--binary", "--no-ext-diff", base)


def remove(workspace: Path, folder: Path) -> None:
    """Throw an attempt's worktree away, as far as there is one."""
    tree = folder / TREE
    if tree.exists():
        shutil.rmtree(tree, ignore_errors=True)
        _git(workspace, "worktree", "prune")


def _git(directory: Path, *words: str) -> bytes:
    """What `git WORDS` prints; no configuration of hooks or of this process's own repository takes part."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        ended = subprocess.run(
            ("git", "-c", "core.hooksPath=/dev/null", "-C", os.fspath(directory), *words),
            env={**environment, "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_WAIT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoWorktree(f"git {words[0]}: {error}") from error
    if ended.returncode != 0:
        raise NoWorktree(f"git {words[0]}: {ended.stderr.decode(errors='replace').strip()[:300]}")
    return ended.stdout
