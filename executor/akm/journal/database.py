"""The database file: opened privately, WAL with full synchronisation, verified; write transactions only by `write`.

The only module that knows SQLite.
"""

import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from akm.journal.faults import StoreBusy, StoreDamaged, StoreFault, StoreFull, StoreUnusable

#: "akm " as a number: marks the file as ours.
APPLICATION_ID = 0x616B6D20
FORMAT = 1

#: How long a process waits for another's transaction, in milliseconds. A commit takes one fsync.
BUSY_TIMEOUT_MS = 60_000

_SCHEMA = """
CREATE TABLE plans (hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE runs (
    run TEXT PRIMARY KEY, plan_hash TEXT NOT NULL REFERENCES plans (hash), workspace TEXT NOT NULL,
    status TEXT NOT NULL, sequence INTEGER NOT NULL, head TEXT NOT NULL, summary TEXT NOT NULL,
    created_utc TEXT NOT NULL, updated_utc TEXT NOT NULL,
    boot_id TEXT NOT NULL, boottime_ms INTEGER NOT NULL, elapsed_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE events (
    run TEXT NOT NULL REFERENCES runs (run), sequence INTEGER NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
) WITHOUT ROWID;
CREATE TABLE inbox (
    run TEXT NOT NULL REFERENCES runs (run), number INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL,
    body TEXT NOT NULL, utc TEXT NOT NULL, taken INTEGER,
    PRIMARY KEY (run, number), UNIQUE (run, key)
) WITHOUT ROWID;
CREATE TABLE leases (
    run TEXT PRIMARY KEY REFERENCES runs (run), token INTEGER NOT NULL, holder TEXT NOT NULL, host TEXT NOT NULL,
    boot_id TEXT NOT NULL, pid_namespace TEXT NOT NULL, pid INTEGER NOT NULL, start_time INTEGER NOT NULL,
    taken_utc TEXT NOT NULL, expires_boottime_ms INTEGER NOT NULL, expires_utc TEXT NOT NULL, released_utc TEXT
) WITHOUT ROWID;
CREATE TABLE blobs (hash TEXT PRIMARY KEY, data BLOB NOT NULL) WITHOUT ROWID;
"""

Row = Sequence[Any]


class Database:
    """One connection. `commits` counts the durable commits made through it."""

    def __init__(self, path: Path, *, create: bool) -> None:
        """Open the file, or make it. Raises StoreUnusable, StoreBusy, StoreFull or StoreDamaged."""
        self.commits = 0
        with _named(path):
            if create:
                _make_privately(path)
            elif not path.is_file():
                raise StoreUnusable(f"there is no store at {path.parent}: `akm run` makes one")
            self._connection = sqlite3.connect(path, isolation_level=None, timeout=BUSY_TIMEOUT_MS / 1000)
            self._connection.text_factory = _text
            self._path = path
            self._configure()
            self._check_format()

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""
        with _named(self._path):
            return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row of a query."""
        with _named(self._path):
            found: Row | None = self._connection.execute(sql, values).fetchone()
            return found

    @contextmanager
    def write(self) -> Iterator["Database"]:
        """One write transaction, taken at once: all of it or nothing. Reads inside see what it writes."""
        with _named(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        self.commits += 1

    def put(self, sql: str, values: Sequence[Any]) -> None:
        """Write within a transaction."""
        assert self._connection.in_transaction, sql
        self._connection.execute(sql, values)

    def put_all(self, sql: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write many rows within a transaction."""
        assert self._connection.in_transaction, sql
        self._connection.executemany(sql, rows)

    def version(self) -> int:
        """Changes whenever another connection has committed; cheap to ask."""
        found = self.row("PRAGMA data_version")
        assert found is not None
        return int(found[0])

    def _configure(self) -> None:
        self._pragma("busy_timeout", BUSY_TIMEOUT_MS, BUSY_TIMEOUT_MS)
        self._pragma("journal_mode", "WAL", "wal")
        self._pragma("synchronous", "FULL", 2)
        self._pragma("foreign_keys", "ON", 1)

    def _pragma(self, name: str, value: str | int, wanted: str | int) -> None:
        self._connection.execute(f"PRAGMA {name} = {value}").fetchall()
        found = self._connection.execute(f"PRAGMA {name}").fetchone()
        if found is None or found[0] != wanted:
            raise StoreUnusable(
                f"{self._path} cannot be used: SQLite's {name} is {found and found[0]!r}, not {wanted!r}; "
                "put the store on a local, writable disk"
            )

    def _check_format(self) -> None:
        application, version = (
            self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        if (application, version) == (0, 0) and not self._tables():
            with self.write():
                if not self._tables():
                    self._build()
        elif application != APPLICATION_ID:
            raise StoreUnusable(f"{self._path} is a database, but not akm's: use another --store")
        elif version != FORMAT:
            raise StoreUnusable(f"{self._path} has journal format {version}; this akm reads format {FORMAT}")

    def _tables(self) -> bool:
        return bool(self._connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone())

    def _build(self) -> None:
        for statement in _SCHEMA.strip().split(";\n"):
            self._connection.execute(statement)
        self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._connection.execute(f"PRAGMA user_version = {FORMAT}")


def _text(data: bytes) -> str:
    """Damaged text is still read, so that what holds it can be named."""
    return data.decode("utf-8", "surrogateescape")


def _make_privately(path: Path) -> None:
    """Directory and file are their owner's alone, whatever the umask; -wal and -shm follow the file's mode."""
    if not path.parent.is_dir():
        path.parent.mkdir(mode=0o700, parents=True)
    path.parent.chmod(0o700)
    if not path.exists():
        file = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        os.fchmod(file, 0o600)
        os.close(file)
        directory = os.open(path.parent, os.O_RDONLY)
        os.fsync(directory)
        os.close(directory)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """SQLite's and the system's faults, by our names."""
    try:
        yield
    except sqlite3.Error as error:
        raise _fault(path, error) from error
    except OSError as error:
        raise StoreUnusable(f"{path} cannot be used: {error.strerror or error}") from error


def _fault(path: Path, error: sqlite3.Error) -> StoreFault:
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
