"""`akmc diff`: what authority one plan gains and loses against another."""

import argparse
import sys
from typing import TYPE_CHECKING

from akmc.cli.exits import FINE, FOUND, USAGE
from akmc.cli.options import Commands, add_json, add_registry
from akmc.cli.plans import plan_of
from akmc.cli.streams import coloured, print_json, tell

if TYPE_CHECKING:
    from akm_specs.plan import Plan
    from akmc.diff.change import Change

_COLOURS = {"widens": "31", "narrows": "32", "neutral": "2"}


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "diff",
        "tell what authority NEW gains and loses against OLD; exit 1 when anything widens",
        "akmc diff --base main release.akm",
        run,
    )
    command.add_argument("old", metavar="OLD", nargs="?", help="a workflow or a plan; left out with --base")
    command.add_argument("new", metavar="NEW", help="a workflow, or a plan whose name ends in .json")
    command.add_argument("--base", metavar="REV", help="compare with NEW as it was at this git revision")
    add_json(command)
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Prints every change, those that widen first."""
    from akm_specs.canonical import seal
    from akmc.diff.compare import compare
    from akmc.diff.revision import NoRevision

    if (options.old is None) == (options.base is None):
        tell("name OLD and NEW, or NEW alone with --base REV")
        return USAGE
    try:
        old, new = _plans(options)
    except NoRevision as error:
        if options.format == "json":
            print_json({"error": str(error)})
        tell(str(error))
        return USAGE
    changes = compare(old, new)
    widens = any(change.direction == "widens" for change in changes)
    if options.format == "json":
        (_, old_hash), (_, new_hash) = seal(old), seal(new)
        listed = [change.to_json() for change in changes]
        print_json({"old_hash": old_hash, "new_hash": new_hash, "widens": widens, "changes": listed})
    else:
        _show(changes)
    return FOUND if widens else FINE


def _plans(options: argparse.Namespace) -> "tuple[Plan, Plan]":
    """Both plans. What an older revision is compiled beside is of that revision too. Raises NoRevision."""
    from akmc.diagnostic import CompileFailed
    from akmc.diff.revision import NoRevision, revision
    from akmc.plan_file import PlanUnreadable
    from akmc.source import SourceUnreadable

    new = plan_of(options.new, options.registry)
    if options.base is None:
        return plan_of(options.old, options.registry, warn=False), new
    with revision(options.base, options.new) as then:
        registry = then.path(options.registry) if options.registry else None
        try:
            return plan_of(then.path(options.new), registry, warn=False), new
        except (PlanUnreadable, SourceUnreadable) as error:
            raise NoRevision(f"at {options.base}, {then.told(str(error))}") from error
        except CompileFailed as failed:
            first = failed.diagnostics[0]
            told = then.told(f"{first.path} does not compile: {first.code} {first.message}")
            raise NoRevision(f"at {options.base}, {told}") from failed


def _show(changes: "tuple[Change, ...]") -> None:
    in_colour = coloured(sys.stdout)
    for change in changes:
        print(f"\033[{_COLOURS[change.direction]}m{change}\033[0m" if in_colour else change)
