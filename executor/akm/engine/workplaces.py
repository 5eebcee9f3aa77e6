"""Where an attempt works: in the run's workspace or, where its step is isolated, in a worktree of its own."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from akm.engine import worktrees
from akm.engine.files import Files
from akm.engine.worktrees import NoWorktree
from akm.kernel.identity import assignment_of
from akm.kernel.observation import StoredFile
from akm.kernel.outcome import PATCH
from akm.kernel.units import unit_of
from akm_specs.plan import Plan


class Workplaces:
    """`folder_of` gives the folder of an attempt, in which a worktree of its own lies."""

    def __init__(self, plan: Plan, files: Files, folder_of: Callable[[str], Path]) -> None:
        self._plan = plan
        self._files = files
        self._folder_of = folder_of

    def enter(self, attempt: str) -> Path:
        """The workspace for an attempt that starts. Raises NoWorktree."""
        if not self._isolated(attempt):
            return self._files.workspace
        return worktrees.make(self._files.workspace, self._folder_of(attempt))

    def leave(self, attempt: str) -> None:
        """An attempt is over: a workspace of its own is thrown away."""
        if self._isolated(attempt):
            with suppress(NoWorktree):
                worktrees.remove(self._files.workspace, self._folder_of(attempt))

    def keep(self, attempt: str, names: Sequence[str], *, changes: bool) -> dict[str, StoredFile | None]:
        """The files that a result names; with `changes` also what an isolated attempt changed, as a patch."""
        if not self._isolated(attempt):
            return {name: self._files.keep(name) for name in names}
        folder = self._folder_of(attempt)
        try:
            root = worktrees.place(self._files.workspace, folder)
            found = {name: self._files.keep(name, root) for name in names}
            patch = worktrees.patch(folder) if changes else b""
        except NoWorktree:
            return dict.fromkeys([*names, PATCH])
        return {**found, PATCH: self._files.keep_bytes(patch)} if patch else found

    def _isolated(self, attempt: str) -> bool:
        return unit_of(self._plan, assignment_of(attempt)).isolation == "worktree"
