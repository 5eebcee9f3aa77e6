"""`akmc fmt`: bring sources into the one canonical layout."""

import argparse
import sys
from typing import TYPE_CHECKING

from akmc.cli.exits import FINE, FOUND, USAGE
from akmc.cli.options import Commands, add_json
from akmc.cli.streams import as_json, print_json, show, take_every_text, tell

if TYPE_CHECKING:
    from akmc.fmt.files import Layouts


def add_to(commands: Commands) -> None:
    """Adds the command."""
    command = commands.add(
        "fmt", "bring sources into the one canonical layout; comments are kept", "akmc fmt . --check", run
    )
    command.add_argument("paths", metavar="PATH", nargs="+", help="a source, a folder, or - for standard input")
    command.add_argument("--check", action="store_true", help="write nothing; name the files that would change")
    command.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Lays out files, or tells which are not laid out."""
    from akmc.fmt.files import difference, layouts_of, replace
    from akmc.source import OWN_SUFFIXES
    from akmc.walk import sources_under

    if "-" in options.paths:
        return _lay_out_input(options)
    layouts = layouts_of(sources_under(options.paths, OWN_SUFFIXES))
    looking = options.check or options.diff
    for change in layouts.changes:
        if not looking:
            replace(change)
        if options.format is None:
            print(difference(change) if options.diff else f"{change.path}\n", end="")
    _report_layouts(options, layouts)
    if layouts.unreadable:
        return USAGE
    return FOUND if layouts.findings or (looking and layouts.changes) else FINE


def _report_layouts(options: argparse.Namespace, layouts: "Layouts") -> None:
    unreadable = [str(error) for error in layouts.unreadable]
    if options.format == "json":
        changed = [change.path for change in layouts.changes]
        print_json({"changed": changed, "diagnostics": as_json(layouts.findings), "unreadable": unreadable})
    else:
        show(layouts.findings, sys.stderr)
    for error in unreadable:
        tell(error)


def _lay_out_input(options: argparse.Namespace) -> int:
    """Lays out what stands on standard input, for editors; with --check or --diff only looks at it."""
    from akmc.fmt import formatted
    from akmc.fmt.files import Change, difference
    from akmc.source import SOURCE_BYTES_MAX, Source

    if options.paths != ["-"]:
        tell("`-`, standard input, stands alone: name no other path beside it")
        return USAGE
    data = b"" if sys.stdin is None else sys.stdin.buffer.read(SOURCE_BYTES_MAX + 1)
    change = Change("<stdin>", data.decode("utf-8", "replace"), formatted(Source.decode("<stdin>", data)))
    looking, changed = options.check or options.diff, change.before != change.after
    if options.format == "json":
        print_json({"changed": changed, "text": change.after})
    elif options.diff:
        print(difference(change), end="")
    elif not looking:
        take_every_text(encoding="utf-8")
        print(change.after, end="")
    return FOUND if looking and changed else FINE
