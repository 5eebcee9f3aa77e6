"""What is asked for often starts fast: `akm --version` loads nothing that it does not use."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

from akmc.pipeline import compile_workflow
from akmc.source import Source

SCRIPT = Path(sys.executable).parent / "akm"
AKMC = SCRIPT.with_name("akmc")
#: How much longer than an empty Python program `akm --version` may take.
RATIO_MAX = 4.0
ROUNDS = 15
#: Other work on the machine can spoil one measurement, not a slow start that is ours.
MEASUREMENTS = 3
#: How many modules a command may load, those of Python's own start among them. Each costs some tenths of a
#: millisecond; the ceilings leave room for what versions of Python differ in.
VERSION_MODULES_MAX = 65
STATUS_MODULES_MAX = 165
COMPILE_MODULES_MAX = 240
#: Costly libraries, and what only a part of the commands needs.
NOT_LOADED = {
    *("asyncio", "jsonschema", "lark", "opentelemetry", "psutil", "pydantic", "rfc8785", "sqlite3", "transitions")
}


def seconds(*argv: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *argv], check=True, stdout=subprocess.DEVNULL, timeout=60)
    return time.perf_counter() - start


def ratio() -> float:
    """How many times as long as `python -c pass`: medians of runs that take turns."""
    pairs = [(seconds(str(SCRIPT), "--version"), seconds("-c", "pass")) for _ in range(ROUNDS)]
    return statistics.median(ours for ours, _ in pairs) / statistics.median(empty for _, empty in pairs)


def modules(*words: str, cwd: Path | None = None, script: Path = SCRIPT) -> set[str]:
    """The modules that `akm WORDS` imports."""
    argv = [sys.executable, "-X", "importtime", str(script), *words]
    ended = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, timeout=60)
    found = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert script.name in found
    return found


def loaded(*words: str, cwd: Path | None = None, script: Path = SCRIPT) -> set[str]:
    """The top-level packages that `akm WORDS` imports."""
    return {module.partition(".")[0] for module in modules(*words, cwd=cwd, script=script)}


def test_version_imports_no_costly_library() -> None:
    assert not loaded("--version") & NOT_LOADED
    assert len(modules("--version")) <= VERSION_MODULES_MAX


def test_looking_at_a_run_imports_neither_compiler_nor_engine_libraries(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    source = Source("work.akm", 'workflow work "Work" { step a: exec good { on passed -> completed } }\n')
    registry = Source("registry.akm", 'tool good { argv ["true"] }\n')
    (tmp_path / "work.plan.json").write_bytes(compile_workflow(source, registry).data)
    subprocess.run([sys.executable, str(SCRIPT), "run", "work.plan.json", "--id", "r"], cwd=tmp_path, check=True)
    for words in (("status", "r"), ("list",), ("log", "r"), ("status", "r", "--json")):
        found = loaded(*words, cwd=tmp_path)
        assert "sqlite3" in found
        assert not found & (NOT_LOADED - {"sqlite3"}), words
    found = modules("status", "r", cwd=tmp_path)
    assert not found & {"akm.journal.append", "akm.journal.history", "akm.kernel.state"}
    assert len(found) <= STATUS_MODULES_MAX


def test_compiling_loads_neither_the_parser_library_nor_what_only_values_need(tmp_path: Path) -> None:
    """A pattern, a default or a route has values to look at; this workflow has none."""
    (tmp_path / "work.akm").write_text(
        'workflow work "Work" { step a: exec good { output { n: int }, on passed -> completed } }', encoding="utf-8"
    )
    (tmp_path / "registry.akm").write_text('tool good { argv ["true"] }', encoding="utf-8")
    found = modules("compile", "work.akm", cwd=tmp_path, script=AKMC)
    assert (tmp_path / "work.plan.json").exists()
    assert not {module.partition(".")[0] for module in found} & (NOT_LOADED | {"re2"})
    assert len(found) <= COMPILE_MODULES_MAX


def test_version_takes_at_most_four_times_an_empty_program() -> None:
    found: list[float] = []
    while not found or (found[-1] > RATIO_MAX and len(found) < MEASUREMENTS):
        found.append(ratio())
    assert found[-1] <= RATIO_MAX, found
