"""`akmc compile`: check a source and write its frozen plan."""

import argparse
import os
import sys
from typing import TYPE_CHECKING

from akmc.cli.exits import FINE, USAGE
from akmc.cli.options import Commands, add_json, add_registry
from akmc.cli.streams import as_json, print_json, show, tell

if TYPE_CHECKING:
    from akm_specs.canonical import JsonObject
    from akmc.artifact import Artifact


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "compile", "check a source and write its frozen plan", "akmc compile release.akm -o release.plan.json", run
    )
    command.add_argument(
        "sources",
        metavar="SRC",
        nargs="+",
        help="a workflow, or a lifecycle; with --check also several, or folders to search for what was compiled",
    )
    command.add_argument("-o", "--output", metavar="PLAN", help="default: SRC with .plan.json")
    command.add_argument("--check", action="store_true", help="write nothing; fail when PLAN is not up to date")
    add_json(command)
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Compiles one source and writes what it gives, or compares what several give with what is committed."""
    source, *others = options.sources
    if options.check and (others or os.path.isdir(source)):
        return _check(options)
    if others:
        tell("one SRC is compiled at a time; --check takes several")
        return USAGE
    return _compile(source, options)


def _compile(source: str, options: argparse.Namespace) -> int:
    from akmc.artifact import artifact, compare
    from akmc.plan_file import is_same_file, write_whole

    made = artifact(source, options.registry, options.output)
    if options.check:
        compare(made)
    elif is_same_file(made.output, source):
        tell(f"{made.output}: is the source itself, which would be lost")
        return USAGE
    else:
        write_whole(made.output, made.data)
    if options.format == "json":
        print_json({**_named(made), "warnings": as_json(made.warnings)})
    else:
        show(made.warnings, sys.stderr)
        print(f"{made.output}  {made.digest}")
    return FINE


def _check(options: argparse.Namespace) -> int:
    from akmc.artifact import artifacts_under, compare_all

    if options.output is not None:
        tell("--output names one PLAN, and --check was given several sources")
        return USAGE
    made = artifacts_under(options.sources, options.registry)
    compare_all(made)
    if options.format == "json":
        print_json({"checked": [_named(each) for each in made]})
    else:
        for each in made:
            print(f"{each.output}  {each.digest}")
    return FINE


def _named(made: "Artifact") -> "JsonObject":
    kind = "plan" if made.kind == "workflow" else "table"
    return {made.kind: made.name, kind: str(made.output), f"{kind}_hash": made.digest}
