"""Checking sources of every kind, alone or in folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from akmc.diagnostic import CompileFailed, Diagnostic, in_order
from akmc.lifecycle import freeze_lifecycle
from akmc.parse import parse
from akmc.pipeline import check_registry, freeze_workflow, registry_beside
from akmc.plan_file import SUFFIX
from akmc.source import Source, SourceUnreadable


@dataclass(frozen=True, slots=True)
class Linted:
    """What checking several files gave."""

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


def sources_under(paths: Iterable[str]) -> tuple[str, ...]:
    """The files that `paths` name, and those that end in .akm in the folders that they name, in order.

    Hidden folders are left out. Raises SourceUnreadable for a folder without any source: checking nothing
    must not look like finding nothing.
    """
    return tuple(dict.fromkeys(found for path in paths for found in _under(path)))


def lint(paths: Iterable[str], registry: Source | None = None) -> Linted:
    """Every finding about the files `paths`, and the files that could not be read.

    Without `registry`, each workflow is checked beside the one in its folder.
    """
    findings: list[Diagnostic] = []
    unreadable: list[SourceUnreadable] = []
    for path in paths:
        try:
            findings += findings_of(Source.read(path), registry or registry_beside(path))
        except SourceUnreadable as error:
            unreadable.append(error)
    return Linted(in_order(findings), tuple(unreadable))


def _under(path: str) -> Iterator[str]:
    try:
        if not Path(path).is_dir():
            yield path
            return
        found = [each for each in sorted(Path(path).rglob(f"*{SUFFIX}")) if each.is_file()]
    except (OSError, ValueError) as error:
        raise SourceUnreadable(path, f"cannot be searched: {error}") from error
    shown = [each for each in found if not any(part.startswith(".") for part in each.relative_to(path).parts)]
    if not shown:
        raise SourceUnreadable(path, f"no file under it ends in {SUFFIX}")
    yield from map(str, shown)
