"""Which calls of a run have begun: a line each in the file `calls` of the run's folder, written before the call.

An attempt of which the file says nothing was never called, as long as the file was there when its intent was
recorded, and nobody else may still add to it. Whoever adds holds a lock on the file, which goes with the process.
Nothing is flushed to the disk, so the file begins with the boot in which it was made; in another boot it proves
nothing, and another takes its place.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path

from akm.dispatch.identity import boot_id

NAME = "calls"


class CallLog:
    """The calls of one run, for one engine.

    Invariant: `_begun` names all calls that the file names, once that is open; `_doubted` those of which it was
    asked and could not prove that they never began.
    """

    def __init__(self, folder: Path) -> None:
        """`folder` is the run's."""
        self._path = folder / NAME
        self._file: int | None = None
        self._sole = False
        self._begun: set[str] = set()
        self._doubted: list[str] = []

    def never_began(self, attempt: str) -> bool:
        """Whether it is proven that no engine of this boot has begun, or ever will, what was recorded before us."""
        try:
            if self._is_of_this_boot():
                self.open()
        except OSError:
            self._sole = False
        proven = self._sole and attempt not in self._begun
        if not proven:
            self._doubted.append(attempt)
        return proven

    def open(self) -> None:
        """To be called before the intent of a call is recorded, since it proves nothing later. Raises OSError."""
        if self._file is not None:
            return
        if not self._is_of_this_boot():
            self._make()
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND)
        self._sole = _locked(self._file)
        self._begun.update(self._path.read_text(encoding="utf-8").split("\n"))

    def _make(self) -> None:
        """A file that is there at once with what is doubted, so that it never proves what it cannot know.

        If another engine makes it first, that one stands.
        """
        made = self._path.with_name(f"{NAME}.{os.getpid()}")
        lines = (_boot(), *self._doubted)
        made.write_text("\n".join(lines), encoding="utf-8")
        made.chmod(0o600)
        if self._path.exists():  # that of an earlier boot
            made.replace(self._path)
            return
        with suppress(FileExistsError):
            os.link(made, self._path)
        made.unlink()

    def _is_of_this_boot(self) -> bool:
        """Whether the file is there, and was made in this boot. Raises OSError."""
        try:
            with self._path.open(encoding="utf-8", errors="replace") as file:
                return file.readline().rstrip("\n") == _boot()
        except FileNotFoundError:
            return False

    def begin(self, attempt: str) -> bool:
        """Write down that a call begins; False where it may have begun before. Raises OSError."""
        self.open()
        assert self._file is not None
        if attempt in self._begun:
            return False
        line = f"\n{attempt}".encode()  # what was not written whole before it is a line of its own
        if os.write(self._file, line) != len(line):
            raise OSError("the call could not be written down whole")
        self._begun.add(attempt)
        return True

    def close(self) -> None:
        """Let the file go, and with it the lock. To be called once."""
        if self._file is not None:
            os.close(self._file)


def _boot() -> str:
    return f"boot {boot_id()}"


def _locked(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
