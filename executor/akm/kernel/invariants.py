"""The ten recovery invariants as named checks over a run's history.

One implementation: `akm verify`, simulation and the property tests all call `check`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from akm.kernel import ceilings, inputs, machines, properties
from akm.kernel.attempts import BY_COMPARISON, repeatable
from akm.kernel.event import BIRTH, Recorded
from akm.kernel.evolve import IllegalEvent, evolve, fold
from akm.kernel.state import RunState
from akm.kernel.steps import evidence_of, step_named
from akm.kernel.summary import summarise
from akm.kernel.units import unit_of
from akm_specs import lifecycle
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan


@dataclass(frozen=True, slots=True)
class History:
    """A run's plan and events, and the projection that the store shows of it (None: not looked at)."""

    plan: Plan
    events: tuple[Recorded, ...]
    projection: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Violation:
    """Invariant `name` does not hold at event `sequence` (0: of the run as a whole)."""

    name: str
    sequence: int
    message: str


Found: TypeAlias = Iterator[tuple[int, str]]


def check(history: History) -> tuple[Violation, ...]:
    """Every violation of every invariant."""
    return tuple(found for name in INVARIANTS for found in _violations(name, history))


def _violations(name: str, history: History) -> Iterator[Violation]:
    """Those of one invariant; a history that cannot be replayed is told by name rather than by an exception."""
    try:
        for sequence, message in INVARIANTS[name](history):
            yield Violation(name, sequence, message)
    except (IllegalEvent, machines.IllegalMove, KeyError, IndexError, TypeError) as illegal:
        yield Violation(name, 0, f"the history cannot be replayed: {illegal}")


def states(history: History) -> Iterator[tuple[RunState | None, Recorded]]:
    """Each event, which fits, with the state before it. Raises IllegalEvent or IllegalMove at one that does not."""
    state: RunState | None = None
    for recorded in history.events:
        after = evolve(history.plan, state, recorded.event)
        yield state, recorded
        state = after


def final_state(history: History) -> RunState | None:
    """The state that the events add up to."""
    state: RunState | None = None
    for recorded in history.events:
        state = fold(history.plan, state, recorded.event)
    return state


def _no_final_left(history: History) -> Found:
    """1. No final state is left, and every move is in its table."""
    ended: set[tuple[str, str]] = set()
    for recorded in history.events:
        event = recorded.event
        if event.is_fact:
            continue
        if event.lifecycle not in lifecycle.NAMES:
            yield recorded.sequence, f"{event.name} moves what has no lifecycle"
            continue
        entity = (event.lifecycle, event.entity)
        if entity in ended:
            yield recorded.sequence, f"{event.lifecycle} {event.entity} had ended, and {event.name} moved it"
        if event.trigger != BIRTH:
            try:
                listed = machines.move(event.lifecycle, event.entity, event.source or "", event.trigger)
            except machines.IllegalMove as illegal:
                yield recorded.sequence, str(illegal)
                continue
            if listed != event.target:
                yield recorded.sequence, f"{event.name} leads to {listed}, not to {event.target}"
        if event.target in machines.finals(event.lifecycle):
            ended.add(entity)


def _sequence_once(history: History) -> Found:
    """2. No sequence number is used twice, and none is left out."""
    for expected, recorded in enumerate(history.events, start=1):
        if recorded.sequence != expected:
            yield recorded.sequence, f"sequence {recorded.sequence} stands where {expected} belongs"


def _attempts_fresh(history: History) -> Found:
    """3. No new process takes an old attempt id."""
    started: set[str] = set()
    for recorded in history.events:
        if recorded.event.name == "attempt.start":
            if recorded.event.entity in started:
                yield recorded.sequence, f"attempt {recorded.event.entity} was started before"
            started.add(recorded.event.entity)


def _evidence_fresh(history: History) -> Found:
    """4. No earlier step attempt's evidence silently satisfies a later attempt."""
    captured: dict[tuple[str, str], str] = {}
    for recorded in history.events:
        event, data = recorded.event, recorded.event.data
        if event.name == "evidence.captured":
            captured[event.entity, data["name"]] = data["step_attempt"]
        elif event.name == "step_attempt.pass":
            for name, owed in evidence_of(step_named(history.plan, event.entity.rpartition("#")[0])).items():
                source = captured.get((event.entity, name))
                if source is None:
                    yield recorded.sequence, f"{event.entity} passed without its evidence {name!r}"
                elif source != event.entity and "reusable" not in owed:
                    yield recorded.sequence, f"{event.entity} passed by the evidence {name!r} of {source}"


def _ceilings_kept(history: History) -> Found:
    """5. No command widens a ceiling of the compiled plan."""
    for state, recorded in states(history):
        if state is None:
            continue
        broken = ceilings.exceeded(history.plan, state, recorded.event, recorded.at.elapsed_ms)
        if broken is not None:
            yield recorded.sequence, broken.message()
        against = properties.violated(history.plan, state, recorded.event)
        if against is not None:
            yield recorded.sequence, against.message()


def _uncertain_not_replayed(history: History) -> Found:
    """6. No effect of unknown outcome is replayed automatically."""
    observed: dict[str, JsonObject] = {}
    resolved: set[str] = set()
    for recorded in history.events:
        event, data = recorded.event, recorded.event.data
        if event.name in ("effect.observe", "effect.settle") and data:
            observed[event.entity] = {**observed.get(event.entity, {}), **data}
        elif event.name == "resolution.recorded":
            resolved.add(event.entity)
        elif event.name == "assignment.retry":
            attempt, reason = data["attempt"], data["reason"]
            proof = observed.get(attempt, {})
            unit = unit_of(history.plan, event.entity)
            absent = proof.get("found") is False and proof.get("by") == "receipt_query"
            untouched = unit.tool["effect"] == "workspace_mutation" and proof.get("by") == BY_COMPARISON
            if reason == "lost" and not (repeatable(unit) or absent or untouched):
                yield recorded.sequence, f"{attempt} was lost, and repeated without proof of absence"
            if reason == "resolved" and attempt not in resolved:
                yield recorded.sequence, f"{attempt} was repeated without a recorded resolution"
            if reason not in ("lost", "resolved") and not proof:
                yield recorded.sequence, f"{attempt} was repeated before its effect was accounted for"


def _sessions_kept(history: History) -> Found:
    """7. No session crosses a run or an incompatible scope epoch."""
    epochs: dict[str, object] = {}
    for recorded in history.events:
        event = recorded.event
        if event.name == "session.create":
            epochs[event.entity] = event.data.get("epoch")
            if event.data.get("run") != recorded.run:
                yield recorded.sequence, f"session {event.entity} belongs to another run"
        session = event.data.get("session") if event.name in ("assignment.dispatch", "session.joined") else None
        if session is not None and epochs.get(session) != event.data.get("epoch"):
            yield recorded.sequence, f"{event.entity} was dispatched to session {session} of another epoch"


def _projection_powerless(history: History) -> Found:
    """8. No projection changes a run: what is shown is what the events add up to, and no more."""
    if history.projection is None or not history.events:
        return
    state = final_state(history)
    assert state is not None
    expected, shown = summarise(history.plan, state), history.projection
    # another release of akm may have shown more or less; what every one shows is never missing
    looked_at = expected.keys() & (shown.keys() | {"status", "step", "outcome", "sequence", "uncertain", "reason"})
    names = sorted(name for name in looked_at if name not in shown or expected[name] != shown[name])
    if names:
        yield len(history.events), f"the projection differs from the events in: {', '.join(names)}"


def _resume_equality(history: History) -> Found:
    """9. Resume equality: every unit's input hash follows from the plan, the parameters and earlier results.

    Digests of two histories are compared where two exist (simulation and property tests); within one
    history this is what makes them equal.
    """
    for state, recorded in states(history):
        event = recorded.event
        if event.name != "assignment.create" or state is None or state.active is None:
            continue
        if inputs.next_hash(history.plan, state, event.entity) != event.data["input_hash"]:
            yield recorded.sequence, f"{event.entity}: its input hash does not follow from what came before"


def _one_driver(history: History) -> Found:
    """10. One driver: tokens and the run's clock never go back, so no two drivers' events interleave."""
    for earlier, later in pairwise(history.events):
        if later.token < earlier.token:
            yield later.sequence, f"token {later.token} wrote after token {earlier.token}"
        if later.at.elapsed_ms < earlier.at.elapsed_ms:
            times = f"{later.at.elapsed_ms} ms after {earlier.at.elapsed_ms} ms"
            yield later.sequence, f"the run's clock went back: {times}"


INVARIANTS: dict[str, Callable[[History], Found]] = {
    "no_final_left": _no_final_left,
    "sequence_once": _sequence_once,
    "attempts_fresh": _attempts_fresh,
    "evidence_fresh": _evidence_fresh,
    "ceilings_kept": _ceilings_kept,
    "uncertain_not_replayed": _uncertain_not_replayed,
    "sessions_kept": _sessions_kept,
    "projection_powerless": _projection_powerless,
    "resume_equality": _resume_equality,
    "one_driver": _one_driver,
}
