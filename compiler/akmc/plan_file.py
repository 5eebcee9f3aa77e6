"""The files that compiling makes: where they lie, and reading and writing them whole or not at all."""

import os
import tempfile
from pathlib import Path

from akm_specs.canonical import NotCanonical, NotStrictJson, SealBroken, unseal
from akm_specs.plan import PLAN_BYTES_MAX, Plan
from akm_specs.reader import read
from akmc.source import SUFFIXES


class PlanUnreadable(Exception):
    """The file is no plan, or cannot be read."""


class NotWritten(Exception):
    """The file could not be written. What stood there before still does."""


def default_output(source: str, ending: str) -> Path:
    """`source` with `ending` in place of its own: `release.akm` gives `release.plan.json`."""
    path = Path(source)
    own = next((suffix for suffix in SUFFIXES if path.name.endswith(suffix)), "")
    return path.with_name(path.name.removesuffix(own) + ending)


def read_plan(path: str) -> Plan:
    """The plan in the file `path`, its hash and its form checked. Raises PlanUnreadable."""
    try:
        body, _ = unseal(_read(Path(path)))
    except (NotStrictJson, NotCanonical, SealBroken) as error:
        raise PlanUnreadable(f"{path}: {error}") from error
    plan, faults = read(Plan, body)
    if faults:
        raise PlanUnreadable(f"{path}: no plan: {faults[0]}")
    return plan


def is_same_file(one: Path, other: str) -> bool:
    """Whether both paths lead to one existing file."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):
        return False


def committed(path: Path) -> bytes | None:
    """The bytes of the file at `path`; None where there is none. Raises PlanUnreadable."""
    return _read(path) if path.exists() else None


def write_whole(path: Path, data: bytes, mode: int | None = None) -> None:
    """Puts `data` at `path` in one step: a reader sees the old file or the new one. Raises NotWritten.

    The file gets the permissions `mode` or, without it, those of any new file.
    """
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
            os.chmod(temporary, 0o666 & ~_umask() if mode is None else mode)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise NotWritten(f"{path}: cannot be written: {reason}") from error


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(PLAN_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise PlanUnreadable(f"{path}: cannot be read: {reason}") from error
    if len(data) > PLAN_BYTES_MAX:
        raise PlanUnreadable(f"{path}: larger than {PLAN_BYTES_MAX} bytes, which no plan is")
    return data
