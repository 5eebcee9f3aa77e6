"""`akmc lsp`: the language server for editors."""

import argparse
import sys

from akmc.cli.exits import FINE, FOUND, USAGE
from akmc.cli.options import Commands
from akmc.cli.streams import tell

#: What the extra `lsp` brings.
_EXTRA = ("lsprotocol", "pygls")


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add("lsp", "serve an editor on standard input and output", "akmc lsp", run)
    command.add_argument(
        "--stdio", action="store_true", help="changes nothing: many editors say it to every server"
    )


def run(options: argparse.Namespace) -> int:
    """Serves one editor until it leaves. By the protocol it exits 1 when the editor left without a goodbye."""
    try:
        from akmc.lsp.server import Server
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _EXTRA:
            raise
        tell(f"the language server needs {missing}: install `akm[lsp]`, not `akm` alone")
        return USAGE
    if sys.stdin is None or sys.stdout is None:
        tell("an editor talks to the server over standard input and output, and one of them is closed")
        return USAGE
    return FINE if Server().serve() else FOUND
