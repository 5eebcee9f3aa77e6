"""DBOS with its SQLite system database."""

import sys
from pathlib import Path

from scenario import STEPS_A_RUN, answer, note_step

FOLDER = Path(sys.argv[sys.argv.index("--folder") + 1])
WAL = "--wal" in sys.argv
if WAL:
    sys.argv.remove("--wal")

from dbos import DBOS, SetWorkflowID  # noqa: E402  the command line says how to set the library up

if WAL:
    import sqlalchemy as sa

    @sa.event.listens_for(sa.engine.Engine, "connect")
    def _wal(connection: object, record: object) -> None:
        connection.execute("PRAGMA journal_mode=WAL")  # type: ignore[attr-defined]  # a DBAPI connection
        connection.execute("PRAGMA synchronous=FULL")  # type: ignore[attr-defined]


def launched(folder: Path) -> None:
    DBOS(
        config={
            "name": "bench",
            "system_database_url": f"sqlite:///{folder}/dbos.sqlite",
            "log_level": "ERROR",
            "run_admin_server": False,
        }
    )
    DBOS.launch()


@DBOS.step()
def step(number: int) -> int:
    return 1


@DBOS.step()
def noted_step(number: int) -> int:
    note_step(FOLDER, number)
    return 1


@DBOS.workflow()
def steps(count: int) -> int:
    return sum(step(number) for number in range(count))


@DBOS.workflow()
def noted_steps(count: int) -> int:
    return sum(noted_step(number) for number in range(count))


@DBOS.workflow()
def unit(number: int) -> int:
    return 1


@DBOS.workflow()
def all_units(count: int) -> int:
    handles = [DBOS.start_workflow(unit, number) for number in range(count)]
    return sum(handle.get_result() for handle in handles)


def sequential(folder: Path, count: int) -> None:
    launched(folder)
    assert steps(count) == count


def runs(folder: Path, count: int) -> None:
    launched(folder)
    handles = [DBOS.start_workflow(steps, STEPS_A_RUN) for _ in range(count)]
    assert all(handle.get_result() == STEPS_A_RUN for handle in handles)


def units(folder: Path, count: int) -> None:
    launched(folder)
    assert all_units(count) == count


def resumable(folder: Path, count: int) -> None:
    launched(folder)  # which recovers what was interrupted
    with SetWorkflowID("the-one"):
        assert DBOS.start_workflow(noted_steps, count).get_result() == count


def opening(folder: Path, count: int) -> None:
    launched(folder)


if __name__ == "__main__":
    answer({"sequential": sequential, "runs": runs, "units": units, "resumable": resumable, "open": opening})
    DBOS.destroy()
