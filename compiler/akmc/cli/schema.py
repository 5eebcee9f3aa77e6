"""`akmc schema`: print the JSON Schemas."""

import argparse

from akmc.cli.exits import FINE
from akmc.cli.options import Commands
from akmc.cli.streams import print_json

_SCHEMAS = ("document", "registry", "plan")


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "schema", "print the JSON Schema of documents, registries and plans", "akmc schema plan", run
    )
    command.add_argument("of", nargs="?", choices=_SCHEMAS, help="default: one object with all of them")


def run(options: argparse.Namespace) -> int:
    """Prints one schema, or all."""
    from akm_specs.published import published_schema

    if options.of is None:
        print_json({name: published_schema(name) for name in _SCHEMAS})
    else:
        print_json(published_schema(options.of))
    return FINE
