"""Events: the only thing that changes a run.

A *move* is named `LIFECYCLE.TRIGGER` and says from which state to which; `LIFECYCLE.create` is a birth
into the lifecycle's initial state. Any other event is a *fact* (`transition.taken`, `cancel.requested`).
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from akm_specs.canonical import JsonObject, hash_json

BIRTH = "create"
#: Names of events that are taken apart only once: more than there are.
_NAMES_REMEMBERED_MAX = 256


class Event(NamedTuple):
    """One move or fact about `entity`. For a fact `source` and `target` are None; for a birth only `source`.

    A tuple, because a step makes twenty of them and a tuple is made in a third of the time.
    """

    name: str
    entity: str
    source: str | None
    target: str | None
    data: JsonObject

    @property
    def lifecycle(self) -> str:
        """The first part of the name."""
        return _parts(self.name)[0]

    @property
    def trigger(self) -> str:
        """The second part of the name."""
        return _parts(self.name)[1]

    @property
    def is_fact(self) -> bool:
        """Whether it moves nothing."""
        return self.target is None


@lru_cache(maxsize=_NAMES_REMEMBERED_MAX)
def _parts(name: str) -> tuple[str, str]:
    first, _, second = name.partition(".")
    return first, second


@dataclass(frozen=True, slots=True)
class Instant:
    """When something is recorded: `utc` for people, `elapsed_ms` on the run's own monotonic clock for rules."""

    utc: str
    elapsed_ms: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """An event in its place: `sequence` from 1, and the fencing `token` of who wrote it."""

    run: str
    sequence: int
    at: Instant
    token: int
    event: Event


@dataclass(frozen=True, slots=True)
class Linked(Recorded):
    """An event as a link of the chain in which a history leaves the journal.

    `hash` is SHA-256 over the canonical form of everything else, with the hash of the event before as `previous`.
    Whoever has a history can prove with it that nothing is missing and nothing was moved.
    """

    previous: str
    hash: str

    def body(self) -> JsonObject:
        """The JSON that is hashed."""
        return _body(self, self.previous)

    def exported(self) -> JsonObject:
        """The JSON of one line of an export."""
        return {**self.body(), "hash": self.hash}


def _body(recorded: Recorded, previous: str) -> JsonObject:
    event, at = recorded.event, recorded.at
    return {
        "run": recorded.run,
        "sequence": recorded.sequence,
        "utc": at.utc,
        "elapsed_ms": at.elapsed_ms,
        "token": recorded.token,
        "event": event.name,
        "entity": event.entity,
        "source": event.source,
        "target": event.target,
        "data": event.data,
        "previous": previous,
    }


#: What the first link of a chain names as its predecessor.
CHAIN_START = "0" * 64


def linked(history: Iterable[Recorded]) -> Iterator[Linked]:
    """A whole history as a chain: the same links whenever, and out of whatever form, it is read."""
    previous = CHAIN_START
    for one in history:
        found = hash_json(_body(one, previous))
        yield Linked(one.run, one.sequence, one.at, one.token, one.event, previous, found)
        previous = found
