"""The state space of a model: where a run stands, and what it has used of the budgets that can still matter.

A state is a node and one number. The number holds a field for each counter, biased so that a budget is exceeded
exactly when an addition reaches the field's highest bit. So a move costs one addition and one comparison.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from akmc.proof.budgets import Budgets
from akmc.proof.model import Edge, Model

State: TypeAlias = tuple[int, int]

#: The budgets by which a run can end.
UNITS, DURATION, TRANSITIONS, MAXIMUM, ATTEMPTS = "units", "duration", "transitions", "max", "attempts"


class Move(NamedTuple):
    """One edge as arithmetic: add `leave`, test `leave_guard`; add `enter`, test `enter_guard`; then forget.

    To forget is to keep the bits of `kept` and to set `fresh`. Where the transitions used are at most `plenty`,
    they cannot run out any more, and count as none.
    """

    edge: int
    target: int
    leave: int
    leave_guard: int
    enter: int
    enter_guard: int
    kept: int
    fresh: int
    plenty: int


@dataclass(frozen=True, slots=True)
class Field:
    """A counter's place in the number: `bits` for its value, one more for the guard."""

    budget: str
    subject: int  # the step or edge that it counts; 0 for a counter of the whole run
    bound: int
    shift: int
    bits: int

    @property
    def guard(self) -> int:
        """The bit that is set exactly when the bound is exceeded."""
        return 1 << (self.shift + self.bits)

    @property
    def mask(self) -> int:
        """All bits of the field but the guard."""
        return ((1 << self.bits) - 1) << self.shift

    @property
    def none(self) -> int:
        """The field where nothing is used."""
        return ((1 << self.bits) - 1 - self.bound) << self.shift

    def used(self, packed: int) -> int:
        """How much of the budget `packed` has used."""
        return ((packed & self.mask) - self.none) >> self.shift


@dataclass(frozen=True, slots=True)
class Space:
    """`start` is where a run stands when it has entered the first step. `moves` holds those out of each step.

    `transitions` is the field that counts them, None where they cannot run out. `guards` are those of each budget
    that can keep a run from leaving a step, in the order in which the executor asks them.
    """

    model: Model
    budgets: Budgets
    fields: tuple[Field, ...]
    transitions: Field | None
    guards: tuple[tuple[str, int], ...]
    start: State
    moves: tuple[tuple[Move, ...], ...]

    def after(self, state: State, move: Move) -> State | None:
        """Where `move` leads from `state`; None where a budget ends the run instead."""
        packed = state[1] + move.leave
        if packed & move.leave_guard:
            return None
        packed += move.enter
        if packed & move.enter_guard:
            return None
        packed = packed & move.kept | move.fresh
        counted = self.transitions
        if counted is not None and packed & counted.mask <= move.plenty:
            packed = packed & ~counted.mask | counted.none
        return move.target, packed

    def stopped_by(self, state: State, move: Move) -> str:
        """The budget that ends a run which would take `move` from `state`, where `after` says that one does."""
        packed = state[1] + move.leave
        return next((budget for budget, guards in self.guards if packed & guards), ATTEMPTS)


def space_of(model: Model, budgets: Budgets) -> Space:
    """The state space of `model`, with nothing in it that cannot matter."""
    fields = tuple(_fields(model, budgets))
    own = {(field.budget, field.subject): field for field in fields}
    moves = _Moves(model, budgets, fields, own)
    none = sum(field.none for field in fields)
    first = own.get((ATTEMPTS, 0))
    start = none + (1 << first.shift if first else 0)
    guards = tuple(
        (budget, sum(field.guard for field in fields if field.budget == budget))
        for budget in (UNITS, DURATION, TRANSITIONS, MAXIMUM)
    )
    leaving = tuple(tuple(map(moves.of, edges)) for edges in model.leaving)
    return Space(model, budgets, fields, own.get((TRANSITIONS, 0)), guards, (0, start), leaving)


def _fields(model: Model, budgets: Budgets) -> Iterator[Field]:
    wanted: list[tuple[str, int, int, int]] = []
    if budgets.counts_units:
        wanted.append((UNITS, 0, model.units, max(edge.units for edge in model.edges)))
    if budgets.counts_wait:
        wanted.append((DURATION, 0, model.duration_ms, max(edge.wait_ms for edge in model.edges)))
    if budgets.room[0] >= model.transitions:
        wanted.append((TRANSITIONS, 0, model.transitions, 1))
    for edge in model.edges:
        if edge.number in budgets.counted_edges:
            assert edge.maximum is not None, edge
            wanted.append((MAXIMUM, edge.number, edge.maximum, 1))
    wanted += [(ATTEMPTS, step, model.attempts[step], 1) for step in sorted(budgets.counted_steps)]
    shift = 0
    for budget, subject, bound, addend in wanted:
        bits = max(bound, addend).bit_length()
        yield Field(budget, subject, bound, shift, bits)
        shift += bits + 1


class _Moves:
    """Makes moves of edges. `kept` holds what is still counted at the nodes of each component: the run's own
    budgets, and those of its cycles."""

    def __init__(
        self, model: Model, budgets: Budgets, fields: tuple[Field, ...], own: dict[tuple[str, int], Field]
    ) -> None:
        self.model = model
        self.budgets = budgets
        self.own = own
        self.whole = [own[budget, 0] for budget in (UNITS, DURATION, TRANSITIONS) if (budget, 0) in own]
        self.none = sum(field.none for field in fields)
        always = sum(field.mask for field in self.whole)
        self.kept = dict.fromkeys({-1, *budgets.component}, always)
        for field in fields:
            if field not in self.whole:
                about = model.edges[field.subject].source if field.budget == MAXIMUM else field.subject
                self.kept[budgets.component[about]] |= field.mask

    def of(self, edge: Edge) -> Move:
        """The move of one edge."""
        leave = leave_guard = 0
        plenty = -1
        for field in self.whole:
            added = _added(field.budget, edge)
            if added:
                leave += added << field.shift
                leave_guard |= field.guard
            if field.budget == TRANSITIONS:
                spare = self.model.transitions - self.budgets.room[edge.target] - 1
                plenty = field.none + (spare << field.shift) if spare >= 0 else -1
        maximum, entering = self.own.get((MAXIMUM, edge.number)), self.own.get((ATTEMPTS, edge.target))
        if maximum is not None:
            leave += 1 << maximum.shift
            leave_guard |= maximum.guard
        kept = self.kept[self.budgets.component[edge.target]] if edge.target in self.model.steps else 0
        return Move(
            edge.number,
            edge.target,
            leave,
            leave_guard,
            0 if entering is None else 1 << entering.shift,
            0 if entering is None else entering.guard,
            kept,
            self.none & ~kept,
            plenty,
        )


def _added(budget: str, edge: Edge) -> int:
    """How much of a budget of the whole run leaving by `edge` uses up."""
    match budget:
        case "units":
            return edge.units
        case "duration":
            return edge.wait_ms
        case _:
            return 1
