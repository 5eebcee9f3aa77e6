"""The properties of a plan as monitors: what one has to remember of a run to say that it broke one."""

from collections.abc import Callable
from dataclasses import dataclass

from akm_specs.plan import Property
from akmc.outcomes import carries_output
from akmc.proof.model import Edge, Model

#: What a monitor says instead of a new memory: here the property is broken.
BROKEN = -1


@dataclass(frozen=True, slots=True)
class Monitor:
    """`start` is what is remembered when the first step is entered, BROKEN where that breaks it already.

    `after` gives what is remembered once an edge is taken and its target entered. A larger memory of `counts`
    is further on the way to breaking it.
    """

    start: int
    after: Callable[[int, Edge], int]


def monitor_of(stated: Property, model: Model) -> Monitor:
    """The monitor of one property. Raises PlanNotWhole for a step that is not there."""
    match stated["kind"]:
        case "before":
            return _before(model.node(stated["first"]), model.node(stated["step"]), model)
        case "at_most":
            return _at_most(model.node(stated["step"]), stated["count"])
        case "only_through":
            completed = model.node("completed")
            return _only_through(model.node(stated["step"]), model.node(stated["through"]), completed)
        case "never_after":
            return _never_after(model.node(stated["step"]), model.node(stated["after"]))


def property_text(stated: Property) -> str:
    """The property as an author writes it."""
    match stated["kind"]:
        case "before":
            return f"require {stated['first']} before {stated['step']}"
        case "at_most":
            return f"require {stated['step']} at most {stated['count']}"
        case "only_through":
            return f"require {stated['step']} reaches completed only through {stated['through']}"
        case "never_after":
            return f"never {stated['step']} after {stated['after']}"


def broken_text(stated: Property) -> str:
    """What has happened at the end of a run that breaks the property."""
    match stated["kind"]:
        case "before":
            return f"{stated['step']} is entered, and the last attempt of {stated['first']} has not passed"
        case "at_most":
            return f"{stated['step']} is entered more than {stated['count']} times"
        case "only_through":
            return f"the run completes after {stated['step']} without {stated['through']}"
        case "never_after":
            return f"{stated['step']} is entered after {stated['after']}"


def _before(first: int, step: int, model: Model) -> Monitor:
    """Remembers whether the last attempt of `first` that ended has passed.

    A step that has no outcome `passed` passes by any that carries an output.
    """
    outcomes = {edge.outcome for edge in model.leaving[first]} if first in model.steps else set()

    def passes(outcome: str) -> bool:
        return outcome == "passed" if "passed" in outcomes else carries_output(outcome)

    def after(passed: int, edge: Edge) -> int:
        passed = int(passes(edge.outcome)) if edge.source == first else passed
        return BROKEN if edge.target == step and not passed else passed

    return Monitor(BROKEN if step == 0 else 0, after)


def _at_most(step: int, count: int) -> Monitor:
    """Remembers how often `step` was entered."""

    def after(entered: int, edge: Edge) -> int:
        if edge.target != step:
            return entered
        return BROKEN if entered == count else entered + 1

    return Monitor((BROKEN if count == 0 else 1) if step == 0 else 0, after)


def _only_through(step: int, through: int, completed: int) -> Monitor:
    """Remembers whether `step` was entered since `through` was."""

    def after(owing: int, edge: Edge) -> int:
        if edge.target == through:
            return 0
        if edge.target == step:
            return 1
        return BROKEN if edge.target == completed and owing else owing

    return Monitor(int(step == 0 and through != 0), after)


def _never_after(step: int, barrier: int) -> Monitor:
    """Remembers whether `barrier` was entered."""

    def after(closed: int, edge: Edge) -> int:
        if edge.target == step and closed:
            return BROKEN
        return int(closed or edge.target == barrier)

    return Monitor(int(barrier == 0), after)
