"""Ten thousand runs that ended do not slow what is asked of one run, or of the newest."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from akm.journal.store import Store

ONE = "step one: exec read { on passed -> completed }"
RUNS = 10_000


def steps_of(store: Store, asked: Callable[[], Any]) -> int:
    """How many hundred instructions SQLite's machine takes: the same on every host."""
    taken = 0

    def count() -> int:
        nonlocal taken
        taken += 1
        return 0

    connection = store._database._connection
    connection.set_progress_handler(count, 100)
    asked()
    connection.set_progress_handler(None, 100)
    return taken


def test_what_is_shown_costs_the_same_beside_ten_thousand_ended_runs(
    ledger_of: Callable[..., Any], store: Store
) -> None:
    ledger_of(ONE).ends("one#1/1")
    questions: dict[str, Callable[[], Any]] = {
        "one run": lambda: store.run("r"),
        "whether there is one": lambda: store.has("r"),
        "the newest": lambda: store.runs(limit=10),
        "the newest of a status": lambda: store.runs("completed", 10),
        "those of a rare status": lambda: store.runs("waiting", 10),
    }
    with closing(sqlite3.connect(store.directory / "akm.db")) as database, database:
        _copy(database, 10)
    few = {name: steps_of(store, asked) for name, asked in questions.items()}
    with closing(sqlite3.connect(store.directory / "akm.db")) as database, database:
        _copy(database, RUNS)
    assert store.count() == RUNS + 11
    many = {name: steps_of(store, asked) for name, asked in questions.items()}
    assert not {name: taken for name, taken in many.items() if taken > few[name] + 2}, few


def _copy(database: sqlite3.Connection, times: int) -> None:
    """More runs like `r`, without their events."""
    names = [row[1] for row in database.execute("PRAGMA table_info(runs)")]
    others = ", ".join(names[1:])
    database.execute(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
        f" INSERT INTO runs SELECT 'copy-' || ? || '-' || i, {others} FROM runs, n WHERE run = 'r'",
        (times, times),
    )
