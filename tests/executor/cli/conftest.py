"""A person at a terminal: a private directory, and the installed `akm` typed in it, as real processes."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from akmc.pipeline import compile_workflow
from akmc.source import Source

SCRIPT = Path(sys.executable).parent / "akm"
#: Long enough for a loaded machine, in seconds; nothing waits that long unless it fails.
PATIENCE_S = 60.0

#: `hold` says that it began, and is never done unless a file tells it to go on.
REGISTRY = """
tool good { argv ["true"], effect read_only }
tool bad  { argv ["false"], effect read_only }
tool say  { argv ["echo", "{\\"n\\": 7}"], effect read_only }
tool hold { argv ["sh", "-c", "echo began >> began; until test -e go; do sleep 0.05; done"], effect read_only }
tool pay  { argv ["sh", "-c", "echo began >> began; until test -e go; do sleep 0.05; done"] }
"""

EXAMPLES = Path(__file__).parents[3] / "specs" / "workflows"
#: Repeats the moments of an earlier session, which printed it.
SEED = "AKM_TEST_SEED"

PAY = "step pay: exec pay { attempts 2, on passed -> completed }"


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left behind."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document that is all of standard output."""
        return json.loads(self.out)


class Person:
    """Types `akm` in `here`, which has a store of its own."""

    def __init__(self, here: Path) -> None:
        self.here = here
        self.environment = {
            name: text for name, text in os.environ.items() if name not in ("AKM_STORE", "AKM_DEBUG", "NO_COLOR")
        }
        self._children: list[subprocess.Popen[str]] = []

    def write(self, name: str, text: str) -> Path:
        """A file of this name."""
        (self.here / name).write_text(text, encoding="utf-8")
        return self.here / name

    def copies(self, example: str, *left_out: str) -> None:
        """A copy of an example workflow, without these files and whatever runs leave; its `python` is on PATH."""
        ignored = shutil.ignore_patterns("__pycache__", ".akm", *left_out)
        shutil.copytree(EXAMPLES / example, self.here, ignore=ignored, dirs_exist_ok=True)
        self.environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{self.environment['PATH']}"

    def plan(self, steps: str, registry: str = REGISTRY, name: str = "work") -> str:
        """Freezes a workflow of these steps; the plan's file name."""
        source = Source(str(self.here / f"{name}.akm"), f'workflow {name} "Work" {{\n{steps}\n}}\n')
        compiled = compile_workflow(source, Source(str(self.here / "registry.akm"), registry))
        (self.here / f"{name}.plan.json").write_bytes(compiled.data)
        return f"{name}.plan.json"

    def akm(self, *words: str, cwd: Path | None = None, **environment: str) -> Ended:
        """What comes of `akm WORDS`."""
        ended = subprocess.run(
            [sys.executable, str(SCRIPT), *words],
            cwd=cwd or self.here,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def does(self, *words: str, code: int = 0) -> Ended:
        """As `akm`, which must exit with `code`."""
        ended = self.akm(*words)
        assert ended.code == code, (words, ended)
        return ended

    def told(self, *words: str, code: int = 0) -> Any:
        """The one document that `akm WORDS --json` prints."""
        return self.does(*words, "--json", code=code).document

    def events(self, name: str) -> list[Any]:
        """The data of each event of this name in run `r`."""
        return [event["data"] for event in self.told("log", "r") if event["event"] == name]

    def parked(self, steps: str, *words: str) -> None:
        """Run `r` of these steps, driven until it parks."""
        self.does("run", self.plan(steps), "--id", "r", *words, code=4)

    def begins(self, *words: str) -> "subprocess.Popen[str]":
        """`akm WORDS` in the background, killed at the latest when the test ends."""
        child = subprocess.Popen(
            [sys.executable, str(SCRIPT), *words],
            cwd=self.here,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._children.append(child)
        return child

    def kills(self, engine: "subprocess.Popen[str]", after_s: float) -> None:
        """An engine is gone with SIGKILL, this long after now."""
        time.sleep(after_s)
        engine.kill()
        engine.wait()

    def finishes(self, *words: str) -> dict[str, Any]:
        """Drives a run to its end by `akm WORDS`; what has to be the same, whatever happened on the way."""
        ended = self.told(*words)
        return {name: ended[name] for name in ("status", "outcome", "outputs", "digest", "plan_hash")}

    def holds(self, steps: str) -> "subprocess.Popen[str]":
        """An engine that drives run `r` of these steps, and whose first tool has begun."""
        engine = self.begins("run", self.plan(steps), "--id", "r")
        self.until(lambda: (self.here / "began").exists())
        return engine

    def blocked(self, steps: str = PAY) -> str:
        """Run `r`, whose engine was interrupted while it paid; the effect's name."""
        engine = self.holds(steps)
        engine.terminate()
        engine.wait(PATIENCE_S)
        self.does("resume", "r", code=5)
        (self.here / "began").unlink()
        return str(self.told("status", "r")["uncertain"][0]["effect"])

    def lets_go(self) -> None:
        """Tools that hold go on."""
        self.write("go", "")

    def until(self, looked_at: Callable[[], Any]) -> Any:
        """Looks until something is true, and gives it."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := looked_at()):
            assert time.monotonic() < deadline, "it has not become true"
            time.sleep(0.02)
        return found

    def living(self) -> list[int]:
        """Processes that work in this directory, or have a file of it open: engines, supervisors and tools."""
        found = []
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    places = [os.readlink(link) for link in (entry / "cwd", *(entry / "fd").iterdir())]
                    dead = b") Z" in (entry / "stat").read_bytes()
                except OSError:
                    continue
                if not dead and any(Path(place).is_relative_to(self.here) for place in places):
                    found.append(int(entry.name))
        return found

    def leaves(self) -> None:
        """Nothing of this directory goes on running."""
        for child in self._children:
            child.kill()
            child.communicate()
        for pid in self.living():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture(scope="session")
def person_in() -> Callable[[Path], Person]:
    """Makes a person in a directory; the store belongs there, and not further up."""

    def made(here: Path) -> Person:
        (here / ".git").mkdir(parents=True)
        return Person(here)

    return made


@pytest.fixture
def seed() -> str:
    """Where the moments of kills come from; a failing test shows it."""
    found = os.environ.get(SEED) or str(secrets.randbits(32))
    print(f"{SEED}={found}")
    return found


@dataclass(frozen=True, slots=True)
class Calm:
    """What a run leaves that nobody kills, and how long it took, in seconds."""

    facts: dict[str, Any]
    took_s: float


@pytest.fixture(scope="module")
def undisturbed(
    request: pytest.FixtureRequest, person_in: Callable[[Path], Person], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Calm]:
    """A run that nobody kills: the module's `EXAMPLE`, begun by its `START`, told by its `finished`."""
    person = person_in(tmp_path_factory.mktemp("undisturbed") / "here")
    person.copies(*request.module.EXAMPLE)
    began = time.monotonic()
    person.does(*request.module.START)
    took_s = time.monotonic() - began
    yield Calm(request.module.finished(person), took_s)
    person.leaves()


@pytest.fixture
def person(person_in: Callable[[Path], Person], tmp_path: Path) -> Iterator[Person]:
    """A person in a directory of their own, with no store yet."""
    found = person_in(tmp_path / "here")
    yield found
    found.leaves()
