"""The command `akmc`. Each command is a module here, and imports what it needs when it runs.

So none starts slow for another's sake.
"""

import argparse
import os
import sys
from collections.abc import Sequence

from akmc.cli.exits import FINE, FOUND, INTERNAL, INTERRUPTED, USAGE
from akmc.cli.parser import parser
from akmc.cli.streams import as_json, give_up_output, print_json, show, take_every_text, tell


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. Shows no traceback unless AKM_DEBUG is set."""
    options = parser().parse_args(arguments)
    take_every_text()
    try:
        code = _run(options)
        print(end="", flush=True)
    except BrokenPipeError:
        give_up_output()
        return FINE
    except OSError as error:
        give_up_output()
        tell(f"the output cannot be written: {error.strerror or error}")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("AKM_DEBUG"):
            raise
        tell(f"internal error: {type(error).__name__}: {error}")
        tell("this is a fault of akmc, please report it; with AKM_DEBUG=1 it shows where")
        return INTERNAL
    return code


def _run(options: argparse.Namespace) -> int:
    """The command's exit code. What an author did wrong is shown, what the world did is told in one line."""
    from akmc.diagnostic import CompileFailed
    from akmc.parallel import WorkLost
    from akmc.plan_file import NotWritten, PlanUnreadable
    from akmc.source import SourceUnreadable

    one_document = getattr(options, "format", None) == "json"
    try:
        code: int = options.run(options)
    except CompileFailed as failed:
        if one_document:
            print_json({"diagnostics": as_json(failed.diagnostics)})
        else:
            show(failed.diagnostics, sys.stderr)
        return FOUND
    except (SourceUnreadable, PlanUnreadable, NotWritten, WorkLost) as error:
        if one_document:
            print_json({"error": str(error)})
        tell(str(error))
        return USAGE
    return code
