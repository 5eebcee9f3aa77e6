"""Which tests are asked about which rooms: the quick ones, that run in the mutant's own process."""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Room:
    """Modules that are tested together. A package stands for all its modules."""

    names: tuple[str, ...]
    tests: tuple[str, ...]

    def modules(self) -> Iterator[tuple[str, Path]]:
        """The name and the file of each module."""
        for name in self.names:
            folder = _source_of(name)
            if folder.is_file():
                yield name, folder
                continue
            for path in sorted(folder.rglob("*.py")):
                inner = path.relative_to(folder).with_suffix("").parts
                yield ".".join((name, *(part for part in inner if part != "__init__"))), path


def _source_of(name: str) -> Path:
    """The file or the folder of a module, found without loading it or its package."""
    top, *inner = name.split(".")
    spec = importlib.util.find_spec(top)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent.joinpath(*inner)
    return folder if folder.is_dir() else folder.with_suffix(".py")


KERNEL = tuple(
    f"tests/executor/test_kernel_{name}.py"
    for name in (
        *(
            "work",
            "recovery",
            "endings",
            "gates",
            "waits",
            "panels",
            "maps",
            "conditions",
            "deliveries",
            "sessions",
        ),
        *("evolve", "altered", "children", "late", "machines", "digest"),
    )
)
COMPOSITION = "tests/properties/test_composition.py::test_the_kernel_reaches_the_standings_that_are_known"
ROOMS = {
    "kernel": Room(("akm.kernel",), (*KERNEL, COMPOSITION)),
    "reply": Room(
        ("akm.reply",), ("tests/executor/test_reply_rules.py", "tests/executor/test_reply_properties.py")
    ),
    "lease": Room(
        ("akm.journal.lease",), ("tests/executor/test_lease_claims.py", "tests/executor/test_journal_append.py")
    ),
    "rules": Room(("akmc.rules",), ("tests/compiler/test_rules.py",)),
}
