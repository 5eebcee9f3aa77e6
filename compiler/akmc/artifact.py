"""What `akmc compile` makes of one source: the plan of a workflow, or the table of a lifecycle."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from akm_specs.canonical import unseal
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.lifecycle import freeze_lifecycle
from akmc.parse import parse
from akmc.pipeline import freeze_workflow, registry_beside
from akmc.plan_file import committed, default_output
from akmc.source import Source, Span

PLAN_DIFFERS = "AKM9002"


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
    parsed = parse(source)
    if parsed.kind == "lifecycle":
        data = freeze_lifecycle(parsed)
        table, digest = unseal(data)
        place = Path(output) if output else default_output(path, ".json")
        return Artifact(source, "lifecycle", table["name"], place, data, digest, ())
    beside = Source.read(registry) if registry else registry_beside(path)
    made = freeze_workflow(parsed, beside)
    place = Path(output) if output else default_output(path, ".plan.json")
    return Artifact(source, "workflow", made.plan["workflow"], place, made.data, made.plan_hash, made.warnings)


def compare(made: Artifact) -> None:
    """Raises CompileFailed where the committed file is absent or not what was made, PlanUnreadable."""
    found = committed(made.output)
    if found == made.data:
        return
    what = "there is no compiled file" if found is None else "another compiled file is committed"
    message = f"{what} at {made.output}: the source compiles to {made.digest}"
    advice = "compile it anew with `akmc compile`, and commit the result"
    raise CompileFailed([Diagnostic(PLAN_DIFFERS, "error", message, advice, made.source, Span(0, 0))])
