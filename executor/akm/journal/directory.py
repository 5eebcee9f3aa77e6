"""Where a store may lie: a directory that its owner alone can read, on a disk that this host does not share."""

import os
import stat
from pathlib import Path

from akm.journal.faults import StoreUnusable

#: File systems of other hosts. Locks and shared memory do not hold between hosts, and SQLite's WAL needs both.
REMOTE = frozenset(
    {"afs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "glusterfs", "lustre", "nfs", "nfs4", "smb3", "smbfs"}
)


def prepare(directory: Path, file: str) -> None:
    """Make `directory`, or make it private where it is ours to: new, empty, or a store with its `file` already.

    A directory that holds other things keeps its mode; if others can read it, it is refused.
    Raises StoreUnusable, OSError.
    """
    if not directory.exists():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)  # exist_ok: another process may make it too
        directory.chmod(0o700)
        make_durable(directory.parent)
    if not stat.S_IMODE(directory.stat().st_mode) & 0o077:
        return
    if (directory / file).exists() or not any(directory.iterdir()):
        directory.chmod(0o700)
        return
    raise StoreUnusable(
        f"{directory} holds other files, and other users can read it: name a new directory with --store"
    )


def make_durable(directory: Path) -> None:
    """A name just written in `directory` outlives a power cut. Raises OSError."""
    opened = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def refuse_remote(directory: Path) -> None:
    """Raises StoreUnusable when `directory` is on another host's disk, as far as this system tells."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    kind = mounted_as(mounts, directory.stat().st_dev)
    if kind in REMOTE:
        raise StoreUnusable(
            f"{directory} is on a network file system ({kind}), where two hosts would not see each other's "
            "locks: put the store on a local disk with --store"
        )


def mounted_as(mounts: str, device: int) -> str | None:
    """The type of the file system of `device`; `mounts` is in the form of /proc/self/mountinfo."""
    number = f"{os.major(device)}:{os.minor(device)}"
    for line in mounts.splitlines():
        mounted, _, kind = line.partition(" - ")
        if number in mounted.split()[2:3]:
            return kind.partition(" ")[0]
    return None
