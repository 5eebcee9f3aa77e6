"""Checking sources of every kind, alone or many at once."""

import os
import signal
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context

from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.lifecycle import freeze_lifecycle
from akmc.parse import parse
from akmc.pipeline import check_registry, freeze_workflow, registry_beside
from akmc.source import Source, SourceUnreadable
from akmc.walk import Sources

#: From how many files on it pays to start further processes, and how many files one takes at a time.
PARALLEL_FILES_MIN = 48
BATCH_FILES = 8
#: Processes that check files at the same time, at most.
PROCESSES_MAX = 8


@dataclass(frozen=True, slots=True)
class Linted:
    """What checking `files` gave: every finding, and what could not be read or searched."""

    files: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    unreadable: tuple[SourceUnreadable, ...]


def findings_of(source: Source, registry: Source | None) -> tuple[Diagnostic, ...]:
    """Every finding about one source of any kind; a workflow is checked beside `registry`."""
    try:
        parsed = parse(source)
        match parsed.kind:
            case "lifecycle":
                freeze_lifecycle(parsed)
                return ()
            case "registry":
                return check_registry(parsed)
            case "workflow":
                return freeze_workflow(parsed, registry).warnings
    except CompileFailed as failed:
        return failed.diagnostics


def lint(sources: Sources, registry: Source | None = None) -> Linted:
    """Every finding about the files of `sources`.

    Without `registry`, each workflow is checked beside the one in its folder. Many files are shared out among
    as many processes as this one may use processors; the result is the same.
    """
    findings: list[Diagnostic] = []
    unreadable = list(sources.unreadable)
    for checked in _each(sources.files, registry):
        if isinstance(checked, SourceUnreadable):
            unreadable.append(checked)
        else:
            findings += checked
    once = {str(error): error for error in unreadable}
    return Linted(sources.files, in_order(findings), tuple(once.values()))


_Checked = tuple[Diagnostic, ...] | SourceUnreadable


def _check(path: str, registry: Source | None) -> _Checked:
    try:
        return findings_of(Source.read(path), registry or registry_beside(path))
    except SourceUnreadable as error:
        return error


def _each(paths: tuple[str, ...], registry: Source | None) -> Iterator[_Checked]:
    check = partial(_check, registry=registry)
    processes = min(PROCESSES_MAX, _processors())
    if len(paths) < PARALLEL_FILES_MIN or processes == 1:
        yield from map(check, paths)
        return
    # A forked process has the grammar loaded already. Elsewhere than on Linux, forking is not safe.
    context = get_context("fork" if sys.platform == "linux" else "spawn")
    with ProcessPoolExecutor(processes, context, initializer=_leave_interrupts_to_the_parent) as pool:
        try:
            yield from pool.map(check, paths, chunksize=BATCH_FILES)
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _processors() -> int:
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
