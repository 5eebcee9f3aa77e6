"""Every way to stop an engine from outside: what it is told, and that nothing is left of it anywhere."""

import os
import pty
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

SCRIPT = str(Path(sys.executable).parent / "akm")
#: A tool with a child that has left its session; and one that, besides, does not go when it is asked.
BEGINS = "setsid -f sleep 300; echo began >> began; until test -e go; do sleep 0.05; done"
REGISTRY = f"""
tool willing  {{ argv ["sh", "-c", "{BEGINS}"], effect read_only }}
tool stubborn {{ argv ["sh", "-c", "trap '' TERM; {BEGINS}"], effect read_only }}
"""
STEP = "step a: exec TOOL { recover 9, on passed -> completed }"


def nothing_is_left(person: "Person") -> None:
    """No process, no lease, no lock and no temporary file, and the run goes on to its end."""
    assert person.living() == []
    assert person.told("status", "r")["driver"] is None
    left = [path for path in (person.here / ".akm").rglob("*") if path.is_file()]
    strange = [path for path in left if any(sign in path.name for sign in (".tmp", ".lock", ".pid", "~"))]
    assert strange == []
    assert list((person.here / "tmp").iterdir()) == []
    person.lets_go()
    assert person.told("resume", "r")["status"] == "completed"
    assert person.living() == []
    person.does("verify", "r")


def words(person: "Person", tool: str = "willing") -> list[str]:
    """What to type to run a step of this tool. Temporary files would go to a folder of their own."""
    (person.here / "tmp").mkdir()
    person.environment["TMPDIR"] = str(person.here / "tmp")
    return [sys.executable, SCRIPT, "run", person.plan(STEP.replace("TOOL", tool), REGISTRY), "--id", "r"]


def held(person: "Person", *before: str, tool: str = "willing") -> "subprocess.Popen[str]":
    """An engine behind other words, once its tool has begun."""
    engine = subprocess.Popen(
        [*before, *words(person, tool)],
        cwd=person.here,
        env=person.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    person.until(lambda: (person.here / "began").exists())
    return engine


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_everything(person: "Person", number: int) -> None:
    engine = held(person)
    engine.send_signal(number)
    _, err = engine.communicate(timeout=60)
    assert engine.returncode == 130, err
    assert "Traceback" not in err
    nothing_is_left(person)


def test_signals_again_and_again_end_even_what_does_not_want_to(person: "Person") -> None:
    engine = held(person, tool="stubborn")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGINT):
        engine.send_signal(number)
    _, err = engine.communicate(timeout=60)
    assert (engine.returncode, "Traceback" in err) == (130, False)
    nothing_is_left(person)


def on_a_terminal(person: "Person") -> tuple[int, int]:
    """An engine on a terminal of its own, once its tool has begun: its process, and our end of the terminal."""
    argv = words(person)
    pid, terminal = pty.fork()
    if pid == 0:
        with suppress(OSError):
            os.chdir(person.here)
            os.execve(argv[0], argv, person.environment)
        os._exit(127)
    person.until(lambda: (person.here / "began").exists())
    return pid, terminal


def test_a_terminal_that_is_closed_stops_the_run(person: "Person") -> None:
    pid, terminal = on_a_terminal(person)
    os.close(terminal)  # whoever has it as a terminal gets SIGHUP, and can write there no more
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    nothing_is_left(person)


def test_control_c_typed_twice_on_a_terminal_is_one_interrupt(person: "Person") -> None:
    pid, terminal = on_a_terminal(person)
    os.write(terminal, b"\x03\x03")
    shown = b""
    with suppress(OSError):  # how a terminal says that nobody writes to it any more
        while data := os.read(terminal, 4096):
            shown += data
    os.close(terminal)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == 130
    assert b"Traceback" not in shown
    assert b"interrupted; nothing of it is running" in shown
    nothing_is_left(person)


def has_namespaces() -> bool:
    """Whether this machine lets us be process 1 of a namespace of our own."""
    if shutil.which("unshare") is None:
        return False
    words = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child", "true")
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def first_process() -> tuple[str, ...]:
    """Words that make what follows process 1."""
    if not has_namespaces():
        pytest.skip("this machine allows no pid namespace of one's own")
    return ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")


def test_as_process_1_it_runs_and_reaps_what_its_tools_leave(
    person: "Person", first_process: tuple[str, ...]
) -> None:
    (person.here / "tmp").mkdir()
    registry = """tool leaves { argv ["sh", "-c", "setsid -f sleep 300; true"], effect read_only }"""
    plan = person.plan("step a: exec leaves { on passed -> completed }", registry)
    words = [*first_process, sys.executable, SCRIPT, "run", plan, "--id", "r"]
    ended = subprocess.run(words, cwd=person.here, env=person.environment, capture_output=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert person.living() == []
    person.does("verify", "r")


def test_as_process_1_a_signal_stops_it_as_anywhere(person: "Person", first_process: tuple[str, ...]) -> None:
    engine = held(person, *first_process)
    (inner,) = children(engine.pid)
    os.kill(inner, signal.SIGTERM)
    _, err = engine.communicate(timeout=60)
    assert engine.returncode == 130, err
    nothing_is_left(person)


def children(pid: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
