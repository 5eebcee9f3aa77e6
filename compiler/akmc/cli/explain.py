"""`akmc explain`: say what a finding means."""

import argparse

from akmc.cli.exits import FINE, USAGE
from akmc.cli.options import Commands
from akmc.cli.streams import tell


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "explain", "say what a finding means, with a wrong and a right example", "akmc explain AKM2003", run
    )
    command.add_argument("code", metavar="CODE")


def run(options: argparse.Namespace) -> int:
    """Prints the explanation of one code."""
    from akmc.explain import UnknownCode, explained

    try:
        print(explained(options.code), end="")
    except UnknownCode as error:
        tell(str(error))
        return USAGE
    return FINE
