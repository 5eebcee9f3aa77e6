"""`akmc graph`: draw a workflow."""

import argparse
import sys
from typing import TYPE_CHECKING

from akmc.cli.exits import FINE
from akmc.cli.options import Commands, add_registry
from akmc.cli.streams import show

if TYPE_CHECKING:
    from akm_specs.plan import Plan


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add("graph", "draw a workflow", "akmc graph release.akm --to mermaid", run)
    command.add_argument("source", metavar="SRC|PLAN", help="a workflow, or a plan whose name ends in .json")
    command.add_argument("--to", choices=("mermaid",), default="mermaid")
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Prints the drawing."""
    from akmc.graph import mermaid

    print(mermaid(_plan_of(options.source, options.registry)), end="")
    return FINE


def _plan_of(path: str, registry: str | None) -> "Plan":
    """The plan in a file, or the one that a source compiles to."""
    from akmc.pipeline import compile_workflow, registry_beside
    from akmc.plan_file import read_plan
    from akmc.source import Source

    if path.endswith(".json"):
        return read_plan(path)
    source = Source.read(path)
    made = compile_workflow(source, Source.read(registry) if registry else registry_beside(path))
    show(made.warnings, sys.stderr)
    return made.plan
