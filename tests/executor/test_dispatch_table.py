"""Both process tables tell the same."""

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator

import pytest

from akm.dispatch.host import host_table
from akm.dispatch.psutil_table import PsutilTable
from akm.dispatch.table import ProcessTable

DEADLINE_S = 30.0

TABLES = [pytest.param(host_table, id="host"), pytest.param(PsutilTable, id="psutil")]


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> ProcessTable:
    made: ProcessTable = request.param()
    return made


@pytest.fixture
def process() -> Iterator["subprocess.Popen[bytes]"]:
    environment = {"NAME": "value = x", "OTHER_NAME": "y"}
    with subprocess.Popen(("/bin/sleep", "600"), env=environment, start_new_session=True) as started:
        yield started
        started.kill()


def poll(found: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not found():
        assert time.monotonic() < deadline, f"never happened: {what}"
        time.sleep(0.005)


def test_a_row_tells_who_a_process_is(table: ProcessTable, process: "subprocess.Popen[bytes]") -> None:
    row = table.row(process.pid)
    assert row is not None
    assert (row.pid, row.parent, row.group, row.session) == (process.pid, os.getpid(), process.pid, process.pid)
    assert not row.ended
    assert table.rows()[process.pid] == row
    own = table.row(os.getpid())
    assert own is not None
    assert own.start_time < row.start_time


def test_a_variable_and_the_command_are_those_it_was_started_with(
    table: ProcessTable, process: "subprocess.Popen[bytes]"
) -> None:
    poll(lambda: table.variable(process.pid, "NAME") == "value = x", "it has become the program")
    assert table.variable(process.pid, "AME") is None
    assert table.command(process.pid) == "sleep"


def test_only_the_very_process_is_signalled(table: ProcessTable, process: "subprocess.Popen[bytes]") -> None:
    row = table.row(process.pid)
    assert row is not None
    table.send(row._replace(start_time=row.start_time - 1), signal.SIGKILL)
    table.send(row, signal.SIGTERM)
    poll(lambda: (now := table.row(process.pid)) is not None and now.ended, "it is a zombie")
    assert process.wait() == -signal.SIGTERM
    table.send(row, signal.SIGKILL)


def test_what_is_gone_has_no_row_and_no_secrets(table: ProcessTable) -> None:
    gone = subprocess.Popen(("true",))
    gone.wait()
    assert table.row(gone.pid) is None
    assert gone.pid not in table.rows()
    assert table.variable(gone.pid, "PATH") is None
    assert table.command(gone.pid) == ""
