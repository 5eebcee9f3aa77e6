"""One function for many inputs, shared out among processes; results come in the order of the inputs.

Each process gets its share at the start and ends with it. None waits for work, so none outlives a parent that was
killed by more than its share, and an interrupt is the parent's alone to answer.
"""

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

#: From how many inputs on it pays to start processes, for functions that take some milliseconds.
INPUTS_MIN = 48
#: Processes at the same time, at most.
PROCESSES_MAX = 8

A = TypeVar("A")
B = TypeVar("B")


class WorkLost(Exception):
    """A process ended before its share was done: the system killed it, for want of memory most likely."""


def each_in_order(function: Callable[[A], B], inputs: Sequence[A]) -> Generator[B, None, None]:
    """`map(function, inputs)`, by as many processes as this one may use processors. With threads, by this one.

    Results travel between processes, so they must be picklable. Raises WorkLost, and RuntimeError where `function`
    raises anything in a process.
    """
    processes = min(PROCESSES_MAX, _processors()) if _may_fork() else 1
    if len(inputs) < INPUTS_MIN or processes == 1:
        yield from map(function, inputs)
        return
    workers: list[tuple[BaseProcess, Connection]] = []
    try:
        with _interrupts_held():
            for number in range(processes):
                workers.append(_started(function, inputs[number::processes], [reader for _, reader in workers]))
        for number, each in enumerate(inputs):
            yield _received(workers[number % processes][1], each)
    finally:
        for worker, reader in workers:
            reader.close()
            worker.terminate()
            worker.join()


def _started(
    function: Callable[[A], B], share: Sequence[A], inherited: "Sequence[Connection]"
) -> "tuple[BaseProcess, Connection]":
    from multiprocessing import get_context  # here, because few commands have that much to do

    # Forked, because what the function needs is loaded already.
    context = get_context("fork")
    reader, writer = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(function, share, writer, [*inherited, reader]), daemon=True)
    worker.start()
    writer.close()  # so that the pipe ends when the process does
    return worker, reader


def _work(
    function: Callable[[A], B], share: Sequence[A], writer: "Connection", inherited: "Sequence[Connection]"
) -> None:
    for reader in inherited:
        reader.close()  # so that the pipe breaks when the parent ends
    try:
        for each in share:
            try:
                result: tuple[B | None, str | None] = (function(each), None)
            except Exception as error:
                result = (None, f"{type(error).__name__}: {error}")
            writer.send(result)
    except BrokenPipeError:
        pass  # the parent wants no more


def _received(reader: "Connection", each: object) -> Any:
    try:
        result, fault = reader.recv()
    except EOFError:
        raise WorkLost(f"the process that was to check {each} was killed; name fewer files at a time") from None
    if fault is not None:
        raise RuntimeError(f"{fault} (at {each})")
    return result


def _may_fork() -> bool:
    """Whether this process may be forked: nothing else runs in it, which could hold a lock at that moment."""
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else 1


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes that start meanwhile never see an interrupt; this one sees it afterwards."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
