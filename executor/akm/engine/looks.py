"""Looking at repositories before anything is delivered: which commit it is, and what the remote has already.

Each look is a git command that changes nothing, and runs as a process like any other: first in the repository
itself, then, where the commit is there, at its remote.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from akm.dispatch.environment import tool_environment
from akm.dispatch.found import forget
from akm.dispatch.processes import ProcessEnd, ProcessRequest
from akm.dispatch.strays import stop_left, token_of
from akm.engine.receipt_reply import listed
from akm.kernel import pushes
from akm.kernel.command import LookAtRepositories, RepositoryLook
from akm.kernel.observation import RepositoriesSeen

#: In the name of a folder a dot stands between the parts of an id.
_IN_FOLDER = str.maketrans("#: ", "...")


@dataclass(frozen=True, slots=True)
class Look:
    """One git command. `commit` is what the first look at the repository has found."""

    step_attempt: str
    at: Literal["commit", "remote"]
    repository: RepositoryLook
    argv: tuple[str, ...]
    timeout_ms: int
    commit: str = ""

    @property
    def key(self) -> str:
        """Tells it apart from all other work of the run."""
        return f"{self.step_attempt}:{self.repository.repository} {self.at}"

    def folder(self, run: Path) -> Path:
        """Where its output is kept, in the folder of the run."""
        return run / self.key.translate(_IN_FOLDER)

    def request(self, run: Path, workspace: Path, ambient: Mapping[str, str]) -> ProcessRequest:
        """The process that takes it. It may be taken again: what an earlier one left is forgotten."""
        folder = self.folder(run)
        with suppress(OSError):
            forget(folder)
        return ProcessRequest(
            argv=self.argv,
            directory=workspace / self.repository.directory,
            stdin=None,
            environment={**tool_environment((), ambient).variables, **dict(pushes.VARIABLES)},
            secrets=(),
            timeout_ms=self.timeout_ms,
            output_bytes_max=pushes.OUTPUT_BYTES_MAX,
            folder=folder,
            work=f"{run.name} {self.key}",
            token=token_of(folder),
        )


class RepositoryLooks:
    """Invariant: `_command` is what is being looked at; None before and after."""

    def __init__(self, now_ms: Callable[[], int]) -> None:
        self._now_ms = now_ms
        self._command: LookAtRepositories | None = None
        self._commits: dict[str, str] = {}
        self._problems: dict[str, str] = {}

    def begin(self, command: LookAtRepositories) -> Iterator[Look]:
        """The first look at each repository; none where answers are still to come."""
        if self._command is not None:
            return
        self._command, self._commits, self._problems = command, {}, {}
        for each in command.looks:
            yield _at_commit(command, each)

    def stop_left(self, command: LookAtRepositories, run: Path) -> None:
        """Stop what an earlier engine left of looking."""
        for each in command.looks:
            for asked in (_at_commit(command, each), _at_remote(command, each, "")):
                stop_left(asked.folder(run))

    def answer(self, asked: Look, end: ProcessEnd) -> Look | RepositoriesSeen | None:
        """What follows from the end of a look: another one, all that was seen, or nothing yet."""
        command, name = self._command, asked.repository.repository
        assert command is not None, "a look is under way"
        said = end.stdout.path.read_bytes() if end.exit_code == 0 else None
        if asked.at == "commit":
            commit = (said or b"").decode("ascii", errors="replace").strip()
            if pushes.is_commit(commit):
                return _at_remote(command, asked.repository, commit)
            wanted = asked.repository.commit or "checked out"
            self._problems[name] = (
                f"repository {name}: git finds no commit {wanted} in {asked.repository.directory!r}"
            )
        elif said is None:
            self._problems[name] = f"repository {name}: its remote {asked.repository.remote!r} gives no answer"
        elif listed(said) not in (None, asked.commit):
            self._problems[name] = f"repository {name}: its remote has another commit on {command.branch}"
        else:
            self._commits[name] = asked.commit
        return self._all_seen(command)

    def _all_seen(self, command: LookAtRepositories) -> RepositoriesSeen | None:
        if len(self._commits) + len(self._problems) < len(command.looks):
            return None
        self._command = None
        order = [each.repository for each in command.looks]
        return RepositoriesSeen(
            self._now_ms(),
            command.step_attempt,
            {name: self._commits[name] for name in order if name in self._commits},
            tuple(self._problems[name] for name in order if name in self._problems),
        )


def _at_commit(command: LookAtRepositories, each: RepositoryLook) -> Look:
    argv = ("git", "rev-parse", "--verify", "--quiet", "--end-of-options", f"{each.commit or 'HEAD'}^{{commit}}")
    return Look(command.step_attempt, "commit", each, argv, command.timeout_ms)


def _at_remote(command: LookAtRepositories, each: RepositoryLook, commit: str) -> Look:
    argv = pushes.ask(each.remote, command.branch)
    return Look(command.step_attempt, "remote", each, argv, command.timeout_ms, commit)
