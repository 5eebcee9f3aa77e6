"""Plain calls: a run from its start, or from where it stands, to its end or until it parks.

Each opens an engine for itself. Ctrl-C stops what is under way, records what became of it, and raises
KeyboardInterrupt; `resume` goes on.
"""

import asyncio
from collections.abc import Coroutine, Mapping
from os import PathLike
from typing import Any

from akm.api.answers import RunResult
from akm.api.engine import STORE, Engine
from akm.engine.driver import Limits
from akm_specs.canonical import Json


def run(
    plan: str | PathLike[str],
    parameters: Mapping[str, Json] | None = None,
    *,
    store: str | PathLike[str] = STORE,
    run_id: str | None = None,
    workspace: str | PathLike[str] | None = None,
    limits: Limits | None = None,
    simulate: Mapping[str, Json] | str | PathLike[str] | None = None,
) -> RunResult:
    """Run a plan, or a source that is compiled first. Raises what `Engine.start` raises."""

    async def started() -> RunResult:
        async with Engine(store) as engine:
            found = await engine.start(
                plan, parameters, run_id=run_id, workspace=workspace, limits=limits, simulate=simulate
            )
            return await found.end()

    return _plainly(started())


def resume(run_id: str, *, store: str | PathLike[str] = STORE, limits: Limits | None = None) -> RunResult:
    """Drive a run on from its journal. Raises what `Engine.resume` raises."""

    async def resumed() -> RunResult:
        async with Engine(store) as engine:
            return await (await engine.resume(run_id, limits=limits)).end()

    return _plainly(resumed())


def _plainly(call: Coroutine[Any, Any, RunResult]) -> RunResult:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(call)
    call.close()
    raise RuntimeError("an event loop runs here: use `async with akm.Engine(...)`, which does not block it")
