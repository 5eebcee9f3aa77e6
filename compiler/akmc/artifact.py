"""What `akmc compile` makes of one source: the plan of a workflow, or the table of a lifecycle."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from akm_specs.canonical import unseal
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.front_ends import is_lifecycle, read
from akmc.lifecycle import freeze_lifecycle
from akmc.pipeline import freeze_workflow, registry_beside
from akmc.plan_file import committed, default_output
from akmc.source import Source, SourceUnreadable, Span
from akmc.walk import sources_under

PLAN_DIFFERS = "AKM9002"

#: What the name of a compiled file ends in, in place of the source's own ending.
_ENDINGS = {"workflow": ".plan.json", "lifecycle": ".json"}


@dataclass(frozen=True, slots=True)
class Artifact:
    """A compiled file that is not yet written. `digest` is the hash that `data` has within."""

    source: Source
    kind: Literal["workflow", "lifecycle"]
    name: str
    output: Path
    data: bytes
    digest: str
    warnings: tuple[Diagnostic, ...]


def artifact(path: str, registry: str | None, output: str | None) -> Artifact:
    """Compiles the source at `path`, beside the registry at `registry` or in its own folder.

    Raises CompileFailed and SourceUnreadable.
    """
    source = Source.read(path)
    found = read(source)
    if is_lifecycle(found):
        data = freeze_lifecycle(found)
        table, digest = unseal(data)
        place = Path(output) if output else default_output(path, _ENDINGS["lifecycle"])
        return Artifact(source, "lifecycle", table["name"], place, data, digest, ())
    beside = Source.read(registry) if registry else registry_beside(path)
    made = freeze_workflow(found, beside)
    place = Path(output) if output else default_output(path, _ENDINGS["workflow"])
    return Artifact(source, "workflow", made.plan["workflow"], place, made.data, made.plan_hash, made.warnings)


def artifacts_under(paths: Iterable[str], registry: str | None) -> tuple[Artifact, ...]:
    """What the sources compile to that `paths` name, and those below folders whose compiled file is committed.

    Raises CompileFailed with the findings of all of them, and SourceUnreadable, also for a folder in which no
    compiled file lies beside its source: checking nothing must not look like finding nothing.
    """
    named = tuple(paths)
    sources = sources_under(named)
    for error in sources.unreadable:
        raise error
    made: list[Artifact] = []
    failures: list[Diagnostic] = []
    for path in sources.files:
        if path not in named and not any(default_output(path, ending).exists() for ending in _ENDINGS.values()):
            continue
        try:
            made.append(artifact(path, registry, None))
        except CompileFailed as failed:
            failures += failed.diagnostics
    if failures:
        raise CompileFailed(failures)
    if not made:
        raise SourceUnreadable(named[0], "no source under it has its compiled file beside it")
    return tuple(made)


def compare_all(made: Iterable[Artifact]) -> None:
    """Like `compare`, for several. Raises CompileFailed with the findings of all of them, and PlanUnreadable."""
    failures: list[Diagnostic] = []
    for each in made:
        try:
            compare(each)
        except CompileFailed as failed:
            failures += failed.diagnostics
    if failures:
        raise CompileFailed(failures)


def compare(made: Artifact) -> None:
    """Raises CompileFailed where the committed file is absent or not what was made, PlanUnreadable."""
    found = committed(made.output)
    if found == made.data:
        return
    what = "there is no compiled file" if found is None else "another compiled file is committed"
    message = f"{what} at {made.output}: the source compiles to {made.digest}"
    advice = "compile it anew with `akmc compile`, and commit the result"
    raise CompileFailed([Diagnostic(PLAN_DIFFERS, "error", message, advice, made.source, Span(0, 0))])
