"""How executor tests make plans and tell runs: texts compiled for real; a kernel told what happens in memory,
and a real store told the same."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from akm.clock import ClockSample
from akm.dispatch.identity import boot_id
from akm.engine.plans import FrozenPlan, from_bytes
from akm.journal.append import Entry
from akm.journal.lease import this_process
from akm.journal.store import Store
from akm.kernel.ceilings import exceeded
from akm.kernel.command import Command, StartAttempt
from akm.kernel.decide import created, decide
from akm.kernel.decision import Decision, held
from akm.kernel.draft import Draft
from akm.kernel.event import Event, Instant, Recorded
from akm.kernel.evolve import evolve
from akm.kernel.invariants import History, check
from akm.kernel.machines import finals
from akm.kernel.memory import recalled, remembered
from akm.kernel.observation import (
    AttemptEnded,
    AttemptLost,
    AttemptReattached,
    CancelAsked,
    CommandUnread,
    DecisionGiven,
    Observation,
    Prepared,
    ReceiptAnswered,
    ResolutionGiven,
    SignalGiven,
    Ticked,
)
from akm.kernel.pending import pending
from akm.kernel.progress import RULES
from akm.kernel.state import RunState
from akm.kernel.summary import summarise
from akm_specs.canonical import JsonObject, canonical
from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.source import Source

#: A tool of each effect class, one more that can be asked, one that may refuse, and agents.
REGISTRY = """
tool read   { argv ["true"], effect read_only }
tool edit   { argv ["true"], effect workspace_mutation }
tool put    { argv ["true"], effect external_idempotent }
tool push   { argv ["true"], effect external_idempotent, receipt ["true"] }
tool upload { argv ["true"], effect receipt_queryable, receipt ["true"] }
tool shell  { argv ["true"] }
tool pay    { argv ["true"], effect external_non_idempotent }
tool model  { argv ["true"], effect read_only, reject 75 -> rate_limited, reject 77 -> refused }
tool chat   { argv ["true"], session, effect read_only }
tool order  { argv ["true"], session }
agent clerk { tool chat, scope { read [site, book] } }
agent coder { tool read }
agent ada   { tool model }
agent ben   { tool model }
agent cleo  { tool model }
agent judy  { tool model }
defaults { judge judy }
repository site { directory "site", remote "far/site.git" }
repository book { directory "book", remote "far/book.git" }
"""
HEAD = """workflow told "Told by a test" {
  param value: string = "x"
  param items: list of string = ["x", "y", "z"]
"""


def _frozen(steps: str, registry: str = REGISTRY) -> FrozenPlan:
    source = Source("absent/told.akm", f"{HEAD}{steps}\n}}\n")
    return from_bytes(compile_workflow(source, Source("absent/registry.akm", registry)).data, "told.akm")


def _plan(steps: str) -> Plan:
    return _frozen(steps).plan


class Story:
    """A run in memory: what it is told is decided, appended as the journal's gate would, and remembered.

    Invariant: the recovery invariants hold after every append, `decide` gives the same answer twice and leaves no
    rule that could apply, a state never changes once it was there, and each can be remembered and recalled.
    """

    def __init__(self, plan: Plan, **parameters: Any) -> None:
        self.plan = plan
        self.at_ms = 0
        self.history: list[Recorded] = []
        self._given = 0
        parameters = {one["name"]: one["default"] for one in plan["parameters"] if "default" in one} | parameters
        self.state: RunState = self._append(None, created("r", plan, "0" * 64, parameters, simulated=False))

    def _append(self, state: RunState | None, event: Event) -> RunState:
        assert state is None or exceeded(self.plan, state, event, self.at_ms) is None
        at = Instant("2026-01-01T00:00:00Z", self.at_ms)
        self.history.append(Recorded("r", len(self.history) + 1, at, 1, event))
        return evolve(self.plan, state, event)

    def tell(self, observation: Observation) -> tuple[Event, ...]:
        """What `observation` leads to, appended."""
        self.at_ms = max(self.at_ms, observation.at_ms)
        earlier, shown = self.state, repr(self.state)
        events = decide(self.plan, self.state, observation)
        assert decide(self.plan, self.state, observation) == events
        for event in events:
            self.state = self._append(self.state, event)
        assert repr(earlier) == shown
        if self.state.status not in finals("run") and not isinstance(observation, CommandUnread):
            assert not any(rule.apply(Draft(self.plan, self.state, self.at_ms)) for rule in RULES)
        assert check(History(self.plan, tuple(self.history), summarise(self.plan, self.state))) == ()
        assert recalled(json.loads(json.dumps(remembered(self.state)))) == self.state
        return events

    # observations

    def prepared(self, *problems: str) -> "Story":
        """The run is looked at for the first time, and prepared."""
        self.tell(Ticked(self.at_ms))
        self.tell(Prepared(self.at_ms, problems))
        return self

    def tick(self, later_ms: int = 0) -> tuple[Event, ...]:
        return self.tell(Ticked(self.at_ms + later_ms))

    def ends(self, attempt: str, exit_code: int | None = 0, **how: Any) -> tuple[Event, ...]:
        return self.tell(AttemptEnded(self.at_ms, attempt, exit_code, **how))

    def says(self, attempt: str, **reply: Any) -> tuple[Event, ...]:
        """An agent's process ends with a reply, `passed` unless told otherwise."""
        return self.ends(attempt, stdout=canonical({"outcome": "passed", **reply}))

    def judges(self, attempt: str, **verdict: Any) -> tuple[Event, ...]:
        """A judge's process ends with a verdict."""
        return self.ends(attempt, stdout=canonical(verdict))

    def never_starts(self, attempt: str) -> tuple[Event, ...]:
        return self.ends(attempt, None, never_started="spawn_failed")

    def loses(self, attempt: str, *survivors: str, changed: tuple[str, ...] | None = None) -> tuple[Event, ...]:
        return self.tell(AttemptLost(self.at_ms, attempt, "crash", survivors, changed))

    def reattaches(self, attempt: str) -> tuple[Event, ...]:
        return self.tell(AttemptReattached(self.at_ms, attempt, {"pid": 7}))

    def answers(self, effect: str, answer: Any, receipt: Any = None, **more: Any) -> tuple[Event, ...]:
        return self.tell(ReceiptAnswered(self.at_ms, effect, answer, receipt, **more))

    def decides(
        self, step_attempt: str, approve: bool = True, by: str = "alice", shown: str = ""
    ) -> tuple[Event, ...]:
        """`shown` empty: what is shown now."""
        active = self.state.active
        shown = shown or (active.shown if active else None) or "nothing"
        return self.tell(DecisionGiven(self.at_ms, self._number(), step_attempt, approve, by, "looked", shown))

    def signals(self, name: str, data: Any = None) -> tuple[Event, ...]:
        return self.tell(SignalGiven(self.at_ms, self._number(), name, data))

    def cancels(self) -> tuple[Event, ...]:
        return self.tell(CancelAsked(self.at_ms, self._number(), "alice", "enough"))

    def resolves(self, effect: str, action: Any, reference: str | None = None, **more: Any) -> tuple[Event, ...]:
        number = self._number()
        return self.tell(ResolutionGiven(self.at_ms, number, effect, action, "alice", "looked", reference, **more))

    def _number(self) -> int:
        self._given += 1
        return self._given

    # looking

    @property
    def pending(self) -> tuple[Command, ...]:
        return pending(self.plan, self.state)

    @property
    def starts(self) -> list[str]:
        """The attempts that are to be started now."""
        return [one.attempt for one in self.pending if isinstance(one, StartAttempt)]

    @property
    def names(self) -> list[str]:
        """The names of all events so far."""
        return [recorded.event.name for recorded in self.history]

    @property
    def transitions(self) -> list[str]:
        """The transitions taken so far, as `STEP OUTCOME TARGET`."""
        taken = (one.event.data for one in self.history if one.event.name == "transition.taken")
        return [f"{data['step']} {data['outcome']} {data['target']}" for data in taken]

    @property
    def results(self) -> list[Any]:
        """The recorded results so far, as event data."""
        return [one.event.data["result"] for one in self.history if one.event.name == "assignment.record_result"]

    def problem(self) -> str:
        """Why the last thing told was refused."""
        problem: str = self.history[-1].event.data["problem"]
        return problem


PlanOf: TypeAlias = Callable[[str], Plan]
StoryOf: TypeAlias = Callable[..., Story]


@pytest.fixture(scope="session")
def plan_of() -> PlanOf:
    """Compiles the inside of a workflow: limits and steps beside tools of every effect class."""
    return _plan


@pytest.fixture(scope="session")
def story_of() -> StoryOf:
    """Begins the run of a workflow's inside, prepared up to its first step."""

    def begun(steps: str, **parameters: Any) -> Story:
        return Story(_plan(steps), **parameters).prepared()

    return begun


# a run in a real store


@dataclass
class HandTime:
    """Clocks that are moved by hand."""

    boot: str = field(default_factory=boot_id)
    boottime: int = 1_000_000
    wall: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def boot_id(self) -> str:
        return self.boot

    def boottime_ms(self) -> int:
        return self.boottime

    def utc(self) -> str:
        return self.wall.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def passes(self, ms: int) -> None:
        """Time passes on both clocks."""
        self.boottime += ms
        self.wall += timedelta(milliseconds=ms)


class Ledger:
    """A run in a real store, told what happens: what that leads to is appended through the gate."""

    def __init__(self, store: Store, frozen: FrozenPlan, run: str = "r") -> None:
        self.store = store
        self.at_ms = 0
        parameters = {one["name"]: one["default"] for one in frozen.plan["parameters"] if "default" in one}
        self.birth = self.birth_of(frozen, run, parameters)
        made = store.create_run(frozen.plan, frozen.data, "/nowhere", this_process(), self.birth)
        assert made.lease is not None, "made now"
        self.run, self.lease = made.run, made.lease

    def birth_of(self, frozen: FrozenPlan, run: str, parameters: JsonObject) -> Entry:
        """The entry by which `run` is born."""
        birth = created(run, frozen.plan, frozen.hash, parameters, simulated=False)
        return self._entry(held(frozen.plan, None, (birth,), 0))

    def entry(self, *events: Event, **more: Any) -> Entry:
        """`events` at the ledger's time. Raises what they break."""
        return self._entry(held(self.run.plan, self.run.state, events, self.at_ms), **more)

    def _entry(self, decision: Decision, **more: Any) -> Entry:
        at = Instant("2026-01-01T00:00:00.000Z", self.at_ms)
        return Entry(decision, at, ClockSample(boot_id(), 1_000_000 + self.at_ms, self.at_ms), **more)

    def decided(self, observation: Observation) -> tuple[Event, ...]:
        """What `observation` would lead to."""
        return decide(self.run.plan, self.run.state, observation)

    def append(self, *events: Event, **more: Any) -> None:
        """Through the gate; raises what it raises."""
        self.run = self.store.append(self.run, self.lease, self.entry(*events, **more))

    def tell(self, observation: Observation, **more: Any) -> None:
        """What `observation` leads to, appended."""
        self.append(*self.decided(observation), **more)

    def prepared(self) -> "Ledger":
        """Up to the first step, as a driver does."""
        self.tell(Ticked(self.at_ms))
        self.tell(Prepared(self.at_ms, ()))
        return self

    def ends(self, attempt: str, exit_code: int = 0) -> "Ledger":
        """The process of `attempt` ends."""
        self.tell(AttemptEnded(self.at_ms, attempt, exit_code))
        return self


FrozenOf: TypeAlias = Callable[..., FrozenPlan]


@pytest.fixture(scope="session")
def frozen_of() -> FrozenOf:
    """As `plan_of`, frozen; a second argument is another registry."""
    return _frozen


@pytest.fixture
def hand_time() -> HandTime:
    """Clocks that are moved by hand."""
    return HandTime()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A new store."""
    made = Store(tmp_path / "store", create=True)
    yield made
    made.close()


@pytest.fixture(scope="session")
def ledger_type() -> type[Ledger]:
    """Makes a run in a store of one's own."""
    return Ledger


@pytest.fixture
def ledger_of(store: Store) -> Callable[..., Ledger]:
    """Begins the run of a workflow's inside in `store`, prepared up to its first step."""
    return lambda steps, run="r": Ledger(store, _frozen(steps), run).prepared()


@pytest.fixture
def eventually() -> Callable[[Callable[[], Any]], Any]:
    """Looks until something is true, and gives it; fails after a while."""
    return _eventually


def _eventually(looked_at: Callable[[], Any], within_s: float = 30.0) -> Any:
    deadline = time.monotonic() + within_s
    while not (found := looked_at()):
        assert time.monotonic() < deadline, "it has not become true"
        time.sleep(0.01)
    return found
