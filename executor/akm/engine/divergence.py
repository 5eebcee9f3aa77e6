"""What kept a run from going on: a unit that is no longer what it was made for, kept for whoever asks why.

It is beside the journal, since nothing of the run has changed: an akm that works the inputs out as before goes on.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

from akm_specs.canonical import JsonObject

if TYPE_CHECKING:  # a command that only shows a run loads no kernel
    from akm.kernel.pending import ReplayDivergence

FILE = "divergence.json"
_MEMBERS = frozenset({"code", "unit", "expected_hash", "found_hash", "sequence", "plan_hash"})


def note(folder: Path, found: "ReplayDivergence", sequence: int, plan_hash: str) -> None:
    """Keep it in the folder of the run."""
    document: JsonObject = {
        "code": "replay_divergence",
        "unit": found.unit,
        "expected_hash": found.expected,
        "found_hash": found.found,
        "sequence": sequence,
        "plan_hash": plan_hash,
    }
    new = folder / f"{FILE}.new"
    new.write_text(json.dumps(document), encoding="utf-8")
    new.replace(folder / FILE)


def noted(folder: Path) -> JsonObject | None:
    """What was kept in the folder of the run; None where nothing is that can be read."""
    try:
        found = json.loads((folder / FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.keys() >= _MEMBERS else None


def forget(folder: Path) -> None:
    """A driver goes on with the run: nothing diverges any more."""
    (folder / FILE).unlink(missing_ok=True)
