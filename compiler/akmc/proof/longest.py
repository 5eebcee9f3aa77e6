"""The longest runs of a state space: for each measure the most that any run comes to, and a run that does.

Every move uses up a budget that is counted or leaves a cycle for good, so the space has no cycle, and the most
from each state on follows from its successors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from akmc.proof.space import ATTEMPTS, Space, State


class TooManyStates(Exception):
    """The space has more states than are looked at."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What one measure counts: by edge what leaving by it comes to, by step what stopping there does."""

    leaving: Sequence[int]
    stopping: Sequence[int]


@dataclass(frozen=True, slots=True)
class Longest:
    """The most of one measure. `path` holds the edges of a run that reaches it; it stops in or at `end`."""

    most: int
    path: tuple[int, ...]
    end: int


@dataclass(frozen=True, slots=True)
class Explored:
    """All states that runs can reach, the start first, and the moves between them.

    `ahead` gives for each state the edges out of it and the places of what they lead to, `overrun` the edges to a
    step whose attempts are used up. `refused` are the edges that a budget can refuse, each with the budgets that
    do. `order` names each state after all of its successors.
    """

    states: tuple[State, ...]
    ahead: tuple[tuple[tuple[int, int], ...], ...]
    overrun: dict[int, tuple[int, ...]]
    refused: frozenset[tuple[int, str]]
    order: tuple[int, ...]

    @property
    def edges(self) -> int:
        """How many moves there are between the states."""
        return sum(map(len, self.ahead))


def explore(space: Space, states_max: int) -> Explored:
    """All states of `space`. Raises TooManyStates."""
    states = [space.start]
    places = {space.start: 0}
    ahead: list[tuple[tuple[int, int], ...]] = []
    overrun: dict[int, tuple[int, ...]] = {}
    refused: set[tuple[int, str]] = set()
    steps = len(space.model.attempts)
    for at, state in enumerate(states):  # which grows on the way
        found: list[tuple[int, int]] = []
        for move in space.moves[state[0]] if state[0] < steps else ():
            target = space.after(state, move)
            if target is None:
                budget = space.stopped_by(state, move)
                refused.add((move.edge, budget))
                if budget == ATTEMPTS:
                    overrun[at] = (*overrun.get(at, ()), move.edge)
                continue
            place = places.setdefault(target, len(states))
            if place == len(states):
                states.append(target)
            found.append((move.edge, place))
        ahead.append(tuple(found))
        if len(states) > states_max:
            raise TooManyStates
    return Explored(tuple(states), tuple(ahead), overrun, frozenset(refused), _backwards(ahead))


def _backwards(ahead: Sequence[Sequence[tuple[int, int]]]) -> tuple[int, ...]:
    """The places, each after all that it leads to: those that nothing leads to any more, taken away one by one."""
    leading_in = [0] * len(ahead)
    for targets in ahead:
        for _, target in targets:
            leading_in[target] += 1
    found = [0]
    for at in found:  # which grows on the way
        for _, target in ahead[at]:
            leading_in[target] -= 1
            if not leading_in[target]:
                found.append(target)
    assert len(found) == len(ahead), "a cycle that uses no budget up"
    return tuple(reversed(found))


def most(space: Space, explored: Explored, weights: Weights) -> int:
    """The most that a run of `space` comes to by `weights`."""
    return _values(space, explored, weights)[0]


def longest(space: Space, explored: Explored, weights: Weights) -> Longest:
    """The most that a run of `space` comes to by `weights`, and how."""
    values, leaving = _values(space, explored, weights), weights.leaving
    path: list[int] = []
    at = 0
    while True:
        left = values[at]
        onward = next(((edge, to) for edge, to in explored.ahead[at] if leaving[edge] + values[to] == left), None)
        if onward is None:
            last = next((edge for edge in explored.overrun.get(at, ()) if leaving[edge] == left), None)
            whole = path if last is None else [*path, last]
            return Longest(values[0], tuple(whole), explored.states[at][0])
        path.append(onward[0])
        at = onward[1]


def _values(space: Space, explored: Explored, weights: Weights) -> list[int]:
    """The most from each state on."""
    leaving = weights.leaving
    stopping = [*weights.stopping, *(0 for _ in range(len(space.model.attempts), len(space.model.nodes)))]
    values = [0] * len(explored.states)
    for at in explored.order:
        best = stopping[explored.states[at][0]]
        for edge, target in explored.ahead[at]:
            here = leaving[edge] + values[target]
            if here > best:
                best = here
        if at in explored.overrun:
            best = max(best, *(leaving[edge] for edge in explored.overrun[at]))
        values[at] = best
    return values
