"""What is written down about an attempt's process, in the attempt's own folder.

The file `process` is the attempt's own small journal. Each line is JSON and is written at once:

    starting   who supervises it, for whom; made only by who finds no such file, so an attempt starts once
    running    the process, once it has run for a moment
    ended      how it ended

`revoked`, with a machine code, says that nobody will ever start it: in the place of `starting`, or after it where
the process could not be started. It is never taken back, so an engine that stood still meanwhile finds it too.
Empty files beside it are marks that only add up: `taken.N`, the engine with the fencing token N has taken it over;
`stop.N`, that engine wants it stopped; `intended.BOOT`, the attempt was intended in that boot.
A stop counts only from the highest that has started or taken it, so an engine that lost its lease cannot stop
what another has taken over.
"""

import json
import os
from collections.abc import Iterable, Mapping

#: Which supervisors understand each other's records.
GENERATION = 1

NAME = "process"
TAKEN, STOP, INTENDED = "taken", "stop", "intended"

_encode = json.JSONEncoder(separators=(",", ":")).encode


def claim(folder: int, kind: str, content: Mapping[str, object]) -> int:
    """Make the record with its first line; the open file. Raises FileExistsError when it was made before.

    Any other OSError means that it cannot be written; then there is none.
    """
    file = os.open(NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600, dir_fd=folder)
    try:
        append(file, kind, content)
    except OSError:
        os.close(file)
        withdraw(folder)
        raise
    return file


def withdraw(folder: int) -> None:
    """Say that nothing was started after all. Raises OSError."""
    os.unlink(NAME, dir_fd=folder)


def append(file: int, kind: str, content: Mapping[str, object]) -> None:
    """One more line. Raises OSError; a line that is not whole is not believed."""
    data = line(kind, content)
    if os.write(file, data) != len(data):
        raise OSError("the record could not be written whole")


def line(kind: str, content: Mapping[str, object]) -> bytes:
    """A line of the record."""
    return _encode({kind: content}).encode("ascii") + b"\n"


def mark(folder: int, kind: str, fence: int) -> None:
    """Leave a mark; once is enough. Raises OSError."""
    os.close(os.open(f"{kind}.{fence}", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=folder))


def owner(folder: int, starter: int) -> int:
    """The highest fencing token that has started or taken it. Raises OSError."""
    return max(starter, _highest(os.listdir(folder), TAKEN))


def stop_is_asked(folder: int, starter: int) -> bool:
    """Whether its owner wants it stopped. Raises OSError."""
    names = os.listdir(folder)
    return _highest(names, STOP) >= max(starter, _highest(names, TAKEN))


def clear(folder: int) -> None:
    """Forget all of it, so that the same may be started again. Raises OSError."""
    for name in os.listdir(folder):
        if name == NAME or _fence(name, TAKEN) >= 0 or _fence(name, STOP) >= 0:
            os.unlink(name, dir_fd=folder)


def _highest(names: Iterable[str], kind: str) -> int:
    return max((_fence(name, kind) for name in names), default=-1)


def _fence(name: str, kind: str) -> int:
    found, _, fence = name.partition(".")
    return int(fence) if found == kind and fence.isascii() and fence.isdigit() else -1
