"""Checking many files at once: the findings of each alone, and no trace of it when it is interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from akmc.lint import lint
from akmc.parallel import INPUTS_MIN, WorkLost, each_in_order
from akmc.source import Source
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


def test_many_files_give_what_each_gives_alone(folder: Path) -> None:
    sources = sources_under([str(folder)])
    assert len(sources.files) >= INPUTS_MIN
    together = lint(sources)
    alone = [lint(Sources((path,), ())) for path in sources.files]
    assert together.findings == tuple(found for each in alone for found in each.findings)
    assert len(together.findings) == len(range(0, FILES, 3))
    assert [str(error) for error in together.unreadable] == [str(e) for each in alone for e in each.unreadable]


def test_a_finding_counts_once_however_many_paths_lead_to_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("flows").mkdir()
    Path("registry.akm").write_text(REGISTRY, encoding="utf-8")
    Path("child.akm").write_text(workflow("child", "biuld"), encoding="utf-8")
    Path("flows", "registry.akm").write_text(REGISTRY * 2, encoding="utf-8")
    child = 'step child: workflow "../child.akm" { on completed -> completed, on cancelled -> failed }'
    for name in ("one", "two"):
        Path("flows", f"{name}.akm").write_text(f'workflow {name} "P" {{ {child} }}\n', encoding="utf-8")
    linted = lint(sources_under(["./flows/registry.akm", "flows", "."]))
    assert [(found.path, found.code) for found in linted.findings] == [
        ("child.akm", "AKM2011"),
        ("flows/registry.akm", "AKM5001"),
    ]


def test_a_named_registry_reaches_every_process(folder: Path) -> None:
    registry = Source("elsewhere.akm", 'tool biuld { argv ["make"] }\n')
    assert len(lint(sources_under([str(folder)]), registry).findings) == FILES - len(range(0, FILES, 3))


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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process does it all")
def test_a_process_that_is_killed_is_told_and_a_fault_in_one_names_its_input() -> None:
    def die_at_the_last(number: int) -> int:
        if number == INPUTS_MIN - 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    inputs = range(INPUTS_MIN)
    if len(os.sched_getaffinity(0)) == 1:
        pytest.skip("one processor is used by one process")
    with pytest.raises(WorkLost, match="was to check 47"):
        list(each_in_order(die_at_the_last, inputs))
    with pytest.raises(RuntimeError, match=r"ZeroDivisionError: .* \(at 0\)"):
        list(each_in_order(lambda number: 1 // number, inputs))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere one process does it all")
def test_no_process_outlives_a_reader_that_stops_early() -> None:
    before = set(children(os.getpid()))
    results = each_in_order(lambda number: "x" * 100_000, range(INPUTS_MIN * 10))
    assert len(next(results)) == 100_000
    results.close()
    assert set(children(os.getpid())) <= before
