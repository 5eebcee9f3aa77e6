"""Pins: which step captures which, and by what outcome."""

from collections.abc import Iterator
from dataclasses import dataclass

from akm_specs.plan import EvidenceKind
from akmc.document import Place, Workflow
from akmc.flow import Edge


@dataclass(frozen=True, slots=True)
class Pin:
    """Evidence that a step pins. `place` is the evidence's."""

    name: str
    kind: EvidenceKind
    step: str
    place: Place


def pins_of(workflow: Workflow) -> Iterator[Pin]:
    """Every pin of `workflow`, in the order of its steps."""
    for at, step in enumerate(workflow.steps):
        for index, each in enumerate(step.evidence):
            if each.pin:
                yield Pin(each.name, each.kind, step.name, ("steps", at, "evidence", index))


def captures(edge: Edge) -> bool:
    """Whether a step that is left by `edge` has captured its pins: evidence is asked for where it passes."""
    return edge.outcome in ("passed", "completed")
