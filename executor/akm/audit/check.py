"""All checks, in three stages: what breaks an earlier one is not asked what later ones would mean."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from akm.audit.ceilings import ceilings, spending, stops
from akm.audit.chain import chain, clock, writers
from akm.audit.chapters import Chapter, chapters, names
from akm.audit.deliveries import deliveries
from akm.audit.evidence import evidence, pins
from akm.audit.fence import fence, progress
from akm.audit.history import Entry, Found, History
from akm.audit.inputs import inputs
from akm.audit.lives import beginning, lives
from akm.audit.outcomes import gates, outcomes, results
from akm.audit.paths import ends, stopped, ways
from akm.audit.properties import properties
from akm.audit.recovery import resolutions, retries, ways_out
from akm.audit.sessions import sessions
from akm.audit.shape import shape
from akm.audit.waits import decisions, inbox, signals
from akm.audit.worklists import worklists

Whole: TypeAlias = Callable[[History], Found]
Chaptered: TypeAlias = Callable[[History, tuple[Chapter, ...]], Found]

#: Whether it is a history at all.
FORM: tuple[Whole, ...] = (shape, chain, writers, clock)
#: Whether everything in it lives as the tables say, under names of its own.
LIFE: tuple[Whole, ...] = (beginning, lives, names)
#: Whether the plan allows it.
WORK: tuple[Chaptered, ...] = (ways, worklists, fence, progress)
#: Whether it follows from what was recorded.
MEANING: tuple[Chaptered, ...] = (
    stopped,
    ends,
    ceilings,
    spending,
    stops,
    retries,
    ways_out,
    resolutions,
    outcomes,
    results,
    gates,
    evidence,
    pins,
    properties,
    sessions,
    decisions,
    signals,
    inbox,
    inputs,
    deliveries,
)


@dataclass(frozen=True, slots=True)
class Violation:
    """Check `name` does not hold at event `sequence`."""

    name: str
    sequence: int
    message: str


def audit(plan: Any, plan_hash: str, entries: tuple[Entry, ...]) -> tuple[Violation, ...]:
    """Every violation of the first stage that has any; none means that the history is legal."""
    history = History(plan, plan_hash, entries)
    for stage in (FORM, LIFE):
        found = tuple(each for check in stage for each in _asked(check.__name__, check(history)))
        if found:
            return found
    cut = chapters(history)
    for late in (WORK, MEANING):
        found = tuple(each for check in late for each in _asked(check.__name__, check(history, cut)))
        if found:
            return found
    return ()


def _asked(name: str, found: Found) -> Iterator[Violation]:
    """What one check finds. Events may lack, or say otherwise, what only their kind of step needs of them."""
    try:
        for sequence, message in found:
            yield Violation(name, sequence, message)
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        yield Violation(
            name, 0, f"the events do not say what this check asks them ({type(error).__name__}: {error})"
        )
