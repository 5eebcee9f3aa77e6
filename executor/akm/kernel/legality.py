"""What every event must fit: the table of its lifecycle, the state where its entity stands, an id of its own."""

from collections.abc import Mapping
from typing import TypeVar

from akm.kernel import machines
from akm.kernel.event import Event
from akm.kernel.state import Assignment, Attempt, Effect

Entity = TypeVar("Entity", Assignment, Attempt, Effect)


class IllegalEvent(Exception):
    """An event that does not fit the state: an unknown or repeated id, a wrong source state, an unknown name."""


def target(event: Event, source: str | None) -> str:
    """The state that the table gives, which the event must name rightly. `source` None: a birth.

    Raises IllegalEvent, or machines.IllegalMove for a move that no table lists.
    """
    if event.source != source:
        raise IllegalEvent(f"{event.name} {event.entity} starts from {event.source!r}, but the state is {source!r}")
    found = machines.target(event.name, source)
    if found is None:
        raise machines.IllegalMove(event.lifecycle, event.entity, str(source), event.trigger)
    if event.target != found:
        raise IllegalEvent(f"{event.name} {event.entity} names {event.target!r}; the table says {found!r}")
    return found


def known(entities: Mapping[str, Entity], event: Event) -> Entity:
    """The entity that `event` moves. Raises IllegalEvent when there is none."""
    entity = entities.get(event.entity)
    if entity is None:
        raise IllegalEvent(f"{event.name}: there is no {event.lifecycle} {event.entity}")
    return entity


def fresh(entities: Mapping[str, Entity], event: Event) -> str:
    """The state in which the entity of `event` is born. Raises IllegalEvent when its id is used already."""
    if event.entity in entities:
        raise IllegalEvent(f"{event.name}: the id {event.entity} is used already")
    return target(event, None)
