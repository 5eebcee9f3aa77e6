"""Snapshots: where a run stood after one of its batches, so that a driver need not fold all events before it.

One is worth no more than what it was made of: whoever resumes still proves the chain up to it, `akm verify` folds
every event and compares, and one that cannot be believed is passed over. It may be removed at any time.
"""

import json
import zlib
from dataclasses import dataclass

from akm.journal.database import Database
from akm.journal.seals import sealed
from akm.kernel.memory import form, recalled, remembered
from akm.kernel.state import RunState
from akm_specs.canonical import hash_bytes

#: Bytes of batches that a run writes between two snapshots, at least; folding that many takes some milliseconds.
#: A state that is larger is written only after as many bytes as it has itself, so that all snapshots of a run
#: together never outweigh its batches.
SPACING_BYTES = 128 * 1024


@dataclass(frozen=True, slots=True)
class Snapshot:
    """`state` is what the events up to the batch with the hash `head` add up to; it took `size` bytes."""

    state: RunState
    head: str
    size: int


def write(database: Database, state: RunState, head: str) -> int:
    """Put a snapshot in the place of the run's last one, within a transaction; how many bytes it has."""
    body = json.dumps(
        {"head": head, "state": remembered(state)}, ensure_ascii=False, separators=(",", ":")
    ).encode()
    seal = _seal(state.run, state.sequence, body)
    row = (state.run, state.sequence, zlib.compress(body, level=1), seal)
    database.put("INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", row)
    return len(body)


def read(database: Database, run: str) -> Snapshot | None:
    """The run's last snapshot; None where there is none, or none that this akm can believe."""
    row = database.row("SELECT sequence, body, seal FROM snapshots WHERE run = ?", (run,))
    if row is None:
        return None
    sequence, packed, seal = row
    try:
        body = zlib.decompress(packed)
        if _seal(run, sequence, body) != seal:
            return None
        found = json.loads(body)
        return Snapshot(recalled(found["state"]), found["head"], len(body))
    except (zlib.error, ValueError, TypeError, KeyError, AttributeError):
        return None


def _seal(run: str, sequence: int, body: bytes) -> str:
    return sealed(run, sequence, form(), hash_bytes(body))
