"""The search for a shortest run that breaks a property.

First without budgets, in the product of steps and monitor: if nothing there breaks the property, no run does, and
if the budgets allow the shortest way that does, it is the answer. Only otherwise the budgets are followed, and
then of states that differ in what was used up, those that used no less than another are left out.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, TypeVar

from akmc.proof.model import Model
from akmc.proof.properties import BROKEN, Monitor
from akmc.proof.space import Space

#: Most states that are looked at for one property, and how often each is compared with others on average.
STATES_MAX = 50_000
COMPARISONS_A_STATE_MAX = 20

Verdict: TypeAlias = Literal["proved", "refuted", "not_proved"]
Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a property. `trace` holds the edges of a shortest run that breaks it, from the first step.

    `not_proved` says that there are more states than are looked at. `states` is how many were.
    """

    verdict: Verdict
    trace: tuple[int, ...] = ()
    states: int = 0


def decide(space: Space, monitor: Monitor, states_max: int = STATES_MAX) -> Answer:
    """Whether every run of `space` keeps the property of `monitor`."""
    if monitor.start == BROKEN:
        return Answer("refuted")
    way = _without_budgets(space.model, monitor)
    if way is None:
        return Answer("proved")
    if _allowed(space, way):
        return Answer("refuted", way)
    return within_budgets(space, monitor, states_max)


def _without_budgets(model: Model, monitor: Monitor) -> tuple[int, ...] | None:
    """A shortest way to break the property if no budget stopped a run; None where there is none."""
    start = (0, monitor.start)
    before: dict[tuple[int, int], tuple[tuple[int, int], int]] = {}
    known, layer = {start}, [start]
    while layer:
        ahead: list[tuple[int, int]] = []
        for node, memory in layer:
            for edge in model.leaving[node] if node in model.steps else ():
                remembered = monitor.after(memory, edge)
                if remembered == BROKEN:
                    return (*_way_back(before, (node, memory)), edge.number)
                place = (edge.target, remembered)
                if place not in known:
                    known.add(place)
                    before[place] = (node, memory), edge.number
                    ahead.append(place)
        layer = ahead
    return None


def _way_back(before: dict[Place, tuple[Place, int]], place: Place) -> tuple[int, ...]:
    found: list[int] = []
    while place in before:
        place, edge = before[place]
        found.append(edge)
    return tuple(reversed(found))


def _allowed(space: Space, way: Iterable[int]) -> bool:
    """Whether a run may take these edges one after the other."""
    state = space.start
    for edge in way:
        after = space.after(state, next(move for move in space.moves[state[0]] if move.edge == edge))
        if after is None:
            return False
        state = after
    return True


@dataclass(frozen=True, slots=True)
class _Reached:
    """A state that the search has reached, and how: by `edge` from `before`."""

    node: int
    memory: int
    packed: int
    before: "_Reached | None" = None
    edge: int = -1

    def trace(self) -> tuple[int, ...]:
        found: list[int] = []
        here: _Reached | None = self
        while here is not None and here.before is not None:
            found.append(here.edge)
            here = here.before
        return tuple(reversed(found))


class _Frontier:
    """What was reached, without what has used no less than something else that was reached before it.

    Invariant: whatever can follow a state that was left out can follow the one that it was compared with.
    """

    def __init__(self, guards: int) -> None:
        self.guards = guards
        self.least: dict[tuple[int, int], list[int]] = {}
        self.comparisons = 0

    def is_new(self, reached: _Reached) -> bool:
        """Whether nothing reached so far stands for `reached`, which from now on stands for others."""
        guards, packed = self.guards, reached.packed
        known = self.least.setdefault((reached.node, reached.memory), [])
        self.comparisons += len(known) + 1
        if any(((packed | guards) - other) & guards == guards for other in known):
            return False
        known.append(packed)
        return True


def within_budgets(space: Space, monitor: Monitor, states_max: int) -> Answer:
    """The same, by following every budget from the start: breadth first, so that what it finds is shortest."""
    frontier = _Frontier(sum(field.guard for field in space.fields))
    layer = [_Reached(0, monitor.start, space.start[1])]
    looked_at = 0
    while layer:
        ahead: list[_Reached] = []
        for reached in layer:
            looked_at += 1
            if looked_at > states_max or frontier.comparisons > states_max * COMPARISONS_A_STATE_MAX:
                return Answer("not_proved", states=looked_at)
            for move in space.moves[reached.node] if reached.node in space.model.steps else ():
                after = space.after((reached.node, reached.packed), move)
                if after is None:
                    continue
                memory = monitor.after(reached.memory, space.model.edges[move.edge])
                found = _Reached(after[0], memory, after[1], reached, move.edge)
                if memory == BROKEN:
                    return Answer("refuted", found.trace(), looked_at)
                if frontier.is_new(found):
                    ahead.append(found)
        layer = ahead
    return Answer("proved", states=looked_at)
