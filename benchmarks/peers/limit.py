"""The limit: what SQLite does on this disk with one durable commit a step, and nothing else."""

import sqlite3
from pathlib import Path

from scenario import STEPS_A_RUN, answer, note_step

ROWS_A_COMMIT = 100


def opened(folder: Path) -> sqlite3.Connection:
    """A database whose every commit is on the disk before it returns."""
    database = sqlite3.connect(folder / "limit.sqlite", isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    database.execute("PRAGMA synchronous=FULL")
    database.execute("CREATE TABLE IF NOT EXISTS step(number INTEGER PRIMARY KEY, result TEXT)")
    return database


def sequential(folder: Path, count: int) -> None:
    database = opened(folder)
    for number in range(count):
        database.execute("INSERT INTO step VALUES(?, ?)", (number, "1"))


def runs(folder: Path, count: int) -> None:
    sequential(folder, count * STEPS_A_RUN)


def units(folder: Path, count: int) -> None:
    database = opened(folder)
    for first in range(0, count, ROWS_A_COMMIT):
        database.execute("BEGIN")
        last = min(first + ROWS_A_COMMIT, count)
        database.executemany("INSERT INTO step VALUES(?, ?)", [(number, "1") for number in range(first, last)])
        database.execute("COMMIT")


def resumable(folder: Path, count: int) -> None:
    database = opened(folder)
    (done,) = database.execute("SELECT count(*) FROM step").fetchone()
    for number in range(done, count):
        note_step(folder, number)
        database.execute("INSERT INTO step VALUES(?, ?)", (number, "1"))


def opening(folder: Path, count: int) -> None:
    opened(folder)


if __name__ == "__main__":
    answer({"sequential": sequential, "runs": runs, "units": units, "resumable": resumable, "open": opening})
