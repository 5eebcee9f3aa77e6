"""The start record: what a later engine can prove about whether an attempt's process ever ran.

The file is there before the spawn and names the process right after it. It is not flushed to the disk
(the journal's commit is the only durable write of a step), so its absence proves something only to the
boot that wrote, or would have written, it.
"""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from akm.dispatch.identity import ProcessIdentity, boot_id

_NAME = "started"


@dataclass(frozen=True, slots=True)
class NeverStarted:
    """No process was started for this attempt. That is proven."""


@dataclass(frozen=True, slots=True)
class MaybeStarted:
    """A process may have been started; which one is not known."""


@dataclass(frozen=True, slots=True)
class Started:
    """This process was started."""

    identity: ProcessIdentity


StartRecord: TypeAlias = NeverStarted | MaybeStarted | Started


def announce(folder: Path) -> None:
    """Say that a process is about to be started. Raises OSError; then nothing may be started.

    Whoever announced first, starts: an engine that slept through its lease finds the announcement of the next.
    """
    os.close(os.open(folder / _NAME, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def withdraw(folder: Path) -> None:
    """Say that the start failed, and nothing ran. Raises OSError."""
    (folder / _NAME).unlink()


def record(folder: Path, identity: ProcessIdentity) -> None:
    """Say which process was started. Raises OSError; the announcement then stays."""
    draft = folder / f"{_NAME}.new"
    file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(file, "w", encoding="ascii") as text:
        json.dump(asdict(identity), text)
    draft.rename(folder / _NAME)


def read_start(folder: Path, intent_boot_id: str | None = None) -> StartRecord:
    """What the record in the attempt folder `folder` proves.

    The folder is made before the intent is recorded, so that a folder that is gone proves nothing.
    `intent_boot_id` is the boot in which the attempt's intent was recorded; None when that is not known,
    and then an absent record proves nothing.
    """
    try:
        text = (folder / _NAME).read_text(encoding="ascii")
    except FileNotFoundError:
        proves = folder.is_dir() and intent_boot_id == boot_id()
        return NeverStarted() if proves else MaybeStarted()
    except (OSError, UnicodeDecodeError):
        return MaybeStarted()
    try:
        return Started(ProcessIdentity(**json.loads(text)))
    except (ValueError, TypeError):
        return MaybeStarted()
