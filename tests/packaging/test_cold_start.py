"""What is asked for often starts fast: `akm --version` loads nothing that it does not use."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

SCRIPT = Path(sys.executable).parent / "akm"
#: How much longer than an empty Python program `akm --version` may take.
RATIO_MAX = 4.0
ROUNDS = 15
#: Other work on the machine can spoil one measurement, not a slow start that is ours.
MEASUREMENTS = 3
#: Costly libraries, and what only a part of the commands needs.
NOT_LOADED = {"asyncio", "jsonschema", "lark", "psutil", "pydantic", "rfc8785", "sqlite3", "transitions"}


def seconds(*argv: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *argv], check=True, stdout=subprocess.DEVNULL, timeout=60)
    return time.perf_counter() - start


def ratio() -> float:
    """How many times as long as `python -c pass`: medians of runs that take turns."""
    pairs = [(seconds(str(SCRIPT), "--version"), seconds("-c", "pass")) for _ in range(ROUNDS)]
    return statistics.median(ours for ours, _ in pairs) / statistics.median(empty for _, empty in pairs)


def test_version_imports_no_costly_library() -> None:
    argv = [sys.executable, "-X", "importtime", str(SCRIPT), "--version"]
    ended = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in ended.stderr.splitlines()}
    assert "akm" in loaded
    assert not loaded & NOT_LOADED


def test_version_takes_at_most_four_times_an_empty_program() -> None:
    found: list[float] = []
    while not found or (found[-1] > RATIO_MAX and len(found) < MEASUREMENTS):
        found.append(ratio())
    assert found[-1] <= RATIO_MAX, found
