"""Runs within runs: which of them decides when it goes on, and which one to resume."""

from dataclasses import dataclass

from akm.journal.projections import RunRow
from akm.journal.store import Store


@dataclass(frozen=True, slots=True)
class Family:
    """A run with what it stands and falls by now.

    `children` are its child run, that one's child run and so on, as far as they are at work. `eldest` is the id of
    the outermost run that it is nested in, which is to be resumed so that all of them go on.
    """

    row: RunRow
    children: tuple[RunRow, ...]
    eldest: str

    @property
    def decisive(self) -> RunRow:
        """The run whose decision, signal, moment or effect it is that all of them stand at."""
        return self.children[-1] if self.children else self.row


def family_of(store: Store, row: RunRow) -> Family:
    """Looks up and down from a run."""
    children: list[RunRow] = []
    while (child := (children[-1] if children else row).summary.get("child")) is not None:
        children.append(store.run(child["run"]))
    eldest = row
    while (parent := eldest.summary.get("parent")) is not None:
        eldest = store.run(parent["run"])
    return Family(row, tuple(children), eldest.run)
