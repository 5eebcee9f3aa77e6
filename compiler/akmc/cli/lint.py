"""`akmc lint`: check every source under the paths."""

import argparse
import os
import sys

from akmc.cli.exits import FINE, FOUND, USAGE
from akmc.cli.options import Commands, add_registry
from akmc.cli.streams import coloured, take_every_text, tell
from akmc.reports import FINDINGS_MAX, FORMS


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add("lint", "check every source under the paths", "akmc lint workflows --format json", run)
    command.add_argument("paths", metavar="PATH", nargs="+", help="a source, or a folder to search for sources")
    command.add_argument("--format", choices=FORMS, default="text")
    command.add_argument(
        "--max-findings",
        type=_count,
        metavar="N",
        default=FINDINGS_MAX,
        help=f"show at most so many, and say how many more there are (default: {FINDINGS_MAX})",
    )
    add_registry(command)


def run(options: argparse.Namespace) -> int:
    """Reports every finding about the sources."""
    from datetime import UTC, datetime

    from akmc.lint import lint
    from akmc.reports.forms import written
    from akmc.reports.report import report_of
    from akmc.source import Source
    from akmc.walk import sources_under

    began = datetime.now(UTC)
    registry = Source.read(options.registry) if options.registry else None
    linted = lint(sources_under(options.paths), registry)
    report = report_of(linted, options.max_findings)
    if options.format != "text":
        take_every_text(encoding="utf-8")
    print(written(report, options.format, here=os.getcwd(), began=began, colour=coloured(sys.stdout)), end="")
    for error in report.unreadable:
        tell(str(error))
    if linted.unreadable:
        return USAGE
    return FOUND if any(found.severity == "error" for found in linted.findings) else FINE


def _count(text: str) -> int:
    """A number of findings. Raises ArgumentTypeError."""
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of findings")
