"""What SPIN says of the composition, beside what the kernel says: `python -m tests.assay.spin --record FILE`."""

import argparse
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.assay.composition import CLASSES, LOSSES_MAX, PROCESSES, RECOVERABLE, RECOVERIES, Standing, explore
from tests.assay.composition_promela import CLAIMS, NONE, REACHED, composition_promela
from tests.assay.recorded import record

from akm_specs.lifecycle import Lifecycle, load

SAYS = (
    "Two steps of each effect class, with an engine that stops between any two commits and a host that takes the"
    " process with it: what the real kernel reaches, and what a model for SPIN reaches that shares no code with it."
)
DEPTH_MAX = 100_000


@dataclass(frozen=True, slots=True)
class Verifier:
    """A verifier that SPIN made of a model: all standings by `plain`, claims by `watching`."""

    folder: Path

    def standings(self) -> tuple[frozenset[Standing], int]:
        """What is reached, and how many states SPIN stores, that before the first move left out."""
        told = self._run("./plain", "any")
        stored = re.search(r"^ +(\d+) states, stored", told, flags=re.MULTILINE)
        assert stored is not None, told
        lines = re.findall(r"^ *@ ([\d ]+)$", told, flags=re.MULTILINE)
        return frozenset(_standing(list(map(int, line.split()))) for line in lines), int(stored[1]) - 1

    def holds(self, claim: str) -> bool:
        """Whether a claim of CLAIMS or of REACHED holds, and no move was made that no table lists."""
        return "errors: 0" in self._run("./watching", claim)

    def _run(self, program: str, claim: str) -> str:
        argv = [program, f"-m{DEPTH_MAX}", "-a", "-N", claim]
        told = subprocess.run(argv, cwd=self.folder, capture_output=True, text=True, check=True).stdout
        assert "max search depth too small" not in told
        return told


def verifier(folder: Path, tool: str, fault: str = "", **tables: Lifecycle) -> Verifier:
    """Of the composition of one class, with a fault planted or in other tables than the compiled ones."""
    recoveries = RECOVERIES if tool in RECOVERABLE else 0
    for name, options in (("plain", ["-DPRINTF"]), ("watching", ["-DMONITOR"])):
        text = composition_promela(tool, recoveries, LOSSES_MAX, fault, **tables)
        (folder / f"{name}.pml").write_text("#define MONITOR\n" + text if name == "watching" else text)
        subprocess.run(["spin", "-a", f"{name}.pml"], cwd=folder, check=True, capture_output=True)
        build = ["gcc", "-O0", "-w", "-DNOREDUCE", *options, "-o", name, "pan.c"]
        subprocess.run(build, cwd=folder, check=True, capture_output=True)
    return Verifier(folder)


def _standing(numbers: list[int]) -> Standing:
    run, step, step_attempt, assignment, attempt, effect, number, lost, ending, up, process, acts, losses = numbers
    return Standing(
        _state("run", run),
        step,
        _state("step_attempt", step_attempt),
        _state("assignment", assignment),
        _state("attempt", attempt),
        _state("effect", effect),
        number,
        lost,
        "cancelled" if ending else "none",
        bool(up),
        PROCESSES[process],
        acts,
        losses,
    )


def _state(lifecycle: str, at: int) -> str:
    return "none" if at == NONE else load(lifecycle)["states"][at]["name"]


def main() -> int:
    """Compare every class and write down what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.assay.spin", description=__doc__)
    parser.add_argument("--record", type=Path, metavar="FILE")
    options = parser.parse_args()
    numbers: dict[str, object] = {}
    agree = True
    for effect in CLASSES:
        with tempfile.TemporaryDirectory(prefix="akm-spin-") as folder:
            model, ours = verifier(Path(folder), effect), explore(effect)
            theirs, stored = model.standings()
            agree = agree and theirs == ours and stored == len(ours)
            numbers[effect] = {
                "kernel": len(ours),
                "spin": stored,
                "the same standings": theirs == ours,
                "claims": {claim: model.holds(claim) for claim in CLAIMS},
                "reached": {name: not model.holds(f"never_{name}") for name in REACHED},
            }
            print(effect, numbers[effect], flush=True)
    if options.record is not None:
        record(options.record, SAYS, "python -m tests.assay.spin", "comparisons", numbers)
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
