"""From a source of any format to `.akm` text that compiles to the same plan."""

from dataclasses import dataclass

from akmc.diagnostic import Diagnostic
from akmc.fmt import formatted
from akmc.front_ends import read
from akmc.pipeline import check_registry, freeze_workflow, lower, lower_entries
from akmc.source import Source
from akmc.syntax import Parsed
from akmc.write import write_registry, write_workflow


@dataclass(frozen=True, slots=True)
class Converted:
    """A text in canonical layout, and what its source was warned about."""

    text: str
    warnings: tuple[Diagnostic, ...]


def convert(source: Source, registry: Source | None) -> Converted:
    """`source` as `.akm`. Raises CompileFailed with every finding where it does not compile beside `registry`.

    What a registry of gates holds is written as tools; a gate that only looks for files stands in the steps.
    """
    found = read(source)
    if isinstance(found, Parsed):
        return Converted(formatted(source), ())
    if found.kind == "registry":
        warnings = check_registry(found)
        return Converted(write_registry(lower_entries(found)), warnings)
    warnings = freeze_workflow(found, registry).warnings
    return Converted(write_workflow(lower(found, registry)), warnings)
