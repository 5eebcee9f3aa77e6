"""Where the store is: `--store`, else AKM_STORE, else the nearest `.akm` upwards, else the git root, else here."""

import argparse
import os
from pathlib import Path

from akm.journal.store import Store

NAME = ".akm"


def store_directory(arguments: argparse.Namespace) -> Path:
    """The directory of the store that a command is to use."""
    given = arguments.store or os.environ.get("AKM_STORE")
    if given:
        return Path(given).absolute()
    here = Path.cwd()
    upwards = (here, *here.parents)
    for directory in upwards:
        if (directory / NAME).is_dir():
            return directory / NAME
    root = next((directory for directory in upwards if (directory / ".git").exists()), here)
    return root / NAME


def open_store(arguments: argparse.Namespace, *, create: bool = False) -> Store:
    """The store; only a new run makes one. Raises a StoreFault."""
    return Store(store_directory(arguments), create=create)
