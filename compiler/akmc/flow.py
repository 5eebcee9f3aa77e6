"""The flow: which outcome of which step leads where, and what follows from that alone."""

from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from akm_specs.plan import TERMINALS, Origin
from akmc.document import Place, RouteStep, Step, Workflow
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
class Flow:
    """Steps in the order of the file, and the edges between them; the first step is the start.

    `whole` says that names are unique, targets known and outcomes handled. Without that, nothing about all
    paths can be concluded, and rules that would do so keep quiet: the hole itself is reported already.
    """

    steps: tuple[str, ...]
    edges: tuple[Edge, ...]
    whole: bool

    def leaving(self, step: str) -> tuple[Edge, ...]:
        """The edges out of `step`, in the order written; defaulted ones last."""
        return tuple(edge for edge in self.edges if edge.source == step)

    def distances(self, without: AbstractSet[str] = frozenset()) -> dict[str, int]:
        """The least number of transitions from the start to each step and terminal that can be reached.

        Steps in `without` count as removed.
        """
        if self.steps[0] in without:
            return {}
        found = {self.steps[0]: 0}
        layer = [self.steps[0]]
        while layer:
            ahead = [edge for name in layer for edge in self.leaving(name)]
            layer = []
            for edge in ahead:
                if edge.target not in found and edge.target not in without:
                    found[edge.target] = found[edge.source] + 1
                    layer.append(edge.target)
        return found

    def ending(self) -> frozenset[str]:
        """The steps from which a terminal can be reached."""
        found: set[str] = set(TERMINALS)
        while True:
            more = {edge.source for edge in self.edges if edge.target in found} - found
            if not more:
                return frozenset(found.difference(TERMINALS))
            found |= more

    def left_before(self, carries: Callable[[Edge], bool]) -> dict[str, frozenset[str]]:
        """For each reachable step, those that every path to it has last left by an edge that `carries`.

        A forward analysis that starts from "all" and only ever removes, so it ends.
        """
        reached = self.distances()
        before = {name: frozenset(self.steps) for name in reached}
        before[self.steps[0]] = frozenset()
        changed = True
        while changed:
            changed = False
            for edge in self.edges:
                if edge.source not in reached:
                    continue
                known = before[edge.source] - {edge.source}
                known |= {edge.source} if carries(edge) else frozenset()
                narrowed = before[edge.target] & known
                changed = changed or narrowed != before[edge.target]
                before[edge.target] = narrowed
        return before


def flow_of(workflow: Workflow) -> Flow:
    """The flow of `workflow`. What cannot be an edge is left out; then the flow is not whole."""
    places: dict[str, int] = {}
    for at, step in enumerate(workflow.steps):
        places.setdefault(step.name, at)
    edges: list[Edge] = []
    whole = len(places) == len(workflow.steps)
    for at, step in enumerate(workflow.steps):
        known: dict[str, Edge] = {}
        for edge in _edges_of(step, at, places):
            known.setdefault(edge.outcome, edge)
        declared = sum(edge.origin == "declared" for edge in known.values())
        whole = whole and declared == len(list(_lines(step, at))) and set(known) == set(outcomes_of(step))
        whole = whole and bool(known)
        edges.extend(known.values())
    return Flow(tuple(places), tuple(edges), whole)


def _edges_of(step: Step, at: int, places: dict[str, int]) -> Iterator[Edge]:
    producible = outcomes_of(step)
    for outcome, target, maximum, place in _lines(step, at):
        if outcome in producible and (target in places or target in TERMINALS):
            back = places.get(target, len(places)) <= at
            yield Edge(step.name, outcome, target, maximum, back, "declared", place)
    handled = {outcome for outcome, *_ in _lines(step, at)}
    for outcome in DEFAULTED:
        if outcome in producible and outcome not in handled and not isinstance(step, RouteStep):
            yield Edge(step.name, outcome, "failed", None, False, "defaulted", ("steps", at))


def _lines(step: Step, at: int) -> Iterator[tuple[str, str, int | None, Place]]:
    if isinstance(step, RouteStep):
        for index, branch in enumerate(step.branches):
            yield branch_outcome(branch.when), branch.target, branch.maximum, ("steps", at, "branches", index)
    else:
        for index, line in enumerate(step.on):
            yield line.outcome, line.target, line.maximum, ("steps", at, "on", index)
