"""Altered journals and arguments, given to the commands themselves, each in a process of its own."""

import io
import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

from tests.assay.alterations import ODD_TEXTS, altered_bytes, altered_text
from tests.assay.faulty import Wrong

import akm.cli
import akmc.cli

#: What docs/reference/cli.md lists for each of the two.
AKM_EXITS = frozenset({0, 1, 2, 3, 4, 5, 6, 7, 130})
AKMC_EXITS = frozenset({0, 1, 2, 130})
SECONDS_MAX = 20
SOURCE = """workflow small "Two steps and a wait" {
  step one: exec act { on passed -> two, on failed -> failed }
  step two: exec act { on passed -> later, on failed -> failed }
  step later: approval { by alice, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed }
}
"""
REGISTRY = 'tool act { argv ["true"], effect read_only }\n'
WORDS = {
    "akm": (
        *("list", "status", "log", "digest", "export", "verify", "report", "approve", "reject", "signal", "cancel"),
        *("resolve", "gc", "outbox", "simulate", "resume", "--json", "--store", "--as", "--reason", "--action"),
        *(
            "--ref",
            "--data",
            "--key",
            "--limit",
            "--status",
            "--format",
            "junit",
            "--runs",
            "3",
            "--seed",
            "--crash",
        ),
        *("--older-than", "0s", "--dry-run", "--project", "--release", "--max-steps", "--timeout", "--log-format"),
        *("--id", "-p", "--params", "--help", "--version", "run", "r", "later", "one#1/1", "mark-failed", "alice"),
        *("small.akm", "small.plan.json", "absent", ".", "{}", "1", "-1", "9" * 40, "1h", "json"),
    ),
    "akmc": (
        *("compile", "lint", "verify", "diff", "fmt", "graph", "convert", "explain", "schema", "--check", "-o"),
        *("--registry", "--format", "json", "sarif", "github", "junit", "text", "--to", "mermaid", "dot", "svg"),
        *("promela", "AKM2001", "small.akm", "registry.akm", "small.plan.json", "absent", ".", "plan"),
        *("--help", "--version", "1", "-", "--json", "out.json"),
    ),
}


def _called(main: Callable[[Sequence[str]], int], arguments: Sequence[str], folder: Path) -> tuple[int, str, str]:
    """The exit code of a command and what it printed. It runs in a child process, and is stopped when it hangs."""
    out, err = folder / ".out", folder / ".err"
    child = os.fork()
    if child == 0:
        _become(main, arguments, folder, out, err)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    told = err.read_text(encoding="utf-8", errors="replace")
    if code == -signal.SIGALRM:
        raise Wrong(f"no answer after {SECONDS_MAX} s: {list(arguments)}")
    return code, out.read_text(encoding="utf-8", errors="replace"), told


def _become(
    main: Callable[[Sequence[str]], int], arguments: Sequence[str], folder: Path, out: Path, err: Path
) -> None:
    """In the child: the command, and then nothing of the parent's."""
    code = 70
    try:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(SECONDS_MAX)
        os.environ.pop("AKM_STORE", None)
        os.environ["HOME"] = str(folder)
        os.chdir(folder)
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115  # the process ends with it
        sys.stdout = io.TextIOWrapper(io.FileIO(1, "w", closefd=False), write_through=True)
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True)
        try:
            code = main(list(arguments))
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 70
        sys.stdout.flush()
    except BaseException as error:
        print(f"Traceback: {type(error).__name__}: {error}", file=sys.stderr, flush=True)
    finally:
        os._exit(code)


def _judged(exits: frozenset[int], code: int, told: str, arguments: Sequence[str]) -> None:
    if "Traceback" in told or "internal error" in told:
        raise Wrong(f"{list(arguments)}: {told[-1500:]}")
    if code not in exits:
        raise Wrong(f"{list(arguments)} exited {code}: {told[-500:]}")


@cache
def _project() -> Path:
    """A folder with a source, its plan, and a store with one parked run and a write-ahead log."""
    folder = Path(tempfile.mkdtemp(prefix="akm-fuzz-project-"))
    (folder / "small.akm").write_text(SOURCE)
    (folder / "registry.akm").write_text(REGISTRY)
    live, kept = folder / ".akm", folder / "kept"
    assert _called(akmc.cli.main, ["compile", "small.akm"], folder)[0] == 0
    assert _called(akm.cli.main, ["run", "small.plan.json", "--id", "r", "--max-steps", "1"], folder)[0] == 4
    with closing(sqlite3.connect(live / "akm.db")) as holder:  # as long as one holds it, the log stays
        holder.execute("SELECT count(*) FROM runs").fetchone()
        assert _called(akm.cli.main, ["resume", "r"], folder)[0] == 4
        shutil.copytree(live, kept)
    shutil.rmtree(live)
    assert (kept / "akm.db-wal").stat().st_size > 0
    return folder


@cache
def _exported() -> tuple[str, ...]:
    """The events of the run as they are."""
    with tempfile.TemporaryDirectory(prefix="akm-fuzz-") as name:
        folder = _copied(Path(name))
        code, out, told = _called(akm.cli.main, ["export", "r"], folder)
        assert code == 0, told
        return tuple(out.splitlines())


def _copied(folder: Path) -> Path:
    for name in ("small.akm", "registry.akm", "small.plan.json"):
        shutil.copy(_project() / name, folder)
    shutil.copytree(_project() / "kept", folder / ".akm", dirs_exist_ok=True)
    return folder


def journal_database(chance: random.Random, folder: Path) -> str:
    """A store whose database was altered, its log put away first so that nothing hides the damage."""
    _copied(folder)
    with closing(sqlite3.connect(folder / ".akm" / "akm.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return _read_back(chance, folder, "akm.db", may_be_shorter=False)


def journal_wal(chance: random.Random, folder: Path) -> str:
    """A store whose write-ahead log was altered. SQLite drops a commit that was not whole: the run is shorter."""
    _copied(folder)
    (folder / ".akm" / "akm.db-shm").unlink(missing_ok=True)
    return _read_back(chance, folder, "akm.db-wal", may_be_shorter=True)


def _read_back(chance: random.Random, folder: Path, name: str, *, may_be_shorter: bool) -> str:
    """Verify, export and list; where nothing is wrong, what is exported is what was written."""
    whole = _exported()
    path = folder / ".akm" / name
    path.write_bytes(altered_bytes(chance, path.read_bytes()))
    verified, exported = (_called(akm.cli.main, [word, "r"], folder) for word in ("verify", "export"))
    listed = _called(akm.cli.main, ["list", "--json"], folder)
    for word, (code, _, told) in (("verify", verified), ("export", exported), ("list", listed)):
        _judged(AKM_EXITS, code, told, [word])
    if exported[0] == 0:
        lines = tuple(exported[1].splitlines())
        same = lines == whole or (may_be_shorter and lines == whole[: len(lines)])
        if not same:
            raise Wrong(f"export exits 0, and prints {len(lines)} events that are not the {len(whole)} written")
    if listed[0] == 0:
        json.loads(listed[1])
    return f"verify {verified[0]}, export {exported[0]}, list {listed[0]}"


def arguments_akm(chance: random.Random, folder: Path) -> str:
    """`akm` with arguments at random."""
    return _typed("akm", akm.cli.main, AKM_EXITS, chance, folder)


def arguments_akmc(chance: random.Random, folder: Path) -> str:
    """`akmc` with arguments at random."""
    return _typed("akmc", akmc.cli.main, AKMC_EXITS, chance, folder)


def _typed(
    name: str, main: Callable[[Sequence[str]], int], exits: frozenset[int], chance: random.Random, folder: Path
) -> str:
    folder = folder / "a" / "b"  # `../..` stays within the folder of this case
    folder.mkdir(parents=True)
    _copied(folder)
    arguments = [_word(chance, WORDS[name]) for _ in range(chance.randint(0, 7))]
    if chance.random() < 0.7:
        arguments.insert(0, chance.choice(WORDS[name][: 16 if name == "akm" else 10]))
    code, out, told = _called(main, arguments, folder)
    _judged(exits, code, told, arguments)
    if (
        name == "akm"
        and "--json" in arguments
        and code == 0
        and not {"--help", "--version", "export"} & {*arguments}
    ):
        for document in [out] if arguments[0] not in ("log",) else out.splitlines():
            json.loads(document)
    return f"exit {code}"


def _word(chance: random.Random, words: Sequence[str]) -> str:
    chosen = chance.random()
    word = chance.choice(words if chosen < 0.8 or chosen > 0.9 else ODD_TEXTS)
    if chosen > 0.9:
        word = altered_text(chance, word, words)
    word = word.replace("\0", "").encode("utf-8", "replace").decode()
    return "absent" if _leads_outside(word) else word


def _leads_outside(word: str) -> bool:
    """Whether `word`, or a part of it, may name a file that is not of this case: `akmc fmt` writes."""
    return "/" in word and word != "../.."
