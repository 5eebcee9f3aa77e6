"""How a command is added to `akmc`, and the options that several of them have."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


@dataclass(frozen=True, slots=True)
class Commands:
    """The commands of `akmc`, to which each module adds its own."""

    subparsers: "Subparsers"

    def add(
        self, name: str, does: str, example: str, run: Callable[[argparse.Namespace], int]
    ) -> argparse.ArgumentParser:
        """A command that `run` carries out and whose exit code it returns."""
        command = self.subparsers.add_parser(name, help=does, description=does, epilog=f"example: {example}")
        command.set_defaults(run=run)
        return command


def add_json(command: argparse.ArgumentParser) -> None:
    """Adds `--json`; `format` is None without it."""
    command.add_argument(
        "--json", action="store_const", dest="format", const="json", help="print one JSON document"
    )


def add_registry(command: argparse.ArgumentParser) -> None:
    """Adds `--registry`."""
    command.add_argument("--registry", metavar="FILE", help="default: registry.akm beside the workflow")
