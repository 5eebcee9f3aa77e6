"""The files of a git revision, laid out beside the working tree without touching it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

#: How long git may take for one command, in seconds. Large repositories take some to be laid out.
GIT_SECONDS_MAX = 300

#: Variables by which a hook is told which repository it runs in. The file that is compared says that here.
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")


class NoRevision(Exception):
    """git is not there, the folder is in no repository, or the repository has no such revision."""


@dataclass(frozen=True, slots=True)
class Revision:
    """What a repository held at a revision: `root` is the working tree's folder, `folder` what stands for it."""

    root: Path
    folder: Path

    def path(self, working: str) -> str:
        """Where the file `working` of the working tree lies in this revision, whether or not it is there.

        Raises NoRevision for a file outside of the repository.
        """
        place = Path(os.path.realpath(Path(working).parent), Path(working).name)
        if not place.is_relative_to(self.root):
            raise NoRevision(f"{working}: lies outside of the repository {self.root}")
        return str(self.folder / place.relative_to(self.root))

    def told(self, message: str) -> str:
        """`message` with its paths as they are in the repository, not where they lie for a while."""
        return message.replace(f"{self.folder}{os.sep}", "")


@contextmanager
def revision(name: str, near: str) -> Iterator[Revision]:
    """The revision `name` of the repository in which the file `near` lies, until the block ends.

    All of it is laid out, since a workflow may use scripts and children from anywhere in it. Raises NoRevision.
    """
    beside = os.path.dirname(os.path.abspath(near))
    root = Path(_git(beside, "rev-parse", "--show-toplevel"))
    commit = _git(beside, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}", of=name)
    with TemporaryDirectory(prefix="akmc-revision-") as made:
        index, folder = Path(made, "index"), Path(made, "files")
        folder.mkdir()
        # An index of its own: the repository's, and what is staged there, stay as they are.
        _git(str(root), "read-tree", commit, index=index)
        _git(str(root), "checkout-index", "--all", "--quiet", f"--prefix={folder}/", index=index)
        yield Revision(Path(os.path.realpath(root)), folder)


def _git(folder: str, *arguments: str, of: str | None = None, index: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in _PLACES}
    if index is not None:
        environment["GIT_INDEX_FILE"] = str(index)
    try:
        ended = subprocess.run(
            ["git", "-C", folder, *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_SECONDS_MAX,
        )
    except FileNotFoundError:
        raise NoRevision("git is not installed, and --base needs it") from None
    except subprocess.TimeoutExpired:
        raise NoRevision(f"git {arguments[0]} took more than {GIT_SECONDS_MAX} s") from None
    except (OSError, ValueError) as error:
        raise NoRevision(f"git cannot be asked: {error}") from error
    if ended.returncode == 0:
        return os.fsdecode(ended.stdout).removesuffix("\n")
    if of is not None:
        raise NoRevision(f"git knows no revision {of!r} in {folder}")
    raise NoRevision(f"git {arguments[0]}: {os.fsdecode(ended.stderr).strip() or 'failed without a word'}")
