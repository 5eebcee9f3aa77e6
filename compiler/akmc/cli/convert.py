"""`akmc convert`: print a source of any format as `.akm`."""

import argparse
import sys

from akmc.cli.exits import FINE
from akmc.cli.options import Commands, add_registry
from akmc.cli.streams import show


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "convert", "print a source of any format as .akm", "akmc convert flow.yaml > flow.akm", run
    )
    command.add_argument("source", metavar="SRC", help="a workflow, or a registry of gates")
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Prints the text, whose plan is the one of the source."""
    from akmc.convert import convert
    from akmc.pipeline import registry_beside
    from akmc.source import Source

    registry = Source.read(options.registry) if options.registry else registry_beside(options.source)
    made = convert(Source.read(options.source), registry)
    show(made.warnings, sys.stderr)
    sys.stdout.buffer.write(made.text.encode("utf-8"))
    return FINE
