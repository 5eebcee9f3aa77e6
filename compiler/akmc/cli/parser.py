"""The command line of `akmc`: its commands, in the order in which its help lists them."""

import argparse

from akm_specs import __version__
from akmc.cli import compile as compile_
from akmc.cli import convert, diff, explain, fmt, graph, lint, lsp, schema, verify
from akmc.cli.options import Commands

_COMMANDS = (compile_, lint, verify, diff, fmt, convert, explain, graph, schema, lsp)


def parser() -> argparse.ArgumentParser:
    """The parser of the whole command line. What it gives has `run`, the command to carry out."""
    found = argparse.ArgumentParser(
        prog="akmc",
        description="Checks workflows and freezes them into plans.",
        epilog="example: akmc compile release.akm",
    )
    found.add_argument("--version", action="version", version=f"akmc {__version__}")
    commands = Commands(found.add_subparsers(prog=found.prog, title="commands", required=True, metavar="COMMAND"))
    for module in _COMMANDS:
        module.add_to(commands)
    return found
