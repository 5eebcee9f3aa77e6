"""The local engine, as the conformance suite asks any engine.

Another engine gives another `Engine`, and takes the same requirements.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pytest

from akm.clock import ClockSample
from akm.dispatch.identity import boot_id
from akm.engine.plans import FrozenPlan, from_bytes
from akm.journal.append import Entry
from akm.journal.faults import StoreFault
from akm.journal.history import OpenRun
from akm.journal.lease import Lease, this_process
from akm.journal.store import Store
from akm.kernel import observation as seen
from akm.kernel.ceilings import CeilingExceeded
from akm.kernel.decide import created, decided
from akm.kernel.decision import Decision, held
from akm.kernel.digest import digest
from akm.kernel.event import Event, Instant
from akm.kernel.evolve import IllegalEvent
from akm.kernel.machines import IllegalMove
from akm.kernel.pending import pending
from akm.kernel.properties import PropertyBroken
from akm_specs.canonical import JsonObject, canonical, hash_json
from akmc.pipeline import compile_workflow
from akmc.source import Source

#: The tools and people of all requirements: one tool of each effect class.
REGISTRY = """
tool read   { argv ["true"], effect read_only }
tool edit   { argv ["true"], effect workspace_mutation }
tool put    { argv ["true"], effect external_idempotent }
tool push   { argv ["true"], effect external_idempotent, receipt ["true"] }
tool upload { argv ["true"], effect receipt_queryable, receipt ["true"] }
tool shell  { argv ["true"] }
tool pay    { argv ["true"], effect external_non_idempotent }
tool model  { argv ["true"], effect read_only, reject 75 -> rate_limited }
agent ada   { tool model }
agent ben   { tool model }
agent cleo  { tool model }
agent judy  { tool model }
defaults { judge judy }
"""


class Engine(Protocol):
    """What a requirement needs of an engine that runs plans. Each call is durable when it returns."""

    def start(self, workflow: str) -> None:
        """Make a run of this inside of a workflow, and bring it to its first step."""

    def tell(self, what: str, about: JsonObject) -> None:
        """Something happened outside: an observation by its name in lower case, with its fields."""

    def crash(self) -> None:
        """The engine's process dies; another takes the run up from what is durable."""

    def write(self, event: list[Any]) -> str | None:
        """Try to append an event that nobody decided; the name of the refusal, or None where it was taken."""

    def history(self) -> list[tuple[str, str, str | None, JsonObject]]:
        """Name, entity, state after it and data of each event since the run was prepared."""

    def asked(self) -> list[str]:
        """What is to be done outside now: command and entity."""

    def standing(self) -> JsonObject:
        """Status, digest, and why the run ended if no transition said so."""


@dataclass
class LocalEngine:
    """The real kernel, gate, lease and journal of this checkout, told what processes do."""

    directory: Path
    at_ms: int = 0
    begun: int = 0
    run: OpenRun = field(init=False)
    lease: Lease = field(init=False)
    store: Store = field(init=False)

    def start(self, workflow: str) -> None:
        self.store = Store(self.directory, create=True)
        text = f'workflow told "Told by a requirement" {{\n{workflow}\n}}\n'
        compiled = compile_workflow(Source("absent/told.akm", text), Source("absent/registry.akm", REGISTRY))
        frozen: FrozenPlan = from_bytes(compiled.data, "told.akm")
        given = {one["name"]: one["default"] for one in frozen.plan["parameters"] if "default" in one}
        birth = created("r", frozen.plan, frozen.hash, given, simulated=False)
        entry = self._entry(held(frozen.plan, None, (birth,), 0))
        made = self.store.create_run(frozen.plan, frozen.data, "/nowhere", this_process(), entry)
        assert made.lease is not None, "made now"
        self.run, self.lease = made.run, made.lease
        self._decided(seen.Ticked(0))
        self._decided(seen.Prepared(0, ()))
        self.begun = 3

    def _entry(self, decision: Decision, taken: tuple[int, ...] = ()) -> Entry:
        sample = ClockSample(boot_id(), 1_000_000 + self.at_ms, self.at_ms)
        return Entry(decision, Instant("2026-01-01T00:00:00.000Z", self.at_ms), sample, taken)

    def _decided(self, observation: Any) -> None:
        decision = decided(self.run.plan, self.run.state, observation)
        if decision.events:
            self.run = self.store.append(self.run, self.lease, self._entry(decision))

    def tell(self, what: str, about: JsonObject) -> None:
        self.at_ms += about.pop("after_ms", 0)
        observed = OBSERVATIONS[what]
        if observed is seen.DecisionGiven:
            active = self.run.state.active
            about = {"shown": active.shown if active else "", "reason": "", **about}
        if observed in (seen.DecisionGiven, seen.SignalGiven, seen.CancelAsked, seen.ResolutionGiven):
            about = {"number": self.run.state.sequence, **about}
        about = {name: tuple(value) if isinstance(value, list) else value for name, value in about.items()}
        if "stdout" in about:
            about["stdout"] = (
                about["stdout"].encode() if isinstance(about["stdout"], str) else canonical(about["stdout"])
            )
        if observed is seen.Arrived:
            inner = (
                OBSERVATIONS[name](self.at_ms, **each)
                for one in about["observations"]
                for name, each in one.items()
            )
            about = {"observations": tuple(inner)}
        self._decided(observed(self.at_ms, **about))

    def crash(self) -> None:
        self.store.close()
        self.store = Store(self.directory, create=False)
        self.store.release(self.lease)
        self.lease, self.run = self.store.claim("r", this_process()), self.store.take_up("r")

    def write(self, event: list[Any]) -> str | None:
        before = self.store.run("r").sequence
        try:
            decision = held(self.run.plan, self.run.state, (Event(*event),), self.at_ms)
            self.run = self.store.append(self.run, self.lease, self._entry(decision))
        except (IllegalMove, IllegalEvent, CeilingExceeded, PropertyBroken, StoreFault) as refusal:
            assert self.store.run("r").sequence == before, "a refusal writes nothing"
            return type(refusal).__name__
        return None

    def history(self) -> list[tuple[str, str, str | None, JsonObject]]:
        events = [one.event for one in self.store.recorded("r")][self.begun :]
        return [(one.name, one.entity, one.target, one.data) for one in events]

    def asked(self) -> list[str]:
        found = pending(self.run.plan, self.run.state)
        return [
            f"{type(one).__name__} {getattr(one, 'attempt', None) or getattr(one, 'effect', '')}".strip()
            for one in found
        ]

    def standing(self) -> JsonObject:
        summary = self.store.run("r").summary
        return {
            "status": summary["status"],
            "outcome": summary["outcome"],
            "reason": (summary["reason"] or {}).get("code"),
            "uncertain": [one["effect"] for one in summary["uncertain"]],
            "digest": digest(self.store.recorded("r")),
        }


OBSERVATIONS: dict[str, Any] = {
    "ticked": seen.Ticked,
    "arrived": seen.Arrived,
    "ended": seen.AttemptEnded,
    "lost": seen.AttemptLost,
    "reattached": seen.AttemptReattached,
    "receipt": seen.ReceiptAnswered,
    "artifacts": seen.ArtifactsChecked,
    "decision": seen.DecisionGiven,
    "signal": seen.SignalGiven,
    "cancel": seen.CancelAsked,
    "resolution": seen.ResolutionGiven,
    "unread": seen.CommandUnread,
}


@pytest.fixture
def engine_in(tmp_path: Path) -> Iterator[Callable[[], Engine]]:
    """Makes engines, each with a store of its own."""
    made: list[LocalEngine] = []

    def engine() -> Engine:
        made.append(LocalEngine(tmp_path / f"store-{len(made)}"))
        return made[-1]

    yield engine
    for each in made:
        with closing(each.store):
            pass


@pytest.fixture
def hash_of() -> Callable[[Any], str]:
    """SHA-256 over canonical JSON."""
    return hash_json
