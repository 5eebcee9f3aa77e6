"""The chain: one run, every sequence once, every hash as it must be, no writer and no clock that goes back."""

from itertools import pairwise

from akm.audit.history import Found, History
from akm_specs.canonical import NotCanonical, hash_json

_START = "0" * 64


def chain(history: History) -> Found:
    """Each event follows the one before it, by number, by hash and by run."""
    previous = _START
    for place, one in enumerate(history.entries, start=1):
        if one.sequence != place:
            yield one.sequence, f"sequence {one.sequence} stands where {place} belongs"
        if one.body["run"] != history.run:
            yield one.sequence, f"it is an event of run {one.body['run']}, in a history of run {history.run}"
        if one.body["previous"] != previous:
            yield one.sequence, "it names another event as its predecessor"
        try:
            proved = hash_json(one.body)
        except NotCanonical as error:
            yield one.sequence, f"it has no canonical form: {error}"
        else:
            if proved != one.hash:
                yield one.sequence, "its content does not have its hash"
        previous = one.hash


def writers(history: History) -> Found:
    """Fencing tokens never fall: no two drivers' events interleave."""
    for earlier, later in pairwise(history.entries):
        if later.token < earlier.token:
            yield later.sequence, f"token {later.token} wrote after token {earlier.token}"


def clock(history: History) -> Found:
    """The run's own clock never runs backwards."""
    if history.entries[0].elapsed_ms < 0:
        yield 1, "the run's clock begins before 0"
    for earlier, later in pairwise(history.entries):
        if later.elapsed_ms < earlier.elapsed_ms:
            yield later.sequence, f"the run's clock goes back from {earlier.elapsed_ms} to {later.elapsed_ms} ms"
