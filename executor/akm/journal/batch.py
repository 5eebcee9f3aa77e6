"""A batch: the events of one append, which stand in the journal as one row.

The hash of a row is over its content and the hash of the row before it. Until format 2 each event had a row of its
own, in the table `events`; those stay as they were written, and are read as batches of one.
"""

import json
import zlib
from dataclasses import dataclass
from typing import Any

from akm.journal.faults import Damaged
from akm.kernel.event import Event, Instant
from akm_specs.canonical import canonical, hash_bytes


@dataclass(frozen=True, slots=True)
class Batch:
    """`events` of one moment, by one writer, in the order from `first`; `hash` and `size` are those of the row.

    `size` is in bytes, before it was packed.
    """

    first: int
    at: Instant
    token: int
    events: tuple[Event, ...]
    hash: str
    size: int

    @property
    def last(self) -> int:
        """The sequence of its last event."""
        return self.first + len(self.events) - 1


def content(run: str, first: int, at: Instant, token: int, events: tuple[Event, ...]) -> bytes:
    """What is written of a batch: canonical JSON, in which each event is a list of its five parts."""
    return canonical(
        {
            "run": run,
            "first": first,
            "utc": at.utc,
            "elapsed_ms": at.elapsed_ms,
            "token": token,
            "events": [[*one] for one in events],
        }
    )


def chained(previous: str, written: bytes) -> str:
    """The hash of a row with the content `written`, which follows the row with the hash `previous`."""
    return hash_bytes(previous.encode() + written)


def packed(written: bytes) -> bytes:
    """Content as it is stored: events are much alike, and three fifths of them need no place on the disk."""
    return zlib.compress(written, level=1)


def unpacked(run: str, first: int, stored: Any, stored_hash: Any, previous: str) -> bytes:
    """The content that a row stores, which begins with event `first`. Raises Damaged."""
    unpacker = zlib.decompressobj()
    try:
        written = unpacker.decompress(stored)
    except (zlib.error, TypeError) as error:
        raise Damaged(run, f"event {first}", "its content cannot be unpacked") from error
    if not unpacker.eof or unpacker.unused_data or chained(previous, written) != stored_hash:
        raise Damaged(run, f"event {first}", f"its content does not have its hash {stored_hash}")
    return written


def proved(run: str, first: int, last: Any, stored: Any, stored_hash: Any, previous: str) -> Batch:
    """The batch in a row, which must begin with event `first`. Raises Damaged."""
    place = f"event {first}"
    try:
        written = unpacked(run, first, stored, stored_hash, previous)
        body = json.loads(written)
        at = Instant(body["utc"], body["elapsed_ms"])
        events = tuple(Event(*each) for each in body["events"])
        found = Batch(body["first"], at, body["token"], events, stored_hash, len(written))
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(run, place, "its content holds no events") from error
    if (body["run"], found.first, found.last) != (run, first, last):
        raise Damaged(run, place, f"it does not follow: it belongs to run {body['run']}, event {found.first}")
    return found


def proved_alone(run: str, sequence: int, stored: Any, stored_hash: Any, previous: str) -> Batch:
    """The batch of one that a row of format 1 or 2 holds. Raises Damaged."""
    place = f"event {sequence}"
    if not isinstance(stored, str) or hash_bytes(stored.encode("utf-8", "surrogateescape")) != stored_hash:
        raise Damaged(run, place, f"its content does not have its hash {stored_hash}")
    try:
        body = json.loads(stored)
        event = Event(body["event"], body["entity"], body["source"], body["target"], body["data"])
        at = Instant(body["utc"], body["elapsed_ms"])
        found = (body["run"], body["sequence"], body["previous"])
        batch = Batch(sequence, at, body["token"], (event,), stored_hash, len(stored))
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(run, place, "its content is no event") from error
    if found != (run, sequence, previous):
        raise Damaged(run, place, f"it does not follow: it belongs to run {found[0]}, sequence {found[1]}")
    return batch
