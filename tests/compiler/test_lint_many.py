"""Checking many files at once: the findings of each alone, and no trace of it when it is interrupted."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from akmc.lint import lint
from akmc.parallel import INPUTS_MIN, each_in_order
from akmc.reports.json import to_json
from akmc.walk import Sources, sources_under

REGISTRY = 'tool build { argv ["make"] }\n'
FILES = INPUTS_MIN * 2


def workflow(name: str, tool: str) -> str:
    return f'workflow {name} "Build" {{ step build: exec {tool} {{ on passed -> completed }} }}\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    for number in range(FILES):
        text = workflow(f"w{number}", "build" if number % 3 else "biuld")
        (tmp_path / f"w{number:03}.akm").write_text(text, encoding="utf-8")
    (tmp_path / "w500.akm").write_bytes(b"\xff")
    return tmp_path


def alone(*arguments: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Runs Python in a process of its own: one with threads, as that of a test may be, does not start others."""
    command = [sys.executable, "-W", "error", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_many_files_give_what_each_gives_by_itself(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    sources = sources_under(["."])
    assert len(sources.files) >= INPUTS_MIN
    each = [lint(Sources((path,), ())) for path in sources.files]
    together = json.loads(alone("-m", "akmc", "lint", ".", "--format", "json", folder=folder).stdout)
    assert together["diagnostics"] == [to_json(found) for one in each for found in one.findings]
    assert len(together["diagnostics"]) == len(range(0, FILES, 3))
    assert together["unreadable"] == [str(error) for one in each for error in one.unreadable]


def test_a_finding_counts_once_however_many_paths_lead_to_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flows").mkdir()
    Path("registry.akm").write_text(REGISTRY, encoding="utf-8")
    Path("child.akm").write_text(workflow("child", "biuld"), encoding="utf-8")
    Path("flows", "registry.akm").write_text(REGISTRY * 2, encoding="utf-8")
    child = 'step child: workflow "../child.akm" { on completed -> tidy, on cancelled -> failed }'
    tidy = "step tidy: exec build { on passed -> completed }"
    for name in ("one", "two"):
        Path("flows", f"{name}.akm").write_text(f'workflow {name} "P" {{ {child}, {tidy} }}\n', encoding="utf-8")
    linted = lint(sources_under(["./flows/registry.akm", "flows", "."]))
    assert [(found.path, found.code) for found in linted.findings] == [
        ("child.akm", "AKM2011"),
        ("flows/registry.akm", "AKM5001"),
    ]


def test_a_named_registry_reaches_every_process(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    registry = tmp_path_factory.mktemp("elsewhere") / "tools.akm"
    registry.write_text('tool biuld { argv ["make"] }\n', encoding="utf-8")
    ended = alone("-m", "akmc", "lint", ".", "--registry", str(registry), "--format", "json", folder=folder)
    found = json.loads(ended.stdout)["diagnostics"]
    assert [each["code"] for each in found] == ["AKM2011"] * (FILES - len(range(0, FILES, 3)))


def test_an_interrupt_ends_all_of_it_without_a_word(folder: Path) -> None:
    for number in range(1_000, 4_000):
        (folder / f"w{number}.akm").write_text(workflow(f"w{number}", "build"), encoding="utf-8")
    command = [sys.executable, "-m", "akmc", "lint", str(folder)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        deadline = time.monotonic() + 30
        while not children(process.pid) and process.poll() is None:
            assert time.monotonic() < deadline, "no further process was started"
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the command
        _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (130, b"")


def children(pid: int) -> list[int]:
    if not Path(f"/proc/{pid}/task").is_dir():
        pytest.skip("this system does not tell who a process started")
    try:
        return [int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    except FileNotFoundError:
        return []


#: What `each_in_order` does with processes, told by exit codes and by what is printed.
KILLED = """
import os, signal
from akmc.parallel import INPUTS_MIN, WorkLost, each_in_order

def die_at_the_last(number):
    if number == INPUTS_MIN - 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return number

try:
    list(each_in_order(die_at_the_last, range(INPUTS_MIN)))
except WorkLost as lost:
    print(lost)
"""
FAULT = """
from akmc.parallel import INPUTS_MIN, each_in_order

try:
    list(each_in_order(lambda number: 1 // number, range(INPUTS_MIN)))
except RuntimeError as error:
    print(error)
"""
STOPPED_EARLY = """
import os
from pathlib import Path
from akmc.parallel import INPUTS_MIN, each_in_order

def children():
    return Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()

results = each_in_order(lambda number: "x" * 100_000, range(INPUTS_MIN * 10))
assert len(next(results)) == 100_000
assert children(), "no process was started"
results.close()
print(children())
"""
on_several_processors = pytest.mark.skipif(
    sys.platform != "linux" or len(os.sched_getaffinity(0)) == 1, reason="one process does it all here"
)


@on_several_processors
def test_a_process_that_is_killed_is_told_with_the_input_that_has_no_result() -> None:
    ended = alone("-c", KILLED)
    told = "the process that was to check 47 was killed; name fewer files at a time\n"
    assert (ended.stdout, ended.stderr) == (told, "")


@on_several_processors
def test_a_fault_in_a_process_names_its_input_and_shows_no_traceback() -> None:
    ended = alone("-c", FAULT)
    assert (ended.stdout, ended.stderr) == (
        "ZeroDivisionError: integer division or modulo by zero (at 0)\n",
        "",
    )


@on_several_processors
def test_no_process_outlives_a_reader_that_stops_early() -> None:
    ended = alone("-c", STOPPED_EARLY)
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


def test_a_process_with_threads_starts_no_others() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert set(each_in_order(lambda number: os.getpid(), range(INPUTS_MIN))) == {os.getpid()}
    finally:
        done.set()
        thread.join()
