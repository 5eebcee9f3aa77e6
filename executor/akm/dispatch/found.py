"""The attempt's folder as engines see it: what its record proves, and the marks that an engine leaves there.

Nothing in the record is flushed to the disk before its end is, so that its absence proves something only in the
boot in which the attempt was intended, which a mark beside it names.
"""

import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from akm.dispatch import record
from akm.dispatch.host import host_table
from akm.dispatch.identity import ProcessIdentity, boot_id, is_alive
from akm.dispatch.process import ProcessEnd, Survivor, recorded_end


@dataclass(frozen=True, slots=True)
class NeverStarted:
    """No process was started for this attempt. That is proven. With a machine code, none ever will be."""

    code: str | None = None


@dataclass(frozen=True, slots=True)
class MaybeStarted:
    """A process may have been started; which one is not known."""


@dataclass(frozen=True, slots=True)
class Supervised:
    """`supervisor` has started it, or is about to, under the token and fence of its engine.

    `process` is None before it is known, `end` None as long as none is recorded.
    """

    generation: int
    work: str
    token: str
    fence: int
    supervisor: ProcessIdentity
    process: ProcessIdentity | None
    end: ProcessEnd | None

    def lives_for(self, work: str, token: str) -> bool:
        """Whether that very supervisor is there, and is that of `work` in this very store."""
        ours = (self.generation, self.work, self.token) == (record.GENERATION, work, token)
        return ours and is_alive(self.supervisor)

    def recorded(self) -> dict[str, Any]:
        """Who supervises it, as that is recorded."""
        return {**self.supervisor._asdict(), "generation": self.generation}


#: Why nobody will start it, where nothing else was in the way.
REVOKED = "not_started"

#: How long a first line may take to be whole once its file is there, in seconds.
_FIRST_LINE_S = 0.5

Found: TypeAlias = NeverStarted | MaybeStarted | Supervised


def intend(folder: Path) -> None:
    """To be called before an attempt's intent is recorded: only then does an absent record prove anything later.

    And only to this boot, since a record is brought to the disk late. Raises OSError.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    (folder / f"{record.INTENDED}.{boot_id()}").touch(mode=0o600)


def look(folder: Path) -> Found:
    """What the record in the attempt folder `folder` proves."""
    try:
        data = _read(folder / record.NAME)
    except FileNotFoundError:
        intended = (folder / f"{record.INTENDED}.{boot_id()}").exists()
        return NeverStarted() if intended else MaybeStarted()
    except OSError:
        return MaybeStarted()
    try:
        lines = dict(_line(one) for one in data.split(b"\n")[:-1])
        if "revoked" in lines:
            return NeverStarted(str(lines["revoked"].get("code", REVOKED)))
        return _supervised(folder, lines)
    except (ValueError, TypeError, KeyError):
        return MaybeStarted()


def revoke(folder: Path, fence: int, code: str = REVOKED) -> bool:
    """Make sure that nobody will ever start it; False when somebody may have. Raises OSError."""
    with _opened(folder) as handle:
        try:
            os.close(record.claim(handle, "revoked", {"fence": fence, "code": code}))
        except FileExistsError:
            return isinstance(look(folder), NeverStarted)
    return True


def take(folder: Path, fence: int) -> None:
    """Leave the mark that the engine with this fencing token owns it now. Raises OSError."""
    with _opened(folder) as handle:
        record.mark(handle, record.TAKEN, fence)


def ask_stop(folder: Path, fence: int) -> None:
    """Leave the mark that this engine wants it stopped. Raises OSError."""
    with _opened(folder) as handle:
        record.mark(handle, record.STOP, fence)


def owner(folder: Path, found: Supervised) -> int:
    """The fencing token of the engine that owns it. Raises OSError."""
    with _opened(folder) as handle:
        return record.owner(handle, found.fence)


def forget(folder: Path) -> None:
    """Remove record and marks, where there are any, so that the same may be started again. Raises OSError."""
    if folder.is_dir():
        with _opened(folder) as handle:
            record.clear(handle)


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield handle
    finally:
        os.close(handle)


def _read(file: Path) -> bytes:
    """The record, with a first line unless whoever began it is gone. Raises OSError."""
    deadline = time.monotonic() + _FIRST_LINE_S
    while b"\n" not in (data := file.read_bytes()) and time.monotonic() < deadline:
        time.sleep(0.001)
    return data


def end_told(folder: Path, told: Mapping[str, Any]) -> ProcessEnd:
    """The end that a supervisor tells. Raises KeyError, TypeError or ValueError on what none would tell."""
    table = host_table()
    survivors = tuple(Survivor(pid, table.command(pid)) for pid in told["survivors"])
    return recorded_end(folder, told, survivors)


def _line(text: bytes) -> tuple[str, Any]:
    ((kind, content),) = dict(json.loads(text)).items()
    return kind, content


def _supervised(folder: Path, lines: Mapping[str, Any]) -> Supervised:
    starting = lines["starting"]
    return Supervised(
        generation=int(starting["generation"]),
        work=str(starting["work"]),
        token=str(starting["token"]),
        fence=int(starting["fence"]),
        supervisor=ProcessIdentity(**starting["supervisor"]),
        process=ProcessIdentity(**lines["running"]) if "running" in lines else None,
        end=_stored_end(folder, lines["ended"]) if "ended" in lines else None,
    )


def _stored_end(folder: Path, told: Mapping[str, Any]) -> ProcessEnd | None:
    """The recorded end, unless the output that belongs to it is not all there: then it does not count."""
    for name in ("stdout", "stderr"):
        kept = told[name]["kept"]
        if not told[name]["lost"] and (folder / name).stat().st_size != kept:
            return None
    return end_told(folder, told)
