"""What can be wrong with a store beside the history of its runs: the file, and rows that belong to no run."""

from collections.abc import Iterator

from akm.journal.database import Database
from akm_specs.canonical import NotCanonical, NotStrictJson, SealBroken, hash_bytes, unseal


def all_runs(database: Database) -> list[str]:
    """Every run of which anything is there, in order: also one whose own row is gone."""
    everywhere = "SELECT run FROM runs UNION SELECT run FROM events UNION SELECT run FROM batches ORDER BY run"
    return [str(row[0]) for row in database.rows(everywhere)]


def problems(database: Database) -> Iterator[str]:
    """Everything that is wrong, in words. Raises StoreDamaged where the file cannot be read on."""
    yield from (f"the database file: {fault}" for fault in database.faults())
    for table, parent in database.rows('SELECT DISTINCT "table", parent FROM pragma_foreign_key_check'):
        yield f"table {table} has rows whose row of {parent} is missing"
    for (name,) in database.rows("SELECT hash FROM blobs ORDER BY hash"):
        row = database.row("SELECT data FROM blobs WHERE hash = ?", (name,))
        if row is None or not isinstance(row[0], bytes) or hash_bytes(row[0]) != name:
            yield f"blob {name}: its content has another hash"
    for name, data in database.rows("SELECT hash, data FROM plans ORDER BY hash"):
        if _plan_hash(data) != name:
            yield f"plan {name}: its content has another hash"
    for key, state, run, runtime in database.rows("SELECT key, state, run, runtime FROM requests ORDER BY key"):
        if (state == "accepted") != (run is not None and runtime is not None):
            yield f"request {key!r} is {state}, but its run is {run!r} and its home {runtime!r}"


def unproved(database: Database, run: str) -> Iterator[tuple[int, str]]:
    """Rows of a run that its history does not bear out: the event (0: none), and what is wrong."""
    row = database.row("SELECT sequence FROM runs WHERE run = ?", (run,))
    last = 0 if row is None else int(row[0])
    for number, taken in database.rows("SELECT number, taken FROM inbox WHERE run = ? AND taken > ?", (run, last)):
        yield int(taken), f"it took command {number} of the inbox, and is not there"
    missing = "SELECT hash FROM blob_uses WHERE run = ? AND hash NOT IN (SELECT hash FROM blobs)"
    for (name,) in database.rows(missing, (run,)):
        yield 0, f"the file {name} that it uses is missing"


def _plan_hash(data: object) -> str | None:
    try:
        return unseal(data)[1] if isinstance(data, bytes) else None
    except (NotStrictJson, NotCanonical, SealBroken):
        return None
