"""Events: the only thing that changes a run.

A *move* is named `LIFECYCLE.TRIGGER` and says from which state to which; `LIFECYCLE.create` is a birth
into the lifecycle's initial state. Any other event is a *fact* (`transition.taken`, `cancel.requested`).
"""

from dataclasses import dataclass
from functools import lru_cache

from akm_specs.canonical import JsonObject, hash_json

BIRTH = "create"
#: Names of events that are taken apart only once: more than there are.
_NAMES_REMEMBERED_MAX = 256


@dataclass(frozen=True, slots=True)
class Event:
    """One move or fact about `entity`. For a fact `source` and `target` are None; for a birth only `source`."""

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
    """An event in its place: `sequence` from 1, the fencing `token` of who wrote it, and the hash chain.

    `hash` is SHA-256 over the canonical form of everything else, `previous` included.
    """

    run: str
    sequence: int
    at: Instant
    token: int
    event: Event
    previous: str
    hash: str

    def body(self) -> JsonObject:
        """The JSON that is hashed, exported and verified."""
        return body(self.run, self.sequence, self.at, self.token, self.event, self.previous)


def body(run: str, sequence: int, at: Instant, token: int, event: Event, previous: str) -> JsonObject:
    """An event's canonical content."""
    return {
        "run": run,
        "sequence": sequence,
        "utc": at.utc,
        "elapsed_ms": at.elapsed_ms,
        "token": token,
        "event": event.name,
        "entity": event.entity,
        "source": event.source,
        "target": event.target,
        "data": event.data,
        "previous": previous,
    }


#: What the first event of a run names as its predecessor.
CHAIN_START = "0" * 64


def record(run: str, sequence: int, at: Instant, token: int, event: Event, previous: str) -> Recorded:
    """`event` in its place in the chain."""
    content = body(run, sequence, at, token, event, previous)
    return Recorded(run, sequence, at, token, event, previous, hash_json(content))
