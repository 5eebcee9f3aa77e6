"""Opening a store: private, durable, ours, whole; or refused with a message that says what to do."""

import ctypes
import os
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from akm.journal.faults import Damaged, StoreDamaged, StoreFault, StoreUnusable
from akm.journal.history import OpenRun
from akm.journal.store import Store

PAGE = 4096
OPEN_AND_POST = """
import os, sys
from pathlib import Path
from akm.journal.faults import StoreFault
from akm.journal.store import Store
try:
    store = Store(Path(sys.argv[1]), create=True)
    store.post("r", "late", "signal", {"name": "x" * 100_000, "data": None})
except StoreFault as fault:
    print(type(fault).__name__, fault)
else:
    print("written")
"""


def python(program: str, *arguments: object, **more: Any) -> str:
    """What a program prints."""
    argv = [sys.executable, "-c", program, *map(str, arguments)]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False, **more)
    assert ran.returncode == 0, ran.stderr
    said: str = ran.stdout
    return said


def loaded(directory: Path) -> OpenRun:
    """Run `r` of a store that is opened and closed."""
    with closing(Store(directory, create=False)) as store:
        return store.load("r")


def altered(store: Path, statement: str) -> None:
    """The store's file after one statement of someone else's."""
    connection = sqlite3.connect(store / "akm.db", isolation_level=None)
    connection.execute(statement)
    connection.close()


def test_a_store_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    program = """
import os, sys
from pathlib import Path
from akm.journal.store import Store
os.umask(0)
store = Store(Path(sys.argv[1]), create=True)
store.folder("r")
for path in sorted(Path(sys.argv[1]).rglob("*")):
    print(path.name, oct(path.stat().st_mode & 0o7777))
"""
    found = dict(line.split() for line in python(program, tmp_path / "store").splitlines())
    assert stat.S_IMODE((tmp_path / "store").stat().st_mode) == 0o700
    files, folders = ("akm.db", "akm.db-wal", "akm.db-shm"), ("runs", "r")
    assert found == dict.fromkeys(files, "0o600") | dict.fromkeys(folders, "0o700")


def test_a_store_that_is_not_there_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(StoreUnusable, match="akm run"):
        Store(tmp_path / "store", create=False)
    assert not (tmp_path / "store").exists()


def test_a_store_opens_again_as_it_was_left(tmp_path: Path, ledger_of: Callable[..., Any], store: Store) -> None:
    ledger = ledger_of("step one: exec read { on passed -> completed }")
    store.close()
    assert loaded(tmp_path / "store") == ledger.run


def test_many_makers_make_one_store(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", OPEN_AND_POST, str(tmp_path / "store")]
    makers = [subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(6)]
    for maker in makers:
        out, err = maker.communicate(timeout=60)
        assert (out.split()[:1], err) == ([b"UnknownRun"], b"")
    assert sorted(path.name for path in (tmp_path / "store").iterdir()) == ["akm.db"]


@pytest.mark.parametrize(
    "content", [b"", b"not a database, but long enough to be one\n" * 200, b"SQLite format 3\0"]
)
def test_what_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "akm.db").write_bytes(content)
    with pytest.raises(StoreFault, match=r"akm\.db"):
        Store(tmp_path, create=False)
    assert (tmp_path / "akm.db").read_bytes() == content


def test_a_database_of_someone_else_is_refused_and_not_touched(tmp_path: Path) -> None:
    altered(tmp_path, "CREATE TABLE theirs (x)")
    with pytest.raises(StoreUnusable, match="not akm's"):
        Store(tmp_path, create=True)
    connection = sqlite3.connect(tmp_path / "akm.db")
    assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]
    connection.close()


def test_a_newer_format_is_refused_by_its_number(tmp_path: Path) -> None:
    Store(tmp_path / "store", create=True).close()
    altered(tmp_path / "store", "PRAGMA user_version = 7")
    with pytest.raises(StoreUnusable, match=r"format 7, and this akm knows 1 to .*newer one; nothing was changed"):
        Store(tmp_path / "store", create=False)


def test_a_header_that_was_overwritten_is_damage(tmp_path: Path, store: Store) -> None:
    store.close()
    with (tmp_path / "store" / "akm.db").open("r+b") as file:
        file.write(bytes(100))
    with pytest.raises(StoreDamaged, match="restore it from a copy"):
        Store(tmp_path / "store", create=False)


def test_a_page_that_was_zeroed_is_found_and_other_pages_are_not_believed_for_it(
    tmp_path: Path, ledger_of: Callable[..., Any], store: Store
) -> None:
    ledger_of("step one: exec read { on passed -> completed }").ends("one#1/1")
    store.close()
    file, found = tmp_path / "store" / "akm.db", 0
    content = file.read_bytes()
    for page in range(1, len(content) // PAGE):
        file.write_bytes(content[: page * PAGE] + bytes(PAGE) + content[(page + 1) * PAGE :])
        try:
            run = loaded(tmp_path / "store")
        except StoreFault:
            found += 1
        else:
            assert run.state.status == "completed", "a page that this run does not need"
    assert found >= 3, "its plan, its row and its events at least"
    file.write_bytes(content)
    loaded(tmp_path / "store")


@pytest.mark.parametrize("left", [0.0, 0.1, 0.5, 0.9])
def test_a_log_of_writes_that_was_cut_off_leaves_a_shorter_run_that_is_whole_or_names_what_is_missing(
    tmp_path: Path, ledger_of: Callable[..., Any], store: Store, left: float
) -> None:
    ledger = ledger_of("step one: exec read { on passed -> completed }").ends("one#1/1")
    copy = tmp_path / "copy"
    copy.mkdir(mode=0o700)
    (copy / "akm.db").write_bytes((tmp_path / "store" / "akm.db").read_bytes())
    log = (tmp_path / "store" / "akm.db-wal").read_bytes()
    (copy / "akm.db-wal").write_bytes(log[: int(len(log) * left)])
    try:
        found = loaded(copy)
    except StoreFault:
        return
    assert found.state.sequence <= ledger.run.state.sequence


PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH = 24, 1, 2


def without_capabilities() -> None:
    """Take from root what lets it write anywhere, so that a file's mode counts; others have no such thing."""
    libc = ctypes.CDLL(None)
    for capability in CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH:
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


@pytest.mark.skipif(sys.platform != "linux", reason="root is told from its capabilities")
def test_a_store_that_may_not_be_written_is_refused(
    tmp_path: Path, ledger_of: Callable[..., Any], store: Store
) -> None:
    ledger_of("step one: exec read { on passed -> completed }")
    store.close()
    (tmp_path / "store" / "akm.db").chmod(0o400)
    said = python(OPEN_AND_POST, tmp_path / "store", preexec_fn=without_capabilities)
    assert said.startswith("StoreUnusable"), said
    assert "akm.db" in said


def on_a_full_disk() -> None:
    """Files of this process cannot grow."""
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, 65_536))


def test_a_write_that_the_disk_refuses_is_named_and_leaves_what_was_there(
    tmp_path: Path, ledger_of: Callable[..., Any], store: Store
) -> None:
    ledger = ledger_of("step one: exec read { on passed -> completed }")
    said = python(OPEN_AND_POST, tmp_path / "store", preexec_fn=on_a_full_disk)
    assert said.startswith(("StoreUnusable", "StoreFull")), said
    assert store.inbox("r") == []
    assert store.load("r") == ledger.run


def test_the_folder_of_a_run_is_private_and_made_once(store: Store) -> None:
    folder = store.folder("r")
    assert store.folder("r") == folder
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert os.path.samefile(folder.parent.parent, store.directory)


def test_a_file_that_is_not_stored_is_named(store: Store) -> None:
    with pytest.raises(Damaged, match="missing"):
        store.blob("0" * 64)
