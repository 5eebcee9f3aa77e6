"""The compiled lifecycle tables as `transitions` machines: the one place that says whether a move exists.

Firing is pure (no guards, no callbacks), so its answers are remembered: a move is looked up, not re-fired.
`target` looks one up by the name of its event and the state from which it starts.
"""

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from akm.kernel.event import BIRTH
from akm_specs import lifecycle

if TYPE_CHECKING:  # a command that only shows a run fires nothing, and does not load it
    from transitions import Machine


#: Moves that are remembered: more than all tables list.
_MOVES_REMEMBERED_MAX = 1024


class IllegalMove(Exception):
    """A move that its lifecycle table does not list. Nothing was changed."""

    def __init__(self, lifecycle_name: str, entity: str, source: str, trigger: str) -> None:
        super().__init__(f"{lifecycle_name} {entity}: the table has no move {trigger!r} from state {source!r}")
        self.lifecycle = lifecycle_name
        self.entity = entity
        self.source = source
        self.trigger = trigger


class _Entity:
    """The slotted model that a machine moves; it is never registered with the machine."""

    __slots__ = ("state",)

    def __init__(self, state: str) -> None:
        self.state = state


@cache
def machine(name: str) -> "Machine":
    """The machine of lifecycle `name`."""
    from transitions import Machine

    table = lifecycle.load(name)
    return Machine(
        model=None,
        states=[state["name"] for state in table["states"]],
        transitions=[[move["trigger"], move["source"], move["target"]] for move in table["moves"]],
        initial=initial(name),
        auto_transitions=False,
    )


@cache
def initial(name: str) -> str:
    """The state in which an entity of lifecycle `name` is born."""
    return next(state["name"] for state in lifecycle.load(name)["states"] if state["kind"] == "initial")


@cache
def finals(name: str) -> frozenset[str]:
    """The states that lifecycle `name` never leaves."""
    return frozenset(state["name"] for state in lifecycle.load(name)["states"] if state["kind"] == "final")


@cache
def _fire(name: str, source: str, trigger: str) -> str | None:
    from transitions import MachineError

    event = machine(name).events.get(trigger)
    if event is None or source not in machine(name).states:
        return None
    entity = _Entity(source)
    try:
        event.trigger(entity)
    except MachineError:
        return None
    return entity.state


@lru_cache(maxsize=_MOVES_REMEMBERED_MAX)
def target(event: str, source: str | None) -> str | None:
    """The state after the event `LIFECYCLE.TRIGGER` from `source`; None where the table has no such move.

    A birth starts from None.
    """
    name, _, trigger = event.partition(".")
    if name not in lifecycle.NAMES:
        return None
    if source is None:
        return initial(name) if trigger == BIRTH else None
    return _fire(name, source, trigger)


def move(name: str, entity: str, source: str, trigger: str) -> str:
    """The state after `trigger` from `source`. Raises IllegalMove when the table has no such move."""
    target = _fire(name, source, trigger)
    if target is None:
        raise IllegalMove(name, entity, source, trigger)
    return target
