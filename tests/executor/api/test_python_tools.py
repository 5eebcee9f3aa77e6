"""Tools that are functions: what they get, what comes of it, and what a crash or a timeout leaves."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Protocol

import pytest

import akm


class Program(Protocol):
    here: Path
    store: Path

    def workflow(self, steps: str, name: str = ...) -> Path: ...
    def notes(self) -> list[str]: ...


def ends(program: Program, steps: str, **given: Any) -> akm.RunResult:
    return akm.run(program.workflow(steps), given.pop("parameters", None), store=program.store, run_id="r", **given)


def recorded(program: Program, name: str) -> list[Any]:
    from akm.journal.store import Store

    store = Store(program.store, create=False)
    found = [one.event.data for one in store.recorded("r") if one.event.name == name]
    store.close()
    return found


def result(program: Program) -> Any:
    return recorded(program, "assignment.record_result")[-1]["result"]


@pytest.mark.parametrize("tool", ["echo", "echo_later", "process"])
def test_a_function_gets_the_declared_input_and_returns_the_declared_output(program: Program, tool: str) -> None:
    step = (
        f'step a: exec {tool} {{ with {{ n: 7, s: "ü" }}, output {{ n: int, s: string }}, on passed -> completed }}'
    )
    found = ends(program, step)
    assert found.status == "completed"
    assert found.outputs == {"a": {"n": 7, "s": "ü"}}


def test_a_function_without_input_gets_no_argument_and_knows_its_attempt(program: Program) -> None:
    assert ends(program, "step a: exec nothing { on passed -> completed }").status == "completed"
    assert program.notes() == ["a#1/1"]


def test_the_key_is_that_of_the_effect(program: Program) -> None:
    ends(program, "step a: exec echo_later { with { n: 1 }, on passed -> completed }")
    assert program.notes() == [recorded(program, "effect.create")[0]["key"]]


def test_an_agent_may_be_a_function(program: Program) -> None:
    found = ends(program, 'step a: agent writer { prompt "Go.", output { text: string }, on passed -> completed }')
    assert found.outputs == {"a": {"text": "Go."}}


def test_functions_of_a_map_run_side_by_side(program: Program) -> None:
    steps = """
    param items: list of int = [3, 1, 2]
    step a: map it in params.items {
      run tool echo_later, output { item: int }, parallel 3, on passed -> completed, on failed -> failed
    }
    """
    found = ends(program, steps)
    assert found.outputs == {"a": [{"item": 3}, {"item": 1}, {"item": 2}]}


@pytest.mark.parametrize(
    ("tool", "code"), [("fails", "exit_1"), ("leaves", "exit_3"), ("no_json", "output_not_json")]
)
def test_what_a_function_does_wrong_fails(
    program: Program, tool: str, code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", "sentinel-4711")
    output = "with { n: 1 }, output { n: int }, " if tool == "no_json" else ""
    found = ends(program, f"step a: exec {tool} {{ {output}on passed -> completed, on failed -> cancelled }}")
    assert (found.status, found.outcome, result(program)["code"]) == ("cancelled", "failed", code)
    said = (program.store / "runs" / "r" / "a.1.1" / "stderr").read_text()
    assert ("no JSON" if tool == "no_json" else "line") in said
    assert "sentinel" not in said


def test_the_exit_code_of_a_function_is_an_outcome_where_the_step_says_so(program: Program) -> None:
    found = ends(program, "step a: exec leaves { exit 3 -> partly, on passed -> failed, on partly -> completed }")
    assert (found.status, found.outcome) == ("completed", "partly")


def test_a_run_whose_function_is_missing_does_not_begin(program: Program) -> None:
    found = ends(program, "step a: exec missing { on passed -> completed }")
    assert found.status == "failed"
    assert found.reason is not None
    assert "fixture_tools:absent" in found.reason["message"]


def test_a_changed_module_is_not_called(program: Program) -> None:
    from akmc.pipeline import compile_workflow
    from akmc.source import Source

    source = program.workflow("step a: exec nothing { on passed -> completed }")
    registry = program.here / "registry.akm"
    plan = compile_workflow(Source.read(str(source)), Source.read(str(registry)))
    (program.here / "work.plan.json").write_bytes(plan.data)
    tools = program.here / "fixture_tools.py"
    tools.write_text(tools.read_text() + "# more\n")
    found = akm.run(program.here / "work.plan.json", store=program.store)
    assert found.status == "failed"
    assert found.reason is not None
    assert "not the file that the plan pins" in found.reason["message"]
    assert program.notes() == []


def test_a_coroutine_is_cancelled_at_its_timeout(program: Program) -> None:
    found = ends(program, "step a: exec waits { timeout 50ms, on passed -> failed, on timed_out -> completed }")
    assert (found.status, found.outcome) == ("completed", "timed_out")
    assert program.notes() == ["began", "cancelled"]


def test_a_thread_beyond_its_timeout_has_timed_out_where_it_may_be_repeated(program: Program) -> None:
    found = ends(program, "step a: exec hangs { timeout 50ms, on passed -> failed, on timed_out -> completed }")
    assert (found.status, found.outcome) == ("completed", "timed_out")


def test_a_thread_beyond_its_timeout_blocks_where_it_may_not_be_repeated(program: Program) -> None:
    found = ends(program, "step a: exec mails { timeout 50ms, on passed -> completed, on timed_out -> failed }")
    assert found.status == "blocked_uncertain"
    assert found.uncertain[0]["tried"] == {"survivors": ["function fixture_tools:hangs still runs"]}


@pytest.mark.parametrize(("tool", "status", "calls"), [("dies", "completed", 2), ("pays", "blocked_uncertain", 1)])
def test_the_class_decides_what_becomes_of_a_call_whose_process_died(
    program: Program, tool: str, status: str, calls: int
) -> None:
    source = program.workflow(f"step a: exec {tool} {{ attempts 2, on passed -> completed }}")
    script = f"import akm; akm.run({str(source)!r}, store={str(program.store)!r}, run_id='r')"
    environment = {**os.environ, "PYTHONPATH": str(program.here)}
    died = subprocess.run([sys.executable, "-c", script], env=environment, timeout=60, check=False)
    assert died.returncode == 9
    assert akm.resume("r", store=program.store).status == status
    assert program.notes() == ["died"] * calls


def test_a_call_that_was_not_begun_is_simply_made(program: Program) -> None:
    """Parked between intent and call: even what may not be repeated needs no question."""
    steps = "step a: exec echo { with { n: 1 }, on passed -> b }\nstep b: exec pays { on passed -> completed }"
    (program.here / "notes").write_text("died\n")
    parked = ends(program, steps, limits=akm.Limits(steps_max=1))
    assert parked.cause == "step_limit"
    assert akm.resume("r", store=program.store).status == "completed"
    assert program.notes() == ["died", "died"]
