"""Where a store may lie: private whatever was there, and never at the cost of what was there."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from akm.journal.directory import mounted_as
from akm.journal.faults import StoreDamaged, StoreUnusable
from akm.journal.store import Store

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
35 22 0:41 /export /srv/a\\040b rw,relatime shared:7 master:2 - nfs4 server:/export rw,vers=4.2
36 22 0:42 / /run rw,nosuid - tmpfs tmpfs rw
"""


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o777])
def test_directory_and_files_are_their_owners_alone_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    directory = tmp_path / "store"
    with umask(mask):
        store = Store(directory, create=True)
        assert store.runs() == []
        found = {path.name: mode(path) for path in directory.iterdir()}
        store.close()
    assert mode(directory) == 0o700
    assert found == {"akm.db": 0o600, "akm.db-wal": 0o600, "akm.db-shm": 0o600}


def test_a_store_that_others_can_read_is_closed_to_them(tmp_path: Path) -> None:
    directory = tmp_path / "store"
    Store(directory, create=True).close()
    directory.chmod(0o755)
    Store(directory, create=True).close()
    assert mode(directory) == 0o700


def test_an_empty_directory_becomes_a_private_store(tmp_path: Path) -> None:
    directory = tmp_path / "store"
    directory.mkdir(mode=0o755)
    Store(directory, create=True).close()
    assert mode(directory) == 0o700


def test_a_directory_of_other_files_is_refused_and_keeps_its_mode(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "README.md").touch()
    project.chmod(0o755)
    with pytest.raises(StoreUnusable, match=r"holds other files.*--store"):
        Store(project, create=True)
    assert mode(project) == 0o755
    assert [path.name for path in project.iterdir()] == ["README.md"]


def test_a_file_in_the_directorys_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "store").touch()
    with pytest.raises(StoreUnusable, match="Not a directory"):
        Store(tmp_path / "store", create=True)


@pytest.mark.parametrize("create", [True, False])
def test_an_emptied_file_is_damage_and_no_new_store(tmp_path: Path, create: bool) -> None:
    directory = tmp_path / "store"
    Store(directory, create=True).close()
    (directory / "akm.db").write_bytes(b"")
    with pytest.raises(StoreDamaged, match=r"is empty.*restore"):
        Store(directory, create=create)
    assert (directory / "akm.db").stat().st_size == 0


@pytest.mark.parametrize(
    ("device", "kind"), [((0, 41), "nfs4"), ((254, 0), "ext4"), ((0, 42), "tmpfs"), ((0, 99), None)]
)
def test_the_file_system_of_a_device_is_known_from_the_mounts(device: tuple[int, int], kind: str | None) -> None:
    assert mounted_as(MOUNTS, os.makedev(*device)) == kind
