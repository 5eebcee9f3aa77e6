"""The flow: which outcome of which step leads where, and what follows from that alone."""

from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from akm_specs.plan import TERMINALS, Origin
from akmc.document import Branch, Place, RouteStep, Step, Transition, Workflow
from akmc.outcomes import DEFAULTED, branch_outcome, outcomes_of


@dataclass(frozen=True, slots=True)
class Edge:
    """One outcome's way to a step or a terminal. `maximum` is what the author wrote behind it."""

    source: str
    outcome: str
    target: str
    maximum: int | None
    back: bool
    origin: Origin
    place: Place


@dataclass(frozen=True, slots=True)
class Line:
    """One `on`, `when` or `otherwise` as written, whether or not it makes sense.

    `repeats` says that an earlier line of the step has the same outcome, which is the one that counts.
    """

    source: str
    outcome: str
    target: str
    maximum: int | None
    place: Place
    repeats: bool


@dataclass(frozen=True, slots=True)
class Flow:
    """Steps in the order of the file, and the edges between them; the first step is the start.

    `lines` are all that lead somewhere, in the order of the file, sound or not.

    `whole` says that names are unique, targets known and outcomes handled. Without that, nothing about all
    paths can be concluded, and rules that would do so keep quiet: the hole itself is reported already.
    """

    steps: tuple[str, ...]
    lines: tuple[Line, ...]
    edges: tuple[Edge, ...]
    whole: bool
    _leaving: Mapping[str, tuple[Edge, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        leaving: dict[str, list[Edge]] = {}
        for edge in self.edges:
            leaving.setdefault(edge.source, []).append(edge)
        object.__setattr__(self, "_leaving", {name: tuple(edges) for name, edges in leaving.items()})

    def leaving(self, step: str) -> tuple[Edge, ...]:
        """The edges out of `step`, in the order written; defaulted ones last."""
        return self._leaving.get(step, ())

    def distances(self) -> dict[str, int]:
        """The least number of transitions from the start to each step and terminal that can be reached."""
        found = {self.steps[0]: 0}
        layer = [self.steps[0]]
        while layer:
            ahead = [edge for name in layer for edge in self.leaving(name)]
            layer = []
            for edge in ahead:
                if edge.target not in found:
                    found[edge.target] = found[edge.source] + 1
                    layer.append(edge.target)
        return found

    def ending(self) -> frozenset[str]:
        """The steps from which a terminal can be reached by edges that the author wrote."""
        entering: dict[str, list[str]] = {}
        for edge in self.edges:
            if edge.origin == "declared":
                entering.setdefault(edge.target, []).append(edge.source)
        found: set[str] = set()
        pending: list[str] = [*TERMINALS]
        while pending:
            more = [source for source in entering.get(pending.pop(), ()) if source not in found]
            found.update(more)
            pending += more
        return frozenset(found)

    def left_before(self, carries: Callable[[Edge], bool]) -> Mapping[str, AbstractSet[str]]:
        """For each reachable step, those that every path to it has last left by an edge that `carries`.

        A forward analysis that starts from "all" and only ever removes, so it ends.
        """
        bits = {name: 1 << at for at, name in enumerate(self.steps)}
        reached = self.distances()
        before = dict.fromkeys(reached, (1 << len(bits)) - 1)
        before[self.steps[0]] = 0
        kept = [
            (edge.source, edge.target, ~bits[edge.source], bits[edge.source] if carries(edge) else 0)
            for edge in self.edges
            if edge.source in reached
        ]
        changed = True
        while changed:
            changed = False
            for source, target, others, own in kept:
                narrowed = before[target] & ((before[source] & others) | own)
                changed = changed or narrowed != before[target]
                before[target] = narrowed
        return {step: _Steps(bits, found) for step, found in before.items()}


class _Steps(AbstractSet[str]):
    """Some of the steps, as the bits of one integer: many such sets are made, and few names of each asked for."""

    def __init__(self, bits: Mapping[str, int], found: int) -> None:
        self._bits = bits
        self._found = found

    def __contains__(self, step: object) -> bool:
        return isinstance(step, str) and bool(self._bits.get(step, 0) & self._found)

    def __iter__(self) -> Iterator[str]:
        return (name for name, bit in self._bits.items() if bit & self._found)

    def __len__(self) -> int:
        return self._found.bit_count()


def flow_of(workflow: Workflow) -> Flow:
    """The flow of `workflow`. What cannot be an edge is left out; then the flow is not whole."""
    positions: dict[str, int] = {}
    for at, step in enumerate(workflow.steps):
        positions.setdefault(step.name, at)
    written: list[Line] = []
    edges: list[Edge] = []
    whole = len(positions) == len(workflow.steps) and not positions.keys() & set(TERMINALS)
    for at, step in enumerate(workflow.steps):
        lines, producible = list(_lines(step, ("steps", at))), outcomes_of(step)
        sound = [line for line in lines if not line.repeats and line.outcome in producible]
        sound = [line for line in sound if line.target in positions or line.target in TERMINALS]
        leaving = [_declared(line, back=positions.get(line.target, len(positions)) <= at) for line in sound]
        leaving += _defaulted(step, {line.outcome for line in lines}, ("steps", at))
        written += lines
        whole = whole and len(sound) == len(lines) and len(leaving) == len(producible) > 0
        edges += leaving
    return Flow(tuple(positions), tuple(written), tuple(edges), whole)


def _declared(line: Line, *, back: bool) -> Edge:
    return Edge(line.source, line.outcome, line.target, line.maximum, back, "declared", line.place)


def _defaulted(step: Step, handled: AbstractSet[str], place: Place) -> list[Edge]:
    """The edges of failures for which the author wrote no line. A route cannot fail: its words are values."""
    if isinstance(step, RouteStep):
        return []
    left = [outcome for outcome in DEFAULTED if outcome in outcomes_of(step) and outcome not in handled]
    return [Edge(step.name, outcome, "failed", None, False, "defaulted", place) for outcome in left]


def _lines(step: Step, place: Place) -> Iterator[Line]:
    written: list[tuple[str, Transition | Branch, Place]]
    if isinstance(step, RouteStep):
        written = [(branch_outcome(each.when), each, ("branches", at)) for at, each in enumerate(step.branches)]
    else:
        written = [(each.outcome, each, ("on", at)) for at, each in enumerate(step.on)]
    seen: set[str] = set()
    for outcome, each, inner in written:
        yield Line(step.name, outcome, each.target, each.maximum, (*place, *inner), outcome in seen)
        seen.add(outcome)
