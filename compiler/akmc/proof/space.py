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
    memory = {number: _Memory(model, budgets, fields, number) for number in {-1, *budgets.component}}
    none = sum(field.none for field in fields)
    first = own.get((ATTEMPTS, 0))
    moves = tuple(
        tuple(_move(edge, model, budgets, own, memory, none) for edge in leaving) for leaving in model.leaving
    )
    start = none + (1 << first.shift if first else 0)
    guards = tuple(
        (budget, sum(field.guard for field in fields if field.budget == budget))
        for budget in (UNITS, DURATION, TRANSITIONS, MAXIMUM)
    )
    return Space(model, budgets, fields, own.get((TRANSITIONS, 0)), guards, (0, start), moves)


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


class _Memory:
    """What is still counted at the nodes of a component: the run's own budgets, and those of its cycles."""

    def __init__(self, model: Model, budgets: Budgets, fields: tuple[Field, ...], component: int) -> None:
        self.kept = 0
        for field in fields:
            about = model.edges[field.subject].source if field.budget == MAXIMUM else field.subject
            if field.budget in (UNITS, DURATION, TRANSITIONS) or budgets.component[about] == component:
                self.kept |= field.mask


def _move(
    edge: Edge,
    model: Model,
    budgets: Budgets,
    own: dict[tuple[str, int], Field],
    memory: dict[int, _Memory],
    none: int,
) -> Move:
    added = {(UNITS, 0): edge.units, (DURATION, 0): edge.wait_ms, (TRANSITIONS, 0): 1, (MAXIMUM, edge.number): 1}
    leaving = [(own[counter], amount) for counter, amount in added.items() if counter in own]
    entering = own.get((ATTEMPTS, edge.target))
    counted = own.get((TRANSITIONS, 0))
    plenty = -1
    if counted is not None and (spare := model.transitions - budgets.room[edge.target] - 1) >= 0:
        plenty = counted.none + (spare << counted.shift)
    kept = memory[budgets.component[edge.target]].kept if edge.target in model.steps else 0
    return Move(
        edge.number,
        edge.target,
        leave=sum(amount << field.shift for field, amount in leaving),
        leave_guard=sum(field.guard for field, _ in leaving),
        enter=1 << entering.shift if entering else 0,
        enter_guard=entering.guard if entering else 0,
        kept=kept,
        fresh=none & ~kept,
        plenty=plenty,
    )
