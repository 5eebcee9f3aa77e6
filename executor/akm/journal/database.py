"""The database file: made whole or not at all, WAL with full synchronisation, verified; written only by `write`.

The only module that knows SQLite.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from akm.journal.directory import make_durable, prepare, refuse_remote
from akm.journal.faults import StoreBusy, StoreDamaged, StoreFault, StoreFull, StoreUnusable
from akm.journal.formats import APPLICATION_ID, FORMAT, STEPS

#: How long a process waits for another's transaction, in milliseconds. A commit takes one fsync.
BUSY_TIMEOUT_MS = 60_000

#: Name, value, and how SQLite says that it took it. fullfsync: on macOS a plain fsync stops at the disk's cache.
_PRAGMAS: tuple[tuple[str, str | int, str | int], ...] = (
    ("busy_timeout", BUSY_TIMEOUT_MS, BUSY_TIMEOUT_MS),
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", 2),
    ("fullfsync", "ON", 1),
    ("foreign_keys", "ON", 1),
)

Row = Sequence[Any]


class Database:
    """One connection. `commits` counts the durable commits made through it."""

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open the file, or make it. Raises StoreUnusable, StoreBusy, StoreFull or StoreDamaged."""
        self.commits = 0
        with _named(path):
            if create:
                prepare(path.parent, path.name)
                if not path.exists():
                    _install(path)
            elif not path.is_file():
                raise StoreUnusable(f"there is no store at {path.parent}: `akm run` makes one")
            refuse_remote(path.parent)
            self._path = path
            self._turn = _turn_at(path)
            self._connection = _connect(path)
            self._connection.text_factory = _text
            try:
                self._check_format()
            except BaseException:
                self._connection.close()
                raise

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""
        with _named(self._path):
            return self._query(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row of a query."""
        with _named(self._path):
            found: Row | None = self._query(sql, values).fetchone()
            return found

    def _query(self, sql: str, values: Sequence[Any]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except UnicodeEncodeError:  # asked for what is no Unicode text: as bytes it equals no text that is stored
            return self._connection.execute(sql, [_bytes(value) for value in values])

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Everything read inside is of one moment, whatever others append meanwhile."""
        if self._connection.in_transaction:
            yield
            return
        with _named(self._path):
            self._connection.execute("BEGIN")
        try:
            yield
        finally:
            if self._connection.in_transaction:  # a damaged file may have ended it
                self._connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator["Database"]:
        """One write transaction, taken at once: all of it or nothing. Reads inside see what it writes.

        Threads of this process take turns: SQLite would let each sleep for longer and longer, whoever is next.
        """
        with self._turn, _named(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        self.commits += 1

    def put(self, sql: str, values: Sequence[Any]) -> int:
        """Write within a transaction; how many rows that changed."""
        assert self._connection.in_transaction, sql
        return self._connection.execute(sql, values).rowcount

    def put_all(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows within a transaction."""
        assert self._connection.in_transaction, sql
        self._connection.executemany(sql, rows)

    def run_script(self, script: str) -> None:
        """Take each statement of `script` within a transaction."""
        assert self._connection.in_transaction, script
        for statement in filter(str.strip, script.split(";")):
            self._connection.execute(statement)

    def format(self) -> int:
        """The format of the journal's tables."""
        found = self.row("PRAGMA user_version")
        assert found is not None
        return int(found[0])

    def set_format(self, number: int) -> None:
        """Say within a transaction that the tables have format `number`."""
        assert self._connection.in_transaction, number
        self._connection.execute(f"PRAGMA user_version = {number}")

    def shrink(self) -> None:
        """Give the disk back what is free, once that is most of the file. Drivers wait for it, as for a commit."""
        sizes = [self.row(f"PRAGMA {name}") for name in ("freelist_count", "page_count")]
        free, all_pages = (int(size[0]) for size in sizes if size is not None)
        if 2 * free > all_pages:
            with _named(self._path):
                self._connection.execute("VACUUM")

    def faults(self) -> list[str]:
        """What SQLite itself finds wrong with the file, page by page and index by index; empty: nothing."""
        found = [str(row[0]) for row in self.rows("PRAGMA integrity_check")]
        return [fault for fault in found if fault != "ok"]

    def version(self) -> int:
        """Changes whenever another connection has committed; cheap to ask."""
        found = self.row("PRAGMA data_version")
        assert found is not None
        return int(found[0])

    def _check_format(self) -> None:
        with self.moment():
            application, version = (
                self._connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("application_id", "user_version")
            )
        if application != APPLICATION_ID:
            raise StoreUnusable(f"{self._path} is a database, but not akm's: use another --store")
        if not 1 <= version <= FORMAT:
            raise StoreUnusable(
                f"{self._path} has journal format {version}, and this akm knows 1 to {FORMAT}: use the akm that "
                "wrote it, or a newer one; nothing was changed"
            )


def _turn_at(path: Path) -> Lock:
    """The lock by which the threads of this process take turns to write to the file at `path`."""
    with _TURNS_LOCK:
        return _TURNS.setdefault(str(path.resolve()), Lock())


_TURNS_LOCK = Lock()
_TURNS: "WeakValueDictionary[str, Lock]" = WeakValueDictionary()


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to an existing file, with every promise about durability set and then looked at."""
    if path.stat().st_size == 0:
        raise StoreDamaged(f"{path} is empty, which a store never is: restore it from a copy")
    connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
    try:
        for name, value, wanted in _PRAGMAS:
            connection.execute(f"PRAGMA {name} = {value}").fetchall()
            found = connection.execute(f"PRAGMA {name}").fetchone()
            if found is None or found[0] != wanted:
                raise StoreUnusable(
                    f"{path} cannot be used: SQLite's {name} is {found and found[0]!r}, not {wanted!r}; "
                    "put the store on a local, writable disk"
                )
    except BaseException:
        connection.close()
        raise
    return connection


def _install(path: Path) -> None:
    """Put an empty journal at `path` in one step: no process ever sees half of one, and one of many makers wins."""
    new = path.with_name(f"{path.name}.{os.urandom(8).hex()}")
    file = os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
    try:
        os.fchmod(file, 0o600)  # whatever the umask; SQLite gives -wal and -shm the file's own mode
        _build(new)
        os.fsync(file)
        os.link(new, path)
    except FileExistsError:
        pass  # another process was first
    finally:
        os.close(file)
        new.unlink()
    make_durable(path.parent)


def _build(path: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.executescript(
            f"BEGIN; {''.join(STEPS)} PRAGMA application_id = {APPLICATION_ID};"
            f" PRAGMA user_version = {FORMAT}; COMMIT"
        )


def _bytes(value: object) -> object:
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value


def _text(data: bytes) -> str:
    """Damaged text is still read, so that what holds it can be named."""
    return data.decode("utf-8", "surrogateescape")


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """SQLite's and the system's faults, by our names."""
    try:
        yield
    except sqlite3.Error as error:
        raise _fault(path, error) from error
    except UnicodeDecodeError as error:  # SQLite quotes the damaged bytes of its own schema
        raise StoreDamaged(f"{path} is damaged ({error.reason}): restore it from a copy") from error
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be used: {error.strerror or error}") from error


def _fault(path: Path, error: sqlite3.Error) -> StoreFault:
    assert not isinstance(error, sqlite3.ProgrammingError), f"our own misuse: {error}"
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusy(f"{path} was locked by another process for {BUSY_TIMEOUT_MS // 1000} s: try again")
    if name.startswith("SQLITE_FULL"):
        return StoreFull(f"{path}: the disk is full; nothing was written. Make room, then `akm resume`")
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreDamaged(f"{path} is damaged ({error}): restore it from a copy")
    if name.startswith(("SQLITE_CANTOPEN", "SQLITE_READONLY", "SQLITE_IOERR", "SQLITE_PERM")):
        return StoreUnusable(f"{path} cannot be used: {error}")
    return StoreDamaged(f"{path}: {error}")
