"""A plan, however a command is given it."""

import sys
from typing import TYPE_CHECKING

from akmc.cli.streams import show

if TYPE_CHECKING:
    from akm_specs.plan import Plan


def plan_of(path: str, registry: str | None, *, warn: bool = True, proved: bool = True) -> "Plan":
    """The plan in a file whose name ends in .json, or the one that a source compiles to, whose warnings it shows.

    Whether the properties of a source hold is asked only where they have to be `proved`.
    Raises CompileFailed, SourceUnreadable and PlanUnreadable.
    """
    from akmc.front_ends import read
    from akmc.pipeline import freeze_unproved, freeze_workflow, registry_beside
    from akmc.plan_file import read_plan
    from akmc.source import Source

    if path.endswith(".json"):
        return read_plan(path)
    source = Source.read(path)
    freeze = freeze_workflow if proved else freeze_unproved
    made = freeze(read(source), Source.read(registry) if registry else registry_beside(path))
    if warn:
        show(made.warnings, sys.stderr)
    return made.plan
