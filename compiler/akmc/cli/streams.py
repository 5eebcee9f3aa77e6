"""What `akmc` prints, and where: findings, JSON documents, and what the user is told in one line."""

import io
import json
import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from akm_specs.canonical import JsonObject
    from akmc.diagnostic import Diagnostic


def show(findings: "Iterable[Diagnostic]", to: TextIO) -> None:
    """Shows findings to people."""
    from akmc.reports.text import to_text

    for found in findings:
        print(to_text(found, colour=coloured(to)), file=to)


def coloured(to: TextIO | None) -> bool:
    """Whether text to this stream is coloured: only on a terminal, and never against NO_COLOR."""
    return to is not None and to.isatty() and not os.environ.get("NO_COLOR")


def take_every_text(encoding: str | None = None) -> None:
    """Makes standard output write what its encoding lacks as escapes, instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def as_json(findings: "Iterable[Diagnostic]") -> "list[JsonObject]":
    """The machine form of findings."""
    from akmc.reports.json import to_json

    return [to_json(found) for found in findings]


def print_json(document: object) -> None:
    """Prints one JSON document."""
    print(json.dumps(document, indent=2, ensure_ascii=False))


def tell(message: str) -> None:
    """Tells the user one line, on standard error."""
    print(f"akmc: {message}", file=sys.stderr)


def give_up_output() -> None:
    """Leaves what is unwritten unwritten, so that the interpreter does not try again on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
