"""What a workspace holds before an attempt that edits it: so a lost attempt can be proven to have done nothing.

In a git repository that is the commit, the branch, every ref, and each file that differs from the commit or that
git neither knows nor ignores. Anywhere else it is everything below the workspace. Files count by mode and content.
The store of runs never counts, wherever it lies. Where the bounds do not suffice, nothing can be told.
"""

import errno
import json
import os
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import TypeAlias

from akm.engine.git import GitRefused, git

#: The name, in an attempt's folder, of what its workspace held before it.
BEFORE = "before.json"
#: How many files are read at most, and how many bytes of them all.
FILES_MAX, BYTES_MAX = 10_000, 256 * 1024 * 1024
#: How many changes are told by name.
CHANGES_MAX = 50

#: What is at each path. What belongs to a repository as a whole is below `.git`, where it keeps that itself.
Contents: TypeAlias = dict[str, str]

_CHUNK = 1024 * 1024
#: How many words git says before a path, by the kind of line: changed, in conflict, not known.
_WORDS_BEFORE_PATH = {"1": 8, "u": 10, "?": 1}


def contents(workspace: Path, aside: Path) -> Contents | None:
    """What `workspace` holds but for what lies in `aside`; None where that cannot be told within bounds."""
    try:
        root = _repository(workspace)
        if root is None:
            return _read(workspace, ((path, "") for path in _everything(workspace, aside)))
        return {**_refs(root), **_read(root, _differing(root, aside))}
    except (GitRefused, OSError):
        return None


def remember(folder: Path, before: Contents | None) -> None:
    """Write what was there before an attempt into its `folder`, durably. Raises OSError."""
    folder.mkdir(mode=0o700, exist_ok=True)
    with (folder / BEFORE).open("w", encoding="ascii") as file:
        json.dump(before, file)
        file.flush()
        os.fsync(file.fileno())


def changes(folder: Path, now: Contents | None) -> tuple[str, ...] | None:
    """What differs from what was there before, by name; empty: nothing does; None: that cannot be told."""
    try:
        before = json.loads((folder / BEFORE).read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(before, dict) or now is None:
        return None
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    told = tuple(name.encode("utf-8", "replace").decode() for name in names[:CHANGES_MAX])
    return told if len(names) <= CHANGES_MAX else (*told, f"and {len(names) - CHANGES_MAX} more")


# in a repository


def _repository(workspace: Path) -> Path | None:
    """The root of the repository that the workspace is in. Raises GitRefused for one that git does not read."""
    if not any((each / ".git").exists() for each in (workspace, *workspace.resolve().parents)):
        return None
    return Path(os.fsdecode(git(workspace, "rev-parse", "--show-toplevel")).removesuffix("\n"))


def _refs(root: Path) -> Contents:
    """The branch and commit that are checked out, and every ref, the stash among them."""
    refs = git(root, "for-each-ref", "--format=%(refname) %(objectname) %(symref)")
    branch = git(root, "rev-parse", "--symbolic-full-name", "HEAD") + _commit(root)
    return {".git/HEAD": os.fsdecode(branch), ".git/refs": sha256(refs).hexdigest()}


def _commit(root: Path) -> bytes:
    """The commit that is checked out; nothing in a repository that has none yet."""
    try:
        return git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
    except GitRefused:
        return b""


def _differing(root: Path, aside: Path) -> Iterator[tuple[str, str]]:
    """Each path that differs from the commit, and what git says of it. Raises OSError for what it does not open."""
    store = _inside(root, aside)
    but_for = () if store is None else (f":(exclude,top,literal){store}",)
    words = ("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames", "--", ".", *but_for)
    for line in filter(None, os.fsdecode(git(root, *words)).split("\0")):
        *said, path = line.split(" ", _WORDS_BEFORE_PATH[line[0]])
        if path.endswith("/") or (said[2:3] and said[2].startswith("S")):
            raise OSError(errno.ENOTSUP, "a repository in a repository is not compared", path)
        yield path, " ".join(said)


# anywhere


def _inside(root: Path, aside: Path) -> Path | None:
    """Where in `root` that is which lies aside; None where it is elsewhere."""
    aside, root = aside.resolve(), root.resolve()
    return aside.relative_to(root) if aside.is_relative_to(root) and aside != root else None


def _everything(workspace: Path, aside: Path) -> Iterator[str]:
    """Every file, link and folder below the workspace. Raises OSError where one cannot be listed."""
    store, left = _inside(workspace, aside), [Path()]
    while left:
        folder = left.pop()
        with os.scandir(workspace / folder) as entries:
            for entry in entries:
                path = folder / entry.name
                if path != store:
                    if entry.is_dir(follow_symlinks=False):
                        left.append(path)
                    yield os.fspath(path)


def _read(root: Path, said: Iterator[tuple[str, str]]) -> Contents:
    """Of each path what was said of it, its mode and its content. Raises OSError where it is too much."""
    found: Contents = {}
    left = BYTES_MAX
    for path, words in said:
        seen = _seen(root / path)
        left -= 0 if seen is None or not stat.S_ISREG(seen.st_mode) else seen.st_size
        if left < 0 or len(found) == FILES_MAX:
            raise OSError(errno.E2BIG, "there is too much to compare", os.fspath(root))
        found[path] = f"{words} {_mark(root / path, seen)}"
    return found


def _seen(path: Path) -> os.stat_result | None:
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _mark(path: Path, seen: os.stat_result | None) -> str:
    """What is there: its kind, mode and content."""
    if seen is None:
        return "nothing"
    if stat.S_ISLNK(seen.st_mode):
        return f"link {path.readlink()}"
    if not stat.S_ISREG(seen.st_mode):
        return f"{seen.st_mode:o}"
    hashed = sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            hashed.update(chunk)
    return f"{seen.st_mode:o} {hashed.hexdigest()}"
