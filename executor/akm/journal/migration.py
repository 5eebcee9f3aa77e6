"""Bringing an older journal to today's format: in one transaction, and never while an old driver works."""

from akm.clock import TimeSource
from akm.journal import lease as leases
from akm.journal.database import Database
from akm.journal.faults import StoreBusy
from akm.journal.formats import FORMAT, STEPS


def migrate(database: Database, time: TimeSource) -> None:
    """Take the steps that are missing. Nothing changes unless all do.

    Raises StoreBusy while a run is driven: its driver would go on to write the old format.
    """
    if database.format() == FORMAT:
        return
    with database.write():
        found = database.format()  # another process may have been first
        if found == FORMAT:
            return
        for (run,) in database.rows("SELECT run FROM leases WHERE released_utc IS NULL"):
            record = leases.read(database, run)
            if record is not None and leases.is_live(record, time):
                raise StoreBusy(
                    f"the store has journal format {found}, and run {run} is driven by another akm "
                    f"(pid {record.process.pid} on {record.host}): let it end, then this akm takes the store over"
                )
        for step in STEPS[found:]:
            database.run_script(step)
        database.set_format(FORMAT)
