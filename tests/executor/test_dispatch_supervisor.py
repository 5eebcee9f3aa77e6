"""A supervisor on its own: on hosts of other kinds, and when there is no engine to tell."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import akm
import akm_specs
from akm.dispatch.crew import Supervisor
from akm.dispatch.found import Supervised, look
from akm.dispatch.host import host_table
from akm.dispatch.identity import is_alive
from akm.dispatch.supervisor.request import Request

DEADLINE_S = 30.0

#: Sees one process through on a table of the test's choice, and prints its end.
ALONE = """
    import json, os, sys
    from akm.dispatch.host import host_table
    from akm.dispatch.psutil_table import PsutilTable
    from akm.dispatch.supervisor.life import Life
    from akm.dispatch.supervisor.main import prepare
    from akm.dispatch.supervisor.request import Request

    class Forbidding(type(host_table())):
        "This host's table, without the right to signal the process whose pid is in the file `child`."
        def send(self, row, number):
            if row.pid == int(open(sys.argv[1] + "/child").read()):
                raise PermissionError(row.pid)
            super().send(row, number)

    table = {"host": host_table, "psutil": PsutilTable, "forbidding": Forbidding}[sys.argv[2]]()
    here = sys.argv[1]
    request = Request(
        here + "/attempt", "w", "t", 1, ("/bin/sh", "-c", sys.argv[3]), here, {"PATH": os.environ["PATH"]}, None,
        (), 60_000, 100, 1000,
    )
    life = Life(request, prepare(table))
    print(json.dumps(life.run()))
    life.flush()
    life.close()
"""


def poll(found: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not found():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.005)


def runs(pid: int) -> bool:
    row = host_table().row(pid)
    return row is not None and not row.ended


def alone(here: Path, table: str, script: str) -> Any:
    (here / "attempt").mkdir()
    argv = (sys.executable, "-c", dedent(ALONE), here, table, script)
    return json.loads(subprocess.run(argv, check=True, capture_output=True, timeout=DEADLINE_S).stdout)


@pytest.mark.parametrize("table", ["host", "psutil"])
def test_a_detached_child_is_found_and_ended_with_either_table(tmp_path: Path, table: str) -> None:
    detached = "import os, time; os.setsid(); open('pid', 'w').write(str(os.getpid())); time.sleep(600)"
    end = alone(
        tmp_path, table, f'({sys.executable} -c "{detached}" &); until test -s pid; do sleep 0.01; done; exit 3'
    )
    assert (end["exit_code"], end["survivors"]) == (3, [])
    assert not runs(int((tmp_path / "pid").read_text()))


def test_what_may_not_be_killed_is_told_as_a_survivor_and_hangs_nothing(tmp_path: Path) -> None:
    """It also keeps standard output open, which is read no longer than a moment."""
    end = alone(tmp_path, "forbidding", "sleep 600 & echo $! > child; echo bye")
    child = int((tmp_path / "child").read_text())
    assert (end["exit_code"], end["survivors"]) == (0, [child])
    assert (tmp_path / "attempt" / "stdout").read_text() == "bye\n"
    os.kill(child, signal.SIGKILL)


def request(here: Path, script: str, **other: Any) -> Request:
    (here / "attempt").mkdir()
    environment = {"PATH": os.environ["PATH"]}
    argv = ("/bin/sh", "-c", script)
    made = Request(
        str(here / "attempt"), "w", f"{here}", 1, argv, str(here), environment, None, (), 60_000, 500, 1000
    )
    return made._replace(**other)


def left_alone(here: Path, script: str, **other: Any) -> Supervised:
    """What is recorded of a process whose engine went away as soon as it ran, once it has ended."""
    supervisor = Supervisor()
    supervisor.ask(request(here, script, **other))
    poll(lambda: (here / "began").exists(), "it runs")
    supervisor.leave(at_work=True)
    (here / "go").touch()
    poll(lambda: isinstance(found := look(here / "attempt"), Supervised) and found.end is not None, "it ends")
    found = look(here / "attempt")
    assert isinstance(found, Supervised)
    poll(lambda: not is_alive(found.supervisor), "its supervisor ends too")
    return found


WAITS = "echo $$ > began; until test -e go; do sleep 0.01; done;"


def test_without_an_engine_the_end_and_the_output_are_recorded_all_the_same(tmp_path: Path) -> None:
    end = left_alone(tmp_path, f"{WAITS} echo hunter2; exit 7", spellings=(b"hunter2",)).end
    assert end is not None
    assert (end.exit_code, end.signal, end.timed_out, end.stopped) == (7, None, False, False)
    assert end.stdout.path.read_text() == "***\n"


def test_without_an_engine_the_output_is_bounded_all_the_same(tmp_path: Path) -> None:
    end = left_alone(tmp_path, f"{WAITS} head -c 3000000 /dev/zero").end
    assert end is not None
    assert (end.exit_code, end.stdout.truncated, end.stdout.bytes) == (0, True, 3_000_000)
    assert end.stdout.path.stat().st_size < 1100


def test_without_an_engine_the_timeout_ends_it_all_the_same(tmp_path: Path) -> None:
    end = left_alone(tmp_path, "echo $$ > began; sleep 600 & sleep 600", timeout_ms=500).end
    assert end is not None
    assert end.timed_out
    assert not runs(int((tmp_path / "began").read_text()))


def test_a_supervisor_takes_no_signal_for_a_reason_to_leave_its_process(tmp_path: Path) -> None:
    supervisor = Supervisor()
    supervisor.ask(request(tmp_path, f"{WAITS} exit 7"))
    poll(lambda: (tmp_path / "began").exists(), "it runs")
    found = look(tmp_path / "attempt")
    assert isinstance(found, Supervised)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1, signal.SIGCHLD):
        os.kill(found.supervisor.pid, number)
    (tmp_path / "go").touch()
    told = supervisor.hear()
    assert told is not None
    assert (told[0], told[1]["exit_code"], told[1]["stopped"]) == ("ended", 7, False)
    supervisor.leave()


def test_an_idle_supervisor_ends_with_its_engine() -> None:
    engine = (
        "import os, signal; from akm.dispatch.processes import Processes; from akm.dispatch.crew import Supervisor;"
        "one = Supervisor(); print(one._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    told = subprocess.run((sys.executable, "-c", engine), capture_output=True, text=True, timeout=DEADLINE_S)
    poll(lambda: not runs(int(told.stdout)), "it is gone")


def test_a_supervisor_loads_next_to_nothing() -> None:
    """It has to be there before the first process is to start."""
    program = "import sys; sys.path[:0] = sys.argv[1:]; import akm.dispatch.supervisor.main; print(*sys.modules)"
    roots = [str(Path(module.__file__ or "").parents[1]) for module in (akm, akm_specs)]
    argv = (sys.executable, "-I", "-S", "-c", program, *roots)
    loaded = set(subprocess.run(argv, check=True, capture_output=True, text=True).stdout.split())
    assert "akm.dispatch.supervisor.main" in loaded
    assert not loaded & {"dataclasses", "inspect", "pathlib", "subprocess", "threading", "logging", "psutil"}
    assert len(loaded) < 100
