"""Runs as a proof shows them: step attempts and their outcomes, as text and as a Mermaid sequence."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from akmc.graph.mermaid import escaped
from akmc.proof.model import Model


@dataclass(frozen=True, slots=True)
class Visit:
    """One entry of a step: its number, from 1, and the outcome that it ended with."""

    step: str
    number: int
    outcome: str


@dataclass(frozen=True, slots=True)
class Trace:
    """A run from its start: what it visits, and the step or terminal that it comes to."""

    visits: tuple[Visit, ...]
    end: str


def trace_of(model: Model, path: Iterable[int]) -> Trace:
    """The run that takes the edges of `path`."""
    entries: Counter[int] = Counter()
    visits: list[Visit] = []
    end = 0
    for number in path:
        edge = model.edges[number]
        entries[edge.source] += 1
        visits.append(Visit(model.nodes[edge.source], entries[edge.source], edge.outcome))
        end = edge.target
    return Trace(tuple(visits), model.nodes[end])


#: Visits that one line shows of a run: half of them from its start, half from its end.
VISITS_MAX = 12


def trace_text(trace: Trace, visits_max: int = VISITS_MAX) -> str:
    """The run in one line: what it visits with which outcome, and where that leads. A long one lacks its middle."""
    visits = [f"{visit.step} ({visit.outcome})" for visit in trace.visits]
    more = len(visits) - visits_max
    if more > 0:
        visits[visits_max // 2 : visits_max // 2 + more] = [f"… {more} more …"]
    return " -> ".join([*visits, trace.end])


def sequence(trace: Trace, note: str) -> str:
    """The run as a Mermaid sequence diagram, with `note` on what has happened at its end."""
    names = list(dict.fromkeys([*(visit.step for visit in trace.visits), trace.end]))
    ids = {name: f"s{number}" for number, name in enumerate(names, start=1)}
    lines = ["sequenceDiagram", "  participant run"]
    lines += [f"  participant {ids[name]} as {escaped(name)}" for name in names]
    for visit in trace.visits:
        lines.append(f"  run->>{ids[visit.step]}: enter {escaped(f'{visit.step}#{visit.number}')}")
        lines.append(f"  {ids[visit.step]}-->>run: {escaped(visit.outcome)}")
    lines.append(f"  run->>{ids[trace.end]}: enter {escaped(trace.end)}")
    lines.append(f"  Note over run,{ids[trace.end]}: {escaped(note)}")
    return "\n".join(lines) + "\n"
