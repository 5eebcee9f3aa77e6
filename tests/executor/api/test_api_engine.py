"""The engine of a host program: runs side by side, looked at, asked and stopped."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

import pytest

import akm

PATIENCE_S = 60.0
ASKS = "step ask: wait signal go { output string, timeout 1h, on passed -> completed, on expired -> failed }"


class Program(Protocol):
    here: Path
    store: Path

    def workflow(self, steps: str, name: str = ...) -> Path: ...
    def notes(self) -> list[str]: ...


async def until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


def test_runs_go_on_side_by_side_and_block_nothing(program: Program) -> None:
    plan = program.workflow("step a: exec hangs { on passed -> completed }")

    async def go() -> list[str]:
        async with akm.Engine(program.store) as engine:
            runs = [await engine.start(plan) for _ in range(3)]
            await until(lambda: len(program.notes()) == 3)
            (program.here / "go").touch()
            return [(await run.end()).status for run in runs]

    assert asyncio.run(go()) == ["completed"] * 3


def test_the_same_id_is_the_same_run(program: Program) -> None:
    plan = program.workflow("step a: exec nothing { on passed -> completed }")
    first = akm.run(plan, store=program.store, run_id="r")
    assert akm.run(plan, store=program.store, run_id="r") == first
    assert program.notes() == ["a#1/1"]
    with pytest.raises(akm.StoreFault, match="another plan"):
        akm.run(program.workflow(ASKS, "other"), store=program.store, run_id="r")


def test_a_waiting_driver_takes_a_signal_that_comes(program: Program) -> None:
    async def go() -> akm.RunResult:
        async with akm.Engine(program.store) as engine:
            run = await engine.start(program.workflow(ASKS), limits=akm.Limits(wait=True))
            await engine.signal(run.id, "go", "now")
            return await run.end()

    found = asyncio.run(go())
    assert (found.status, found.outputs) == ("completed", {"ask": "now"})


def test_a_request_that_cannot_count_is_refused_by_name(program: Program) -> None:
    async def go() -> None:
        async with akm.Engine(program.store) as engine:
            run = await engine.start(program.workflow(ASKS))
            assert (await run.end()).cause == "waiting"
            with pytest.raises(akm.RequestRefused):
                await engine.signal(run.id, "other")
            with pytest.raises(akm.RequestRefused):
                await engine.approve(run.id, "ask", by="alice")
            with pytest.raises(akm.RequestRefused):
                await engine.resolve(run.id, "ask", action="mark-failed", by="alice", reason="so")
            with pytest.raises(akm.UnknownRun):
                await engine.status("nobody")

    asyncio.run(go())


def test_events_come_once_each_in_order_until_nobody_drives(program: Program) -> None:
    async def go() -> list[akm.RunEvent]:
        async with akm.Engine(program.store) as engine:
            run = await engine.start(program.workflow("step a: exec hangs { on passed -> completed }"))
            seen = []
            async for event in engine.events(run.id):
                seen.append(event)
                if event.name == "attempt.start":
                    (program.here / "go").touch()
            later = [event async for event in engine.events(run.id, after=seen[-1].sequence - 1)]
            assert later == seen[-1:]
            return seen

    seen = asyncio.run(go())
    assert [event.sequence for event in seen] == list(range(1, len(seen) + 1))
    assert (seen[0].name, seen[-1].name) == ("run.create", "run.complete")


def test_leaving_the_engine_parks_what_runs_and_a_resume_goes_on(program: Program) -> None:
    async def go() -> akm.Run:
        async with akm.Engine(program.store) as engine:
            run = await engine.start(program.workflow("step a: exec waits { on passed -> completed }"), run_id="r")
            await until(lambda: program.notes() == ["began"])
        return run

    run = asyncio.run(go())
    assert program.notes() == ["began", "cancelled"]
    assert asyncio.run(run.end()).cause == "interrupt"
    assert not asyncio.run(akm.Engine(program.store).status("r")).ended


def test_cancelling_a_driven_run_stops_its_coroutine(program: Program) -> None:
    async def go() -> akm.RunResult:
        async with akm.Engine(program.store) as engine:
            run = await engine.start(program.workflow("step a: exec waits { on passed -> completed }"))
            await until(lambda: program.notes() == ["began"])
            await engine.cancel(run.id, by="alice")
            return await run.end()

    assert asyncio.run(go()).status == "cancelled"
    assert program.notes() == ["began", "cancelled"]


def test_a_driven_run_is_leased(program: Program) -> None:
    async def go() -> None:
        async with akm.Engine(program.store) as engine:
            run = await engine.start(program.workflow(ASKS), limits=akm.Limits(wait=True))
            with pytest.raises(akm.LeaseHeld):
                await engine.resume(run.id)
            run.stop()
            assert (await run.end()).cause == "interrupt"

    asyncio.run(go())


def test_a_plain_call_says_what_to_use_where_a_loop_runs(program: Program) -> None:
    async def inside() -> None:
        akm.run(program.workflow(ASKS), store=program.store)

    with pytest.raises(RuntimeError, match=r"akm\.Engine"):
        asyncio.run(inside())
    assert not program.store.exists()


def test_every_public_name_is_there() -> None:
    assert all(getattr(akm, name) is not None for name in akm.__all__)


SCRIPTED = "step a: exec nothing { on passed -> completed, on failed -> failed }"


def test_a_script_stands_in_for_every_tool_and_every_record_says_so(program: Program) -> None:
    plan = program.workflow(SCRIPTED)
    found = akm.run(plan, store=program.store, run_id="r", simulate={"a": {"exit": 1}})
    assert (found.status, found.simulated, program.notes()) == ("failed", True, [])
    assert akm.run(plan, store=program.store, run_id="r", simulate={"a": {"exit": 1}}) == found
    script = program.here / "script.json"
    script.write_text('{"a": {"exit": 0}}', encoding="utf-8")
    assert akm.run(plan, store=program.store, simulate=script).status == "completed"


@pytest.mark.parametrize(
    "script", [{"b": {"exit": 0}}, {"a": {"exit": float("nan")}}, {"a": object()}, "missing.json"]
)
def test_a_script_that_does_not_fit_makes_no_run(program: Program, script: Any) -> None:
    with pytest.raises(akm.ScriptRefused):
        akm.run(program.workflow(SCRIPTED), store=program.store, simulate=script)
    assert not program.store.exists() or program.notes() == []


def test_a_run_is_not_the_same_with_another_script_or_none(program: Program) -> None:
    plan = program.workflow(SCRIPTED)
    akm.run(plan, store=program.store, run_id="r", simulate={"a": {"exit": 0}})
    for other in (None, {"a": {"exit": 1}}):
        with pytest.raises(akm.StoreFault, match="script"):
            akm.run(plan, store=program.store, run_id="r", simulate=other)
