"""Signals, terminals and pipes: how `akm` behaves in a shell."""

import json
import os
import pty
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
HOLD = "step a: exec hold { recover 9, on passed -> completed }"
TWO = """
  step a: exec good { on passed -> b }
  step b: exec good { on passed -> completed }
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_stops_the_engine_cleanly_and_resume_goes_on(person: "Person", number: int) -> None:
    engine = person.holds(HOLD)
    engine.send_signal(number)
    out, err = engine.communicate(timeout=60)
    assert engine.returncode == 130, err
    assert "interrupted; nothing of it is running" in out
    assert "akm resume r" in out
    assert "Traceback" not in err
    assert person.living() == []
    assert person.told("status", "r")["driver"] is None
    person.lets_go()
    assert person.told("resume", "r")["status"] == "completed"
    person.does("verify", "r")


def test_an_interrupt_while_it_waits_is_an_interrupt(person: "Person") -> None:
    engine = person.begins(
        "run", person.plan("step nap: wait 1h { on passed -> completed }"), "--id", "r", "--wait"
    )
    person.until(lambda: (person.akm("status", "r").out or "").find("waits") > 0)
    engine.send_signal(signal.SIGINT)
    assert engine.wait(60) == 130
    person.does("resume", "r", code=4)


@pytest.mark.parametrize("module", ["akm.cli.parser", "akm.engine.driver", "akmc.pipeline"])
def test_an_interrupt_while_it_only_starts_is_no_traceback(person: "Person", module: str) -> None:
    """The moment at which `module` is about to be loaded stands for any before there is a driver."""
    program = f"""
import os, signal, sys
class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupting())
from akm.cli import main
sys.exit(main(["run", "work.akm"]))
"""
    person.write("registry.akm", 'tool good { argv ["true"] }\n')
    person.write("work.akm", f'workflow work "Work" {{ {TWO} }}\n')
    argv = [sys.executable, "-c", program]
    ended = subprocess.run(
        argv, cwd=person.here, env=person.environment, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (130, "", "")
    assert not (person.here / ".akm").exists()


def test_many_signals_at_once_are_one_interrupt(person: "Person") -> None:
    engine = person.holds(HOLD)
    for _ in range(5):
        engine.send_signal(signal.SIGTERM)
        engine.send_signal(signal.SIGINT)
    assert engine.wait(60) == 130
    assert "Traceback" not in engine.communicate()[1]
    assert person.living() == []


def test_an_interrupt_that_leaves_an_effect_unproven_says_so(person: "Person") -> None:
    engine = person.holds("step pay: exec pay { on passed -> completed }")
    engine.terminate()
    assert engine.wait(60) == 130
    assert person.told("status", "r")["status"] == "blocked_uncertain"
    person.does("resume", "r", code=5)


def test_an_interrupted_json_run_prints_one_document(person: "Person") -> None:
    plan = person.plan(HOLD)
    engine = person.begins("run", plan, "--id", "r", "--json")
    person.until(lambda: (person.here / "began").exists())
    engine.terminate()
    out, _ = engine.communicate(timeout=60)
    told = json.loads(out)
    assert (told["status"], told["resume"]) == ("running", "akm resume r")


def test_a_signal_that_a_shell_ignores_stays_ignored(person: "Person") -> None:
    plan = person.plan(HOLD)
    script = f'trap "" HUP; exec "{sys.executable}" "{SCRIPT}" run {plan} --id r'
    with subprocess.Popen(
        ["sh", "-c", script], cwd=person.here, env=person.environment, stderr=subprocess.DEVNULL
    ) as engine:
        person.until(lambda: (person.here / "began").exists())
        engine.send_signal(signal.SIGHUP)
        person.lets_go()
        assert engine.wait(60) == 0


def test_an_open_pipe_on_standard_input_holds_nothing_up(person: "Person") -> None:
    """Neither the engine nor a tool that reads its input waits for what nobody sends."""
    registry = 'tool reads { argv ["cat"], effect read_only }\n'
    plan = person.plan("step a: exec reads { on passed -> completed }", registry)
    with subprocess.Popen(
        [sys.executable, SCRIPT, "run", plan],
        cwd=person.here,
        env=person.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as engine:
        assert engine.wait(60) == 0


@pytest.mark.parametrize(
    "words", [("log", "r"), ("export", "r"), ("status", "r", "--json"), ("run", "r"), ("--help",)]
)
def test_a_reader_that_went_away_is_no_traceback(person: "Person", words: tuple[str, ...]) -> None:
    person.does("run", person.plan(TWO), "--id", "r")
    reads, writes = os.pipe()
    os.close(reads)
    ended = subprocess.run(
        [sys.executable, SCRIPT, *words],
        cwd=person.here,
        env=person.environment,
        stdout=writes,
        stderr=subprocess.PIPE,
        text=True,
        timeout=60,
    )
    os.close(writes)
    assert ended.stderr == ""
    assert ended.returncode == 0, "the run completed, whoever reads that"


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_run_needs_no_standard_stream(person: "Person", closed: str) -> None:
    plan = person.plan(TWO)
    script = f'exec "{sys.executable}" "{SCRIPT}" run {plan} --id r {closed}'
    ended = subprocess.run(
        ["sh", "-c", script], cwd=person.here, env=person.environment, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, "Traceback" in ended.stderr) == (0, False)
    person.does("verify", "r")


def on_a_terminal(person: "Person", *words: str, **environment: str) -> str:
    """What a terminal gets of `akm WORDS`."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, SCRIPT, *words],
        cwd=person.here,
        env={**person.environment, **environment},
        stdin=theirs,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    ) as engine:
        os.close(theirs)
        shown = b""
        with suppress(OSError):  # how a terminal says that nobody writes to it any more
            while data := os.read(ours, 4096):
                shown += data
        os.close(ours)
        assert engine.wait(60) == 0
    return shown.decode()


def test_a_terminal_shows_the_active_step_and_redraws_its_line(person: "Person") -> None:
    shown = on_a_terminal(person, "run", person.plan(TWO))
    assert "… a (attempt 1)" in shown
    assert "\r\x1b[K" in shown
    assert "\x1b[32m✓" in shown
    assert shown.rstrip().endswith("b#1 passed → completed")


def test_a_terminal_shows_no_colour_where_nobody_wants_it(person: "Person") -> None:
    shown = on_a_terminal(person, "run", person.plan(TWO), NO_COLOR="1")
    assert "✓ a#1 passed" in shown
    assert "\x1b[3" not in shown


def test_an_optimising_python_is_refused(person: "Person") -> None:
    plan = person.plan(TWO)
    ended = subprocess.run(
        [sys.executable, "-O", SCRIPT, "run", plan],
        cwd=person.here,
        env=person.environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ended.returncode == 2
    assert "python -O" in ended.stderr
    assert not (person.here / ".akm").exists()


def test_it_is_a_module_too(person: "Person") -> None:
    argv = [sys.executable, "-m", "akm", "run", person.plan(TWO), "--json"]
    ended = subprocess.run(argv, cwd=person.here, env=person.environment, capture_output=True, timeout=60)
    assert json.loads(ended.stdout)["status"] == "completed"
