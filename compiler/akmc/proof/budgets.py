"""Which budgets can matter: bounds on how often each step and edge can occur in any run, and what they imply.

All is computed from inequalities that every run satisfies, so it needs no exploration. See
docs/decisions/0020-proof-by-exploration.md for why a counter that is left out changes no answer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from akmc.proof.model import Edge, Model
from akmc.proof.ways import components_of, reached


@dataclass(frozen=True, slots=True)
class Budgets:
    """What a run can use up.

    `component` is the same number for nodes that share a cycle, -1 for one that stands on none. `entries` and
    `taken` are upper bounds for each step and edge; `room` is one for the transitions from each node on.
    `counted_steps` and `counted_edges` are those whose own bound may be what stops a run: all other bounds follow
    from them.
    """

    component: tuple[int, ...]
    entries: tuple[int, ...]
    taken: tuple[int, ...]
    room: tuple[int, ...]
    counted_steps: frozenset[int]
    counted_edges: frozenset[int]
    counts_units: bool
    counts_wait: bool


def budgets_of(model: Model) -> Budgets:
    """The budgets of `model`."""
    groups = components_of(model)
    component = _numbered(model, groups)
    bounds = _Bounds(model, component)
    bounds.start(model.steps)
    counted_steps = set(bounds.stopping())
    bounds.start(counted_steps)
    for step in model.steps:
        if bounds.entries[step] > model.attempts[step]:
            counted_steps.add(step)
            bounds.hold(step)
    counted_edges = {
        edge.number
        for edge in model.edges
        if edge.maximum is not None
        and bounds.inside(edge)
        and edge.maximum < model.transitions
        and not (edge.source in counted_steps and model.attempts[edge.source] <= edge.maximum)
    }
    taken = tuple(bounds.taken(edge) for edge in model.edges)
    return Budgets(
        component,
        tuple(bounds.entries),
        taken,
        _room(model, groups, taken),
        frozenset(counted_steps),
        frozenset(counted_edges),
        _used(model, bounds.entries, lambda edge: edge.units) > model.units,
        _used(model, bounds.entries, lambda edge: edge.wait_ms) > model.duration_ms,
    )


def _used(model: Model, entries: list[int], amount: Callable[[Edge], int]) -> int:
    """The most that a run can be sure to use up: by each entry of a step, what one of its edges does."""
    most = (max((amount(edge) for edge in leaving), default=0) for leaving in model.leaving)
    return sum(entered * each for entered, each in zip(entries, most, strict=True))


class _Bounds:
    """Upper bounds on entries and edges, lowered until nothing changes.

    Invariant: every run satisfies `entries` while only the maxima of edges, the budget of transitions and the
    attempts of the steps that are held stop it. Whatever is taken from them is sound at any time.
    """

    def __init__(self, model: Model, component: tuple[int, ...]) -> None:
        self.model = model
        self.component = component
        self.inner: list[list[Edge]] = [[] for _ in model.steps]
        self.outside = [int(step == 0) for step in model.steps]
        self.known = reached(model)
        self.entries: list[int] = []
        for edge in model.edges:
            if self.inside(edge):
                self.inner[edge.target].append(edge)
            elif edge.target in model.steps and edge.source in self.known:
                self.outside[edge.target] = 1

    def start(self, held: Iterable[int]) -> None:
        """Begin anew, with the attempts of the steps `held` as budgets that stop a run."""
        model, component, most = self.model, self.component, self.model.transitions + 1
        self.entries = [int(step in self.known) * (most if component[step] >= 0 else 1) for step in model.steps]
        for step in held:
            self.entries[step] = min(self.entries[step], model.attempts[step])
        self._lower([step for step in model.steps if component[step] >= 0])

    def inside(self, edge: Edge) -> bool:
        """Whether the edge is part of a cycle. A run takes any other edge at most once."""
        return self.component[edge.source] == self.component[edge.target] >= 0

    def taken(self, edge: Edge) -> int:
        """The most often that a run takes the edge."""
        entries, transitions = self.entries[edge.source], self.model.transitions
        most = transitions if edge.maximum is None else min(edge.maximum, transitions)
        return min(entries, most if self.inside(edge) else 1)

    def hold(self, step: int) -> None:
        """From here on the step's own attempts count as a budget that stops a run."""
        self.entries[step] = self.model.attempts[step]
        self._lower([edge.target for edge in self.model.leaving[step] if self.inside(edge)])

    def stopping(self) -> Iterator[int]:
        """The steps that could be entered more often than `entries` says if only their own bound were lifted."""
        return (step for step in self.model.steps if self.entries[step] < self._entered(step))

    def _entered(self, step: int) -> int:
        return self.outside[step] + sum(map(self.taken, self.inner[step]))

    def _lower(self, pending: list[int]) -> None:
        """Each step is entered once at the start or from outside of its cycles, and once by each edge inside."""
        while pending:
            ahead: dict[int, None] = {}
            for step in pending:
                found = self._entered(step)
                if found < self.entries[step]:
                    self.entries[step] = found
                    ahead |= dict.fromkeys(edge.target for edge in self.model.leaving[step] if self.inside(edge))
            pending = list(ahead)


def _numbered(model: Model, groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The number of each node's group, -1 for one on no cycle."""
    found = [-1] * len(model.nodes)
    for number, group in enumerate(groups):
        first = group[0]
        if len(group) > 1 or any(edge.target == first for edge in model.leaving[first]):
            for step in group:
                found[step] = number
    return tuple(found)


def _room(model: Model, groups: Sequence[Sequence[int]], taken: Sequence[int]) -> tuple[int, ...]:
    """The most transitions from each node on: those inside its cycles, and the longest way on from there."""
    found = [0] * len(model.nodes)
    for group in groups:  # each after those that it leads to
        members = set(group)
        inside = onward = 0
        for edge in (edge for step in group for edge in model.leaving[step]):
            if edge.target in members:
                inside += taken[edge.number]
            else:
                onward = max(onward, 1 + found[edge.target])
        for step in group:
            found[step] = inside + onward
    return tuple(found)
