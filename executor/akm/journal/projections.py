"""What is shown of a run without replaying anything: its row, with the summary that each append writes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from akm.journal.seals import sealed
from akm_specs.canonical import JsonObject


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run's projection: what is shown without replaying anything."""

    run: str
    status: str
    sequence: int
    workspace: str
    created_utc: str
    updated_utc: str
    elapsed_ms: int
    summary: JsonObject
    damaged: bool  # as far as this row and its last event tell; `akm verify` proves all of them


RUNS = (
    "SELECT run, status, sequence, workspace, created_utc, updated_utc, elapsed_ms, summary, head, boot_id,"
    " boottime_ms, seal, COALESCE((SELECT hash FROM batches WHERE run = runs.run AND last = runs.sequence),"
    " (SELECT hash FROM events WHERE run = runs.run AND sequence = runs.sequence)) FROM runs"
)


def run_row(row: Sequence[Any]) -> RunRow:
    """A row of `RUNS`, whatever damage has made of it."""
    run, status, sequence, workspace, created_utc, updated_utc, elapsed_ms, text, *proof = row
    head, boot, boottime, seal, last = proof
    summary = _summary(text)
    sound = (
        (summary.get("status"), summary.get("sequence")) == (status, sequence)
        and last == head
        and seal == sealed(run, workspace, head, boot, boottime, elapsed_ms)
    )
    return RunRow(run, status, sequence, workspace, created_utc, updated_utc, elapsed_ms, summary, not sound)


def _summary(text: object) -> JsonObject:
    """A damaged summary shows as empty: it must not hide the other runs; `akm verify` names it."""
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
