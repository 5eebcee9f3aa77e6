"""Checking sources of every kind, one or many."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.front_ends import is_lifecycle, read
from akmc.lifecycle import freeze_lifecycle
from akmc.parallel import each_in_order
from akmc.pipeline import check_registry, freeze_workflow, registry_beside
from akmc.source import Source, SourceUnreadable
from akmc.unused import unused_entries
from akmc.walk import Sources


@dataclass(frozen=True, slots=True)
class Linted:
    """What checking `files` gave: every finding, and what could not be read or searched."""

    files: tuple[str, ...]
    findings: tuple[Diagnostic, ...]
    unreadable: tuple[SourceUnreadable, ...]


def findings_of(source: Source, registry: Source | None) -> tuple[Diagnostic, ...]:
    """Every finding about one source of any kind; a workflow is checked beside `registry`."""
    try:
        found = read(source)
        if is_lifecycle(found):
            freeze_lifecycle(found)
            return ()
        if found.kind == "registry":
            return check_registry(found)
        return freeze_workflow(found, registry).warnings
    except CompileFailed as failed:
        return failed.diagnostics


def lint(sources: Sources, registry: Source | None = None) -> Linted:
    """Every finding about the files of `sources`.

    Without `registry`, each workflow is checked beside the one in its folder. Many files are shared out among
    processes. Raises akmc.parallel.WorkLost.
    """

    def check(path: str) -> tuple[Diagnostic, ...] | SourceUnreadable:
        try:
            return findings_of(Source.read(path), registry or registry_beside(path))
        except SourceUnreadable as error:
            return error

    findings: list[Diagnostic] = []
    unreadable = list(sources.unreadable)
    for checked in each_in_order(check, sources.files):
        if isinstance(checked, SourceUnreadable):
            unreadable.append(checked)
        else:
            findings += checked
    if registry is None:
        findings += unused_entries(sources.files)
    once = {str(error): error for error in unreadable}
    return Linted(sources.files, in_order(_once(findings)), tuple(once.values()))


def _once(findings: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    """Each finding once, although a registry or a child is reached by several paths; the shortest one stays."""
    found: dict[tuple[object, ...], Diagnostic] = {}
    for each in sorted(findings, key=lambda each: len(each.path)):
        found.setdefault((os.path.abspath(each.path), each.span, each.code, each.message), each)
    return found.values()
