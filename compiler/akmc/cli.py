"""The command `akmc`. Each command imports what it needs, so that none starts slow for another's sake.

Exit codes: 0 fine; 1 at least one error was found in a source; 2 wrong usage, or a file that cannot be read or
written; 70 a fault of the compiler's own.
"""

import argparse
import io
import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO

from akm_specs import __version__
from akmc.reports import FINDINGS_MAX, FORMS

if TYPE_CHECKING:
    from akm_specs.canonical import JsonObject
    from akm_specs.plan import Plan
    from akmc.diagnostic import Diagnostic
    from akmc.fmt.files import Layouts

FINE, FOUND, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 70, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command and returns its exit code. Shows no traceback unless AKM_DEBUG is set."""
    options = _parser().parse_args(arguments)
    _take_every_text()
    try:
        code = _run(options)
        print(end="", flush=True)
    except BrokenPipeError:
        _give_up_output()
        return FINE
    except OSError as error:
        _give_up_output()
        _tell(f"the output cannot be written: {error.strerror or error}")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if os.environ.get("AKM_DEBUG"):
            raise
        _tell(f"internal error: {type(error).__name__}: {error}")
        _tell("this is a fault of akmc, please report it; with AKM_DEBUG=1 it shows where")
        return INTERNAL
    return code


def _give_up_output() -> None:
    """Leaves what is unwritten unwritten, so that the interpreter does not try again on its way out."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(options: argparse.Namespace) -> int:
    """The command's exit code. What an author did wrong is shown, what the world did is told in one line."""
    from akmc.diagnostic import CompileFailed
    from akmc.plan_file import NotWritten, PlanUnreadable
    from akmc.source import SourceUnreadable

    as_json = getattr(options, "format", None) == "json"
    try:
        code: int = options.command(options)
    except CompileFailed as failed:
        if as_json:
            _print_json({"diagnostics": _as_json(failed.diagnostics)})
        else:
            _show(failed.diagnostics, sys.stderr)
        return FOUND
    except (SourceUnreadable, PlanUnreadable, NotWritten) as error:
        if as_json:
            _print_json({"error": str(error)})
        _tell(str(error))
        return USAGE
    return code


def _compile(options: argparse.Namespace) -> int:
    from akmc.artifact import artifact, compare
    from akmc.plan_file import is_same_file, write_whole

    made = artifact(options.source, options.registry, options.output)
    if options.check:
        compare(made)
    elif is_same_file(made.output, options.source):
        _tell(f"{made.output}: is the source itself, which would be lost")
        return USAGE
    else:
        write_whole(made.output, made.data)
    if options.format == "json":
        kind = "plan" if made.kind == "workflow" else "table"
        named = {made.kind: made.name, kind: str(made.output), f"{kind}_hash": made.digest}
        _print_json({**named, "warnings": _as_json(made.warnings)})
    else:
        _show(made.warnings, sys.stderr)
        print(f"{made.output}  {made.digest}")
    return FINE


def _lint(options: argparse.Namespace) -> int:
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
        _take_every_text(encoding="utf-8")
    print(written(report, options.format, here=os.getcwd(), began=began, colour=_coloured(sys.stdout)), end="")
    for error in report.unreadable:
        _tell(str(error))
    if linted.unreadable:
        return USAGE
    return FOUND if any(found.severity == "error" for found in linted.findings) else FINE


def _fmt(options: argparse.Namespace) -> int:
    from akmc.fmt.files import difference, layouts_of, replace
    from akmc.lint import sources_under

    if "-" in options.paths:
        return _fmt_input(options)
    layouts = layouts_of(sources_under(options.paths))
    looking = options.check or options.diff
    for change in layouts.changes:
        if not looking:
            replace(change)
        if options.format == "text":
            print(difference(change) if options.diff else f"{change.path}\n", end="")
    _report_layouts(options, layouts)
    if layouts.unreadable:
        return USAGE
    return FOUND if layouts.findings or (looking and layouts.changes) else FINE


def _report_layouts(options: argparse.Namespace, layouts: "Layouts") -> None:
    unreadable = [str(error) for error in layouts.unreadable]
    if options.format == "json":
        changed = [change.path for change in layouts.changes]
        _print_json({"changed": changed, "diagnostics": _as_json(layouts.findings), "unreadable": unreadable})
    else:
        _show(layouts.findings, sys.stderr)
    for error in unreadable:
        _tell(error)


def _fmt_input(options: argparse.Namespace) -> int:
    """Lays out what stands on standard input, for editors; with --check or --diff only looks at it."""
    from akmc.fmt import formatted
    from akmc.fmt.files import Change, difference
    from akmc.source import SOURCE_BYTES_MAX, Source

    if options.paths != ["-"]:
        _tell("`-`, standard input, stands alone: name no other path beside it")
        return USAGE
    data = sys.stdin.buffer.read(SOURCE_BYTES_MAX + 1)
    change = Change("<stdin>", data.decode("utf-8", "replace"), formatted(Source.decode("<stdin>", data)))
    if not options.check and not options.diff:
        sys.stdout.buffer.write(change.after.encode("utf-8"))
        return FINE
    if options.diff:
        print(difference(change), end="")
    return FINE if change.before == change.after else FOUND


def _explain(options: argparse.Namespace) -> int:
    from akmc.explain import UnknownCode, explained

    try:
        print(explained(options.code), end="")
    except UnknownCode as error:
        _tell(str(error))
        return USAGE
    return FINE


def _graph(options: argparse.Namespace) -> int:
    from akmc.graph import mermaid

    print(mermaid(_plan_of(options.source, options.registry)), end="")
    return FINE


def _plan_of(path: str, registry: str | None) -> "Plan":
    """The plan in a file, or the one that a source compiles to."""
    from akmc.pipeline import compile_workflow, registry_beside
    from akmc.plan_file import read_plan
    from akmc.source import Source

    if path.endswith(".json"):
        return read_plan(path)
    source = Source.read(path)
    made = compile_workflow(source, Source.read(registry) if registry else registry_beside(path))
    _show(made.warnings, sys.stderr)
    return made.plan


def _schema(options: argparse.Namespace) -> int:
    from akmc.plan_file import published_schema

    if options.of is None:
        _print_json({name: published_schema(name) for name in _SCHEMAS})
    else:
        _print_json(published_schema(options.of))
    return FINE


def _show(findings: "Iterable[Diagnostic]", to: TextIO) -> None:
    from akmc.reports.text import to_text

    for found in findings:
        print(to_text(found, colour=_coloured(to)), file=to)


def _coloured(to: TextIO | None) -> bool:
    return to is not None and to.isatty() and not os.environ.get("NO_COLOR")


def _take_every_text(encoding: str | None = None) -> None:
    """Makes standard output write what its encoding lacks as escapes, instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding=encoding, errors="backslashreplace")


def _as_json(findings: "Iterable[Diagnostic]") -> "list[JsonObject]":
    from akmc.reports.json import to_json

    return [to_json(found) for found in findings]


def _print_json(document: object) -> None:
    print(json.dumps(document, indent=2, ensure_ascii=False))


def _tell(message: str) -> None:
    print(f"akmc: {message}", file=sys.stderr)


_SCHEMAS = ("document", "registry", "plan")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="akmc",
        description="Checks workflows and freezes them into plans.",
        epilog="example: akmc compile release.akm",
    )
    parser.add_argument("--version", action="version", version=f"akmc {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, does: str, example: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=does, description=does, epilog=f"example: {example}")

    command = add(
        "compile", "check a source and write its frozen plan", "akmc compile release.akm -o release.plan.json"
    )
    command.add_argument("source", metavar="SRC", help="a workflow, or a lifecycle")
    command.add_argument("-o", "--output", metavar="PLAN", help="default: SRC with .plan.json")
    command.add_argument("--check", action="store_true", help="write nothing; fail when PLAN is not up to date")
    command.add_argument(
        "--json", action="store_const", dest="format", const="json", help="print one JSON document"
    )
    command.set_defaults(command=_compile)
    _add_registry(command)

    command = add("lint", "check every source under the paths", "akmc lint workflows --format json")
    command.add_argument("paths", metavar="PATH", nargs="+", help="a source, or a folder to search for *.akm")
    command.add_argument("--format", choices=FORMS, default="text")
    command.add_argument(
        "--max-findings",
        type=_count,
        metavar="N",
        default=FINDINGS_MAX,
        help=f"show at most so many, and say how many more there are (default: {FINDINGS_MAX})",
    )
    command.set_defaults(command=_lint)
    _add_registry(command)

    command = add("fmt", "bring sources into the one canonical layout; comments are kept", "akmc fmt . --check")
    command.add_argument("paths", metavar="PATH", nargs="+", help="a source, a folder, or - for standard input")
    command.add_argument("--check", action="store_true", help="write nothing; name the files that would change")
    command.add_argument("--diff", action="store_true", help="write nothing; show what would change")
    command.add_argument(
        "--json", action="store_const", dest="format", const="json", default="text", help="print one JSON document"
    )
    command.set_defaults(command=_fmt)

    command = add("explain", "say what a finding means, with a wrong and a right example", "akmc explain AKM2003")
    command.add_argument("code", metavar="CODE")
    command.set_defaults(command=_explain)

    command = add("graph", "draw a workflow", "akmc graph release.akm --to mermaid")
    command.add_argument("source", metavar="SRC|PLAN", help="a workflow, or a plan whose name ends in .json")
    command.add_argument("--to", choices=("mermaid",), default="mermaid")
    command.set_defaults(command=_graph)
    _add_registry(command)

    command = add("schema", "print the JSON Schema of documents, registries and plans", "akmc schema plan")
    command.add_argument("of", nargs="?", choices=_SCHEMAS, help="default: one object with all of them")
    command.set_defaults(command=_schema)
    return parser


def _count(text: str) -> int:
    """A number of findings. Raises ArgumentTypeError."""
    if text.isascii() and text.isdecimal() and len(text) < 10:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no number of findings")


def _add_registry(command: argparse.ArgumentParser) -> None:
    command.add_argument("--registry", metavar="FILE", help="default: registry.akm beside the workflow")
