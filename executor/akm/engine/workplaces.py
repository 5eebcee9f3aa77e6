"""Where an attempt works: in the run's workspace or, where its step is isolated, in a worktree of its own."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from akm.engine import comparison, worktrees
from akm.engine.files import Files
from akm.engine.git import GitRefused
from akm.kernel.identity import assignment_of
from akm.kernel.observation import StoredFile
from akm.kernel.outcome import PATCH
from akm.kernel.units import unit_of
from akm_specs.plan import Plan


class Workplaces:
    """`folder_of` gives the folder of an attempt, in which a worktree of its own lies, somewhere in `store`."""

    def __init__(self, plan: Plan, files: Files, folder_of: Callable[[str], Path], store: Path) -> None:
        self._plan = plan
        self._files = files
        self._folder_of = folder_of
        self._store = store

    def enter(self, attempt: str) -> Path:
        """The workspace for an attempt that starts. Raises GitRefused."""
        if self._isolated(attempt):
            return worktrees.make(self._files.workspace, self._folder_of(attempt))
        if self._edits(attempt):
            with suppress(OSError):  # what is not remembered is not compared
                comparison.remember(self._folder_of(attempt), self._contents())
        return self._files.workspace

    def leave(self, attempt: str) -> None:
        """An attempt is over: a workspace of its own is thrown away."""
        if self._isolated(attempt):
            with suppress(GitRefused):
                worktrees.remove(self._files.workspace, self._folder_of(attempt))

    def give_up(self, attempt: str) -> tuple[str, ...] | None:
        """An attempt is lost: what has changed in the workspace since it began, or None where that is not told."""
        if self._isolated(attempt) or not self._edits(attempt):
            self.leave(attempt)
            return None
        return comparison.changes(self._folder_of(attempt), self._contents())

    def keep(self, attempt: str, names: Sequence[str], *, changes: bool) -> dict[str, StoredFile | None]:
        """The files that a result names; with `changes` also what an isolated attempt changed, as a patch."""
        if not self._isolated(attempt):
            return {name: self._files.keep(name) for name in names}
        folder = self._folder_of(attempt)
        try:
            root = worktrees.place(self._files.workspace, folder)
            found = {name: self._files.keep(name, root) for name in names}
            patch = worktrees.patch(folder) if changes else b""
        except GitRefused:
            return dict.fromkeys([*names, PATCH])
        return {**found, PATCH: self._files.keep_bytes(patch)} if patch else found

    def _isolated(self, attempt: str) -> bool:
        return unit_of(self._plan, assignment_of(attempt)).isolation == "worktree"

    def _edits(self, attempt: str) -> bool:
        return unit_of(self._plan, assignment_of(attempt)).tool["effect"] == "workspace_mutation"

    def _contents(self) -> comparison.Contents | None:
        return comparison.contents(self._files.workspace, self._store)
