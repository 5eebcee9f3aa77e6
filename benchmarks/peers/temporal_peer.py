"""Temporal: its development server with a database file, and a worker in this process."""

import asyncio
import os
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

from scenario import STEPS_A_RUN, answer, note_step
from temporalio import activity, workflow
from temporalio.client import Client
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.worker import UnsandboxedWorkflowRunner, Worker

PATIENCE_S = 60
BATCH = 500  # the server bounds the pending activities of one workflow


@activity.defn
async def step(number: int) -> int:
    return 1


@activity.defn
async def noted_step(number: int) -> int:
    note_step(Path(os.environ["BENCH_FOLDER"]), number)
    return 1


@workflow.defn
class Steps:
    @workflow.run
    async def run(self, count: int, noted: bool) -> int:
        done = 0
        for number in range(count):
            done += await workflow.execute_activity(
                noted_step if noted else step, number, start_to_close_timeout=timedelta(seconds=10)
            )
        return done


@workflow.defn
class Units:
    @workflow.run
    async def run(self, count: int) -> int:
        done = 0
        for first in range(0, count, BATCH):
            batch = range(first, min(first + BATCH, count))
            results = await asyncio.gather(
                *(
                    workflow.execute_activity(step, number, start_to_close_timeout=timedelta(seconds=60))
                    for number in batch
                )
            )
            done += sum(results)
        return done


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def connected(port: int) -> Client:
    for _ in range(PATIENCE_S * 10):
        try:
            return await Client.connect(f"127.0.0.1:{port}")
        except RuntimeError:
            await asyncio.sleep(0.1)
    raise TimeoutError("the development server did not start")


class Server:
    """The development server, as long as this is open. It outlives a kill of this process, as it should."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        program = Path(sys.executable).parent / "temporal"
        command = [program, "server", "start-dev", "--headless", "--log-level", "never"]
        command += ["--port", str(self.port), "--db-filename", folder / "temporal.sqlite"]
        self.process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *failure: object) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE_S)


def with_worker(folder: Path, work) -> None:
    os.environ["BENCH_FOLDER"] = str(folder)

    async def main(port: int) -> None:
        client = await connected(port)
        worker = Worker(
            client,
            task_queue="bench",
            workflows=[Steps, Units],
            activities=[step, noted_step],
            workflow_runner=UnsandboxedWorkflowRunner(),
        )
        async with worker:
            await work(client)

    with Server(folder) as server:
        asyncio.run(main(server.port))


def sequential(folder: Path, count: int) -> None:
    async def work(client: Client) -> None:
        found = await client.execute_workflow(Steps.run, args=[count, False], id="one", task_queue="bench")
        assert found == count

    with_worker(folder, work)


def runs(folder: Path, count: int) -> None:
    async def work(client: Client) -> None:
        started = [
            client.execute_workflow(Steps.run, args=[STEPS_A_RUN, False], id=f"run-{n}", task_queue="bench")
            for n in range(count)
        ]
        assert sum(await asyncio.gather(*started)) == count * STEPS_A_RUN

    with_worker(folder, work)


def units(folder: Path, count: int) -> None:
    async def work(client: Client) -> None:
        assert await client.execute_workflow(Units.run, count, id="one", task_queue="bench") == count

    with_worker(folder, work)


def resumable(folder: Path, count: int) -> None:
    async def work(client: Client) -> None:
        handle = await client.start_workflow(
            Steps.run,
            args=[count, True],
            id="one",
            task_queue="bench",
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
        )
        assert await handle.result() == count

    with_worker(folder, work)


def opening(folder: Path, count: int) -> None:
    async def work(client: Client) -> None:
        """Nothing: the connection is there."""

    with_worker(folder, work)


if __name__ == "__main__":
    answer({"sequential": sequential, "runs": runs, "units": units, "resumable": resumable, "open": opening})
