"""What a command says when it ends: text for people, or one JSON document; and every fault by its exit code.

No traceback reaches a user: a fault of the world has a name and says what to do, a fault of ours says so.
"""

import argparse
import errno
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, TextIO, cast

from akm.engine.standing import Exit
from akm_specs.canonical import JsonObject

#: What writing fails with when a pipe's reader is gone, or a terminal.
_GONE = (errno.EPIPE, errno.EIO)


class UsageFault(Exception):
    """The command cannot be carried out as it was typed."""


def guarded(arguments: argparse.Namespace) -> int:
    """Call the command's handler; every exception becomes a message and an exit code."""
    module, _, name = arguments.handler.partition(":")
    code = int(Exit.COMPLETED)  # of a listing whose reader had enough of it
    try:
        if not __debug__:
            raise UsageFault("akm checks its own invariants and does not run under python -O")
        handler = cast(Callable[[argparse.Namespace], int], getattr(import_module(module), name))
        code = int(handler(arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_reader(sys.stdout)
    except Exception as error:
        if os.environ.get("AKM_DEBUG"):
            raise
        log_format = getattr(arguments, "log_format", "text")
        return report_fault(error, as_json=arguments.json, log_format=log_format)
    return code


def emit(arguments: argparse.Namespace, document: Any, text: str) -> None:
    """Print the one JSON document, or the text."""
    said = json.dumps(document, ensure_ascii=False, indent=2) if arguments.json else text
    if said:
        _say(said, sys.stdout)


def _say(text: str, stream: TextIO) -> None:
    """Print `text`. A reader that went away is no fault, and changes no exit code; nor is a closed terminal."""
    try:
        print(text, file=stream, flush=True)
    except OSError as error:
        if error.errno not in _GONE:
            raise
        _forget_reader(stream)


def _forget_reader(stream: TextIO) -> None:
    """Nobody reads `stream` any more: what is still written to it goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def report_fault(error: Exception, *, as_json: bool, log_format: str = "text") -> Exit:
    """Tell a fault, and give its exit code."""
    code = _exit_of(error)
    name, message = type(error).__name__, str(error)
    document: JsonObject = {"error": {"name": name, "message": message, "exit": int(code)}}
    if name == "SourceRefused":
        document["diagnostics"] = getattr(error, "findings", [])
    elif name == "ReplayDivergence":
        document["error"] |= {key: getattr(error, key) for key in ("unit", "expected", "found")}
    elif code is Exit.INTERNAL:
        message = f"internal error ({name}: {message}); please report it. AKM_DEBUG=1 shows more"
        document["error"]["message"] = message
    if as_json:
        _say(json.dumps(document, ensure_ascii=False), sys.stdout)
    _say(_told(name, message, code, log_format), sys.stderr)
    return code


def _told(name: str, message: str, code: Exit, log_format: str) -> str:
    """What standard error says of a fault."""
    if log_format == "json":
        from akm.cli.structured import fault

        return fault(name, message, int(code))
    return message if name == "SourceRefused" else f"akm: {message}"


def _exit_of(error: Exception) -> Exit:
    """By the name of the fault, so that no room is loaded to find out."""
    names = {kind.__name__ for kind in type(error).__mro__}
    for code, faults in _FAULTS:
        if names & faults:
            return code
    return Exit.INTERNAL


_FAULTS: tuple[tuple[Exit, frozenset[str]], ...] = (
    (Exit.INTEGRITY, frozenset({"Damaged", "StoreDamaged", "PlanAltered", "ReplayDivergence", "SealBroken"})),
    (Exit.LEASED, frozenset({"LeaseHeld", "LeaseLost", "SequenceConflict"})),
    (
        Exit.USAGE,
        frozenset(
            {
                "UsageFault",
                "RequestRefused",
                "BadParameter",
                "ScriptRefused",
                "TelemetryRefused",
                "NotReady",
                "NotCanonical",
                "UnicodeEncodeError",
                "PlanUnreadable",
                "SourceRefused",
                "StoreFault",
                "HostUnsupported",
            }
        ),
    ),
)
