"""The form in which measurements are written down."""

import json
import platform
import subprocess
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]


def record(path: Path, says: str, command: str, name: str, numbers: object, of: str | None = None) -> None:
    """Add `numbers` to the list `name` in the record at `path`, with the sources and the Python they are of.

    `of` says of which sources, where it is not these."""
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=12"]
    ended = subprocess.run(describe, cwd=CHECKOUT, capture_output=True, text=True, check=True)
    earlier = json.loads(path.read_text(encoding="utf-8"))[name] if path.exists() else []
    added = {"commit": of or ended.stdout.strip(), "python": platform.python_version(), "numbers": numbers}
    document = {"says": says, "command": command, name: [*earlier, added]}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
