"""Whether the tests notice a fault: `python -m tests.mutation --sample 300`.

Each mutant is loaded in place of its module in a process of its own, where the tests of its room run until one
fails. mutmut and cosmic-ray change files and start an interpreter for each mutant; here libraries are loaded once,
no file of the checkout is touched, and other tests can run meanwhile.
"""

import argparse
import ast
import importlib.abc
import importlib.util
import json
import os
import random
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Literal

from tests.assay.recorded import CHECKOUT, record
from tests.mutation.known import reason
from tests.mutation.mutants import Mutant, mutants
from tests.mutation.rooms import ROOMS, Room

SAYS = "Small faults planted in the product, and whether the tests of the room notice them."
#: A mutant that takes so much longer than the unaltered module is noticed as well: it hangs.
SLOWER, SECONDS_MORE = 4, 20
#: What pytest has against libraries that were loaded before it.
LOADED_BEFORE = "ignore::pytest.PytestAssertRewriteWarning"
OPTIONS = ("-x", "-q", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-W", LOADED_BEFORE)
Verdict = Literal["killed", "hangs", "survived"]


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no test noticed."""

    module: str
    line: int
    what: str
    text: str
    reason: str


class _Planted(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Gives one module from a tree, in the place of its file."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self._name, self._path, self._tree = name, path, tree

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if fullname != self._name:
            return None
        folders = [str(self._path.parent)] if self._path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(
            fullname, self._path, loader=self, submodule_search_locations=folders
        )

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._tree, str(self._path), "exec"), module.__dict__)


def tried(name: str, path: Path, tree: ast.Module, tests: Sequence[str], seconds: float) -> Verdict:
    """What the tests say of the module `name` when it is `tree`."""
    child = os.fork()
    if child == 0:
        _test(name, path, tree, tests)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "survived" if os.waitstatus_to_exitcode(status) == 0 else "killed"
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "hangs"


def _test(name: str, path: Path, tree: ast.Module, tests: Sequence[str]) -> None:
    """In the child: nothing of the product is loaded yet but what mutants are not made of."""
    code = 1
    try:
        os.setpgid(0, 0)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = tempfile.mkdtemp(prefix="akm-mutant-")
        sys.meta_path.insert(0, _Planted(name, path, tree))
        import pytest

        code = pytest.main([*OPTIONS, *tests])
    except BaseException as error:
        print(f"no test was run: {error!r}", file=sys.stderr, flush=True)
    finally:
        os._exit(int(code))


def _libraries() -> None:
    """Loads what every child needs and no mutant is made of."""
    for name in (
        "pytest",
        "hypothesis",
        "hypothesis.strategies",
        "lark",
        "transitions",
        "jsonschema",
        "yaml",
        "psutil",
    ):
        importlib.import_module(name)


def chosen(room: Room, sample: int | None, seed: int) -> list[tuple[str, Path, Mutant]]:
    """The mutants of a room, or as many of them by chance."""
    found = [(name, path, mutant) for name, path in room.modules() for mutant in mutants(path.read_text("utf-8"))]
    if sample is None or sample >= len(found):
        return found
    return random.Random(seed).sample(found, sample)


def assayed(name: str, room: Room, sample: int | None, seed: int, deadline: float) -> dict[str, object]:
    """The room's mutants, tried until the deadline."""
    everything = sum(1 for _, path in room.modules() for _ in mutants(path.read_text("utf-8")))
    first_name, first_path = next(iter(room.modules()))
    began = time.monotonic()
    unaltered = ast.parse(first_path.read_text("utf-8"))
    if tried(first_name, first_path, unaltered, room.tests, 600) != "survived":
        raise SystemExit(f"{name}: the tests fail without any fault")
    seconds = (time.monotonic() - began) * SLOWER + SECONDS_MORE
    verdicts: list[Verdict] = []
    survivors: list[Survivor] = []
    for module, path, mutant in chosen(room, sample, seed):
        if time.monotonic() > deadline:
            break
        verdicts.append(tried(module, path, mutant.tree, room.tests, seconds))
        if verdicts[-1] == "survived":
            text = path.read_text("utf-8").splitlines()[mutant.line - 1].strip()
            why = reason(module, text, mutant.what)
            survivors.append(Survivor(module, mutant.line, mutant.what, text, why))
            print(f"{module}:{mutant.line} {mutant.what}: {text}", flush=True)
    noticed = len(verdicts) - len(survivors)
    print(f"{name}: {noticed} of {len(verdicts)} noticed, of {everything} there are", flush=True)
    return {
        "room": name,
        "seed": seed,
        "mutants": everything,
        "tried": len(verdicts),
        "killed": verdicts.count("killed"),
        "hangs": verdicts.count("hangs"),
        "survived": [asdict(each) for each in survivors],
    }


def _explain(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    for campaign in document["campaigns"]:
        for each in campaign["numbers"]["survived"]:
            each["reason"] = reason(each["module"], each["text"], each["what"])
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def main(arguments: Iterable[str] | None = None) -> int:
    """Try the mutants of the rooms that were asked for, and write the numbers down."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--room", action="append", choices=ROOMS, help="only this one; may be repeated")
    parser.add_argument("--sample", type=int, help="so many of each room's, by chance")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=600, help="stop after that long")
    parser.add_argument("--record", type=Path, metavar="FILE", help="add the numbers there, as JSON")
    parser.add_argument("--explain", type=Path, metavar="FILE", help="only say in this record why mutants survived")
    options = parser.parse_args(None if arguments is None else list(arguments))
    if options.explain is not None:
        _explain(options.explain)
        return 0
    os.chdir(CHECKOUT)
    _libraries()
    deadline = time.monotonic() + options.minutes * 60
    for name in options.room or list(ROOMS):
        numbers = assayed(name, ROOMS[name], options.sample, options.seed, deadline)
        if options.record is not None:
            record(options.record, SAYS, "python -m tests.mutation --sample 300", "campaigns", numbers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
