"""Burr with its SQLite persister."""

import sys
from pathlib import Path

from burr.core import ApplicationBuilder, Result, State, action, expr
from burr.core.persistence import SQLitePersister
from scenario import STEPS_A_RUN, answer, note_step

WAL = "--wal" in sys.argv
if WAL:
    sys.argv.remove("--wal")


def persister(folder: Path) -> SQLitePersister:
    found = SQLitePersister(str(folder / "burr.sqlite"), table_name="burr_state")
    if WAL:
        found.connection.execute("PRAGMA journal_mode=WAL")
        found.connection.execute("PRAGMA synchronous=FULL")
    found.initialize()
    return found


def application(store: SQLitePersister, name: str, count: int, folder: Path | None):
    @action(reads=["number"], writes=["number"])
    def step(state: State) -> State:
        if folder is not None:
            note_step(folder, state["number"])
        return state.update(number=state["number"] + 1)

    return (
        ApplicationBuilder()
        .with_actions(step=step, done=Result("number"))
        .with_transitions(("step", "step", expr(f"number < {count}")), ("step", "done"))
        .initialize_from(store, resume_at_next_action=True, default_state={"number": 0}, default_entrypoint="step")
        .with_state_persister(store)
        .with_identifiers(app_id=name, partition_key="bench")
        .build()
    )


def run(store: SQLitePersister, name: str, count: int, folder: Path | None = None) -> None:
    _, _, state = application(store, name, count, folder).run(halt_after=["done"])
    assert state["number"] == count


def sequential(folder: Path, count: int) -> None:
    run(persister(folder), "one", count)


def runs(folder: Path, count: int) -> None:
    store = persister(folder)
    for number in range(count):
        run(store, f"run-{number}", STEPS_A_RUN)


def resumable(folder: Path, count: int) -> None:
    run(persister(folder), "one", count, folder)


def opening(folder: Path, count: int) -> None:
    persister(folder)


if __name__ == "__main__":
    answer({"sequential": sequential, "runs": runs, "resumable": resumable, "open": opening})
