"""`akmc graph`: draw a workflow."""

import argparse

from akmc.cli.exits import FINE
from akmc.cli.options import Commands, add_registry
from akmc.cli.plans import plan_of


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add("graph", "draw a workflow", "akmc graph release.akm --to mermaid", run)
    command.add_argument("source", metavar="SRC|PLAN", help="a workflow, or a plan whose name ends in .json")
    command.add_argument("--to", choices=("mermaid",), default="mermaid")
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Prints the drawing."""
    from akmc.graph import mermaid

    print(mermaid(plan_of(options.source, options.registry)), end="")
    return FINE
