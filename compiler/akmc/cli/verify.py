"""`akmc verify`: prove what must hold in every run, and say what the worst is that one can come to."""

import argparse

from akmc.cli.exits import FINE, FOUND, USAGE
from akmc.cli.options import Commands, add_json, add_registry
from akmc.cli.plans import plan_of
from akmc.cli.streams import print_json, tell


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "verify", "explore all that runs can do, and prove what must hold", "akmc verify release.akm", run
    )
    command.add_argument("source", metavar="PLAN|SRC", help="a plan whose name ends in .json, or a workflow")
    add_json(command)
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Verifies one plan."""
    from akm_specs.canonical import hash_json
    from akmc.proof.model import PlanNotWhole
    from akmc.proof.report import to_json, to_text
    from akmc.proof.verification import verify

    plan = plan_of(options.source, options.registry, proved=False)
    try:
        found = verify(plan, hash_json(plan))
    except PlanNotWhole as error:
        tell(f"{options.source}: no plan that a compiler made: {error}")
        return USAGE
    if options.format == "json":
        print_json(to_json(found))
    else:
        print(to_text(found), end="")
    return FINE if found.verdict == "proved" else FOUND
