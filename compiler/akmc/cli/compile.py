"""`akmc compile`: check a source and write its frozen plan."""

import argparse
import sys

from akmc.cli.exits import FINE, USAGE
from akmc.cli.options import Commands, add_json, add_registry
from akmc.cli.streams import as_json, print_json, show, tell


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "compile", "check a source and write its frozen plan", "akmc compile release.akm -o release.plan.json", run
    )
    command.add_argument("source", metavar="SRC", help="a workflow, or a lifecycle")
    command.add_argument("-o", "--output", metavar="PLAN", help="default: SRC with .plan.json")
    command.add_argument("--check", action="store_true", help="write nothing; fail when PLAN is not up to date")
    add_json(command)
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Compiles one source, and writes or compares what it gives."""
    from akmc.artifact import artifact, compare
    from akmc.plan_file import is_same_file, write_whole

    made = artifact(options.source, options.registry, options.output)
    if options.check:
        compare(made)
    elif is_same_file(made.output, options.source):
        tell(f"{made.output}: is the source itself, which would be lost")
        return USAGE
    else:
        write_whole(made.output, made.data)
    if options.format == "json":
        kind = "plan" if made.kind == "workflow" else "table"
        named = {made.kind: made.name, kind: str(made.output), f"{kind}_hash": made.digest}
        print_json({**named, "warnings": as_json(made.warnings)})
    else:
        show(made.warnings, sys.stderr)
        print(f"{made.output}  {made.digest}")
    return FINE
