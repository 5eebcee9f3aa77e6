"""The command `akm`. A command's module is loaded when it is called, and nothing before."""

import sys
from collections.abc import Sequence

#: `Exit.INTERRUPTED`, here without loading anything: an interrupt may come at any time.
INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run `akm` with `argv` (the process's own by default); the exit code of the table in docs/reference/cli.md."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    if arguments == ["--version"]:
        from akm import __version__

        print(f"akm {__version__}")
        return 0
    try:
        return _command(arguments)
    except KeyboardInterrupt:  # while nothing is driven yet; a driver takes signals itself
        return INTERRUPTED


def _command(arguments: Sequence[str]) -> int:
    from akm.cli.parser import parse
    from akm.cli.reporting import UsageFault, guarded, report_fault
    from akm.cli.streams import prepare_streams

    prepare_streams()
    try:
        parsed = parse(arguments)
    except UsageFault as wrong:
        return report_fault(wrong, as_json="--json" in arguments)
    return guarded(parsed)
