"""One run on a simulated host, through as many engines as it takes, and the proof of what it has done."""

import random
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from akm.audit.check import audit
from akm.audit.history import entry
from akm.dispatch import record
from akm.dispatch.host import another_host
from akm.dispatch.process import ProcessRequest
from akm.engine import inbox
from akm.engine.driver import Driver, Limits
from akm.engine.opening import Host, open_existing, open_new
from akm.engine.plans import FrozenPlan
from akm.engine.verification import verify
from akm.engine.watcher import Watcher
from akm.journal.disclosure import disclosed
from akm.journal.faults import CommandConflict, LeaseHeld, LeaseLost, RunEnded, StoreBusy, StoreFull
from akm.journal.lease import LEASE_DURATION_MS, this_process
from akm.journal.projections import RunRow
from akm.journal.store import ENDED, Store
from akm.kernel.digest import digest
from akm.kernel.event import Event, linked
from akm.kernel.identity import assignment_of
from akm.kernel.outcome import named_files
from akm.kernel.state import RunState
from akm.kernel.units import unit_of
from akm.simulation.run import Broken
from akm.simulation.sample import sample
from akm.simulation.shell.faults import Cut, Faults
from akm.simulation.shell.host import SimulatedHost
from akm.simulation.shell.processes import Deeds, Doing, SimulatedProcesses
from akm.simulation.shell.store import MortalStore
from akm.simulation.world import World
from akm_specs.canonical import JsonObject, canonical

RUN = "simulated"
#: The commit that every repository is at.
COMMIT = b"1" * 40
#: Classes of effects that no recovery may repeat unless nothing was done.
ONCE = frozenset({"unknown", "external_non_idempotent", "receipt_queryable"})
#: Events that only a hard case leads to.
HARD = frozenset(
    {
        *("attempt.reattach", "attempt.lose", "assignment.retry", "effect.block", "run.block", "run.begin_cancel"),
        *("decision.refused", "command.unread", "resolution.recorded", "resolution.refused", "signal.unconsumed"),
        *("budget.exhausted", "panel.decided", "gate.rejected", "host.seen"),
    }
)
#: More rows than a run puts into the outbox.
ROWS_MAX = 100_000
#: Engines after which a run is held to be endless.
LIVES_MAX = 100
#: Turns of one engine after which it is held to go round in circles.
TURNS_MAX = 5_000
#: How often a process goes without a word, and how often one does not heed SIGTERM.
SILENT_RATE, DEAF_RATE = 0.05, 0.2


@dataclass(slots=True)
class Meddling:
    """What people and chance do beside the run; all of it from one seed. None of it: a calm run."""

    chance: random.Random
    cancel_rate: float = 0.0
    repeat_rate: float = 0.0
    rival_rate: float = 0.0
    late_rate: float = 0.0
    stalls: bool = False
    reboot_rate: float = 0.0
    silent_rate: float = 0.0


@dataclass(slots=True)
class ShellRun:
    """Invariant: what is in `directory` is all that survives an engine; `deeds` is what was really done."""

    frozen: FrozenPlan
    parameters: JsonObject
    workspace: Path
    directory: Path
    ambient: Mapping[str, str]
    world: World
    faults: Faults
    meddling: Meddling
    host: SimulatedHost = field(default_factory=SimulatedHost)
    deeds: Deeds = field(default_factory=Deeds)
    met: Counter[str] = field(default_factory=Counter)
    _driver: Driver | None = None

    def drive(self) -> str:
        """Carry the run to its end through all faults, and prove what happened; its digest. Raises Broken."""
        if self.meddling.stalls:
            self.faults.stall_by(self._others)
        with another_host(self.host):
            for _ in range(LIVES_MAX):
                if self._live():
                    self._prove()
                    with closing(Store(self.directory, create=False, time=self.host)) as store:
                        return digest(store.recorded(RUN))
            raise Broken(f"it has not ended after {LIVES_MAX} engines")

    # one engine

    def _live(self) -> bool:
        """What one engine does until it is cut off, or stops by itself; whether the run has ended."""
        self.faults.reborn()
        try:
            with closing(MortalStore(self.directory, self.host, self.faults, self._quicker)) as store:
                self._engine(store)
                self._help(store)
                return store.has(RUN) and store.run(RUN).status in ENDED
        except Cut:
            self.met["cut off"] += 1
            self._after_cut()
            return False

    def _engine(self, store: MortalStore) -> None:
        """An engine as `akm run` is one: what it raises ends it in order."""
        try:
            driver = self._driver = self._opened(store)
        except (StoreFull, StoreBusy):
            return
        if driver is None:
            return
        try:
            driver.begin()
            self._turns(driver, store)
        except (StoreFull, StoreBusy, LeaseLost) as fault:
            self.met[type(fault).__name__] += 1
        driver.let_go()
        if self.host.alive and not self.faults.cuts:
            raise Broken("an engine that ended in order has left processes behind")

    def _turns(self, driver: Driver, store: Store) -> None:
        for _ in range(TURNS_MAX):
            standing = driver.turn()
            if standing is not None:
                return
            self._meddle(store)
        raise Broken(f"an engine makes no way: it stands at {driver.state.status} after {TURNS_MAX} turns")

    def _opened(self, store: MortalStore) -> Driver | None:
        host = Host(self.ambient, self.host, None, lambda fence: self._processes(fence, store))
        if not store.has(RUN):
            place = self.workspace
            return open_new(store, self.frozen, self.parameters, RUN, place, Limits(), Watcher(), host)
        if store.run(RUN).status in ENDED:
            return None
        return open_existing(store, RUN, Limits(), Watcher(), host, going_on=True)

    def _processes(self, fence: int, store: Store) -> SimulatedProcesses:
        def doing(key: str, request: ProcessRequest) -> Doing:
            return self._doing(store, key, request)

        return SimulatedProcesses(fence, self.host, self.faults, self.deeds, doing)

    def _others(self) -> None:
        """An engine stands still until its lease has expired; what another does meanwhile.

        Raises Cut where the machine went down, and the engine that stood still with it.
        """
        boot = self.host.boot_id()
        self.host.passes(LEASE_DURATION_MS + 1)
        self._live()
        if self.host.boot_id() != boot:
            raise Cut("the machine went down")

    def _after_cut(self) -> None:
        """The engine is gone; what it started goes on. Or the machine went, and everything with it."""
        chance = self.meddling.chance
        if chance.random() < self.meddling.reboot_rate:
            self.met["reboot"] += 1
            self._lose_unwritten()
            self.host.reboots()
        else:
            self.host.engine_restarts()
            self.host.passes(chance.choice((0, 0, 5, 50, 20_000)))
            self.host.wall_jumps(chance.choice((0, 0, 86_400_000, -86_400_000)))

    def _lose_unwritten(self) -> None:
        """What a supervisor had not brought to the disk is gone with the machine: the record, or its folder too."""
        for process in self.host.alive:
            if self.meddling.chance.random() < 0.5:
                shutil.rmtree(process.life.folder)
            else:
                (process.life.folder / record.NAME).unlink(missing_ok=True)

    # what processes do

    def _doing(self, store: Store, key: str, request: ProcessRequest) -> Doing:
        run = request.work.partition(" ")[0]
        plan, state = store.plan(run), store.load(run).state
        world = World(plan, f"{self.world.seed} {run}")
        if key.endswith(" commit"):
            return Doing(1, 0, stdout=COMMIT, asks=True)
        if key.endswith(" remote"):
            return Doing(1, 0, asks=True)
        if key.endswith(" receipt"):
            return self._query(world, state, key.removesuffix(" receipt"), request)
        attempt = request.environment["AKM_ATTEMPT"]
        end = world.end(state, attempt)
        if "never_started" in end:
            return Doing(0, None, spawn_error="spawn_failed")
        chance = world.pick("way", attempt)
        silent = self.meddling.silent_rate and chance.random() < self.meddling.silent_rate
        stdout = end.get("stdout", b"")
        names = named_files(unit_of(plan, assignment_of(attempt)), stdout) if end.get("exit_code") == 0 else ()
        return Doing(
            took_ms=chance.choice((1, 1, 3, 40, 300)),
            exit_code=end.get("exit_code"),
            signal=end.get("signal"),
            timed_out=end.get("timed_out", False),
            stdout=stdout,
            files=names,
            silent=bool(silent),
            acts=end.get("exit_code") == 0,
            heeds=chance.random() >= DEAF_RATE,
        )

    def _query(self, world: World, state: RunState, effect: str, request: ProcessRequest) -> Doing:
        if world.receipt(state, effect) == "ambiguous":
            return Doing(1, 1, asks=True)
        acted = self.deeds.acted[request.environment["AKM_IDEMPOTENCY_KEY"]] > 0
        if unit_of(world.plan, assignment_of(effect)).reply == "push":
            return Doing(1, 0, stdout=COMMIT if acted else b"", asks=True)
        said: JsonObject = {"found": True, "receipt": "simulated"} if acted else {"found": False}
        return Doing(1, 0, stdout=canonical(said), asks=True)

    # what people do

    def _meddle(self, store: Store) -> None:
        chance, rates = self.meddling.chance, self.meddling
        if chance.random() < rates.rival_rate:
            self._rival(store)
        if rates.cancel_rate and chance.random() < rates.cancel_rate:
            self.met["cancel asked"] += 1
            self._post(store, RUN, inbox.cancel("simulated", "enough"))

    def _quicker(self) -> None:
        """Somebody sends something just before an append."""
        if self.meddling.chance.random() < self.meddling.late_rate:
            with closing(Store(self.directory, create=False, time=self.host)) as store:
                if store.has(RUN):
                    self.met["sent at the last moment"] += 1
                    self._post(store, RUN, inbox.signal("late", None, f"late {self.faults.places}"))

    def _rival(self, store: Store) -> None:
        """Another engine wants the run while one drives it, whose lease has not expired."""
        held = store.lease(RUN)
        over = held is None or held.released_utc is not None or held.expires_boottime_ms <= self.host.now_ms
        if held is None or over or held.process != this_process().process:
            return
        self.met["rival"] += 1
        with suppress(LeaseHeld):
            Store.claim(store, RUN, this_process())
            raise Broken("a lease was taken from an engine that is alive")

    def _help(self, store: Store) -> None:
        """Whatever a run waits for comes, or its time passes."""
        for run in store.runs():
            if run.status in ENDED:
                continue
            waiting = run.summary.get("waiting_for")
            for effect in run.summary.get("uncertain") or ():
                self._resolve(store, run, effect)
            if waiting:
                self._answer(store, run, waiting)

    def _answer(self, store: Store, run: RunRow, waiting: JsonObject) -> None:
        world = World(store.plan(run.run), f"{self.world.seed} {run.run}")
        chance = world.pick("wait", waiting["step_attempt"])
        comes = chance.random() < 0.7
        if comes and waiting["kind"] == "decision":
            approve, by = chance.random() < 0.7, waiting["by"][0]
            shown = waiting["shown_hash"]
            draft = inbox.decision(waiting["step_attempt"], approve=approve, by=by, reason="simulated", shown=shown)
            self._post(store, run.run, draft)
        elif comes and waiting["kind"] == "signal":
            steps: Any = store.plan(run.run)["steps"]
            step = next(one for one in steps if one["name"] == waiting["step"])
            data = None if step["output"] is None else sample(step["output"], chance)
            self._post(store, run.run, inbox.signal(waiting["signal"], data, waiting["step_attempt"]))
            self.host.passes(1)
        elif waiting["kind"] != "signal" or not comes:
            due = store.load(run.run).sample
            self.host.passes(max(1, waiting["due_ms"] - due.elapsed_ms + 1))

    def _resolve(self, store: Store, run: RunRow, effect: JsonObject) -> None:
        """A person finds out what is true; what did not end by itself counts as failed."""
        state, plan = store.load(run.run).state, store.plan(run.run)
        unit = unit_of(plan, effect["assignment"])
        ended = World(plan, f"{self.world.seed} {run.run}").end(state, effect["effect"])
        acted, action = self.deeds.acted[effect["key"]], "mark-failed"
        if not acted and ended.get("exit_code") is not None:
            action = "confirm-absent"
        elif acted and unit.output is None and "mark-completed" in effect["resolutions"]:
            action = "mark-completed"
        self.met[f"resolved {action}"] += 1
        nth = store.posted(run.run, f"resolution {effect['effect']} ")
        draft = inbox.resolution(
            effect["effect"], action=action, by="simulated", reason="simulated", reference="simulated", nth=nth
        )
        self._post(store, run.run, draft)

    def _post(self, store: Store, run: str, draft: inbox.Draft) -> None:
        times = 2 if self.meddling.chance.random() < self.meddling.repeat_rate else 1
        for _ in range(times):
            with suppress(CommandConflict, RunEnded):
                store.post(run, draft.key, draft.kind, draft.body)

    # the proof

    def _prove(self) -> None:
        """Everything that must hold at the end. Raises Broken."""
        with closing(Store(self.directory, create=False, time=self.host)) as store:
            problems = list(store.problems())
            for run in store.all_runs():
                problems += self._problems_of(store, run)
        problems += [f"{work} began {n} times" for work, n in self.deeds.begun.items() if n > 1]
        if problems:
            raise Broken("; ".join(problems))

    def _problems_of(self, store: Store, run: str) -> list[str]:
        self.met += Counter(one.event.name for one in store.recorded(run) if one.event.name in HARD)
        found = [f"{run}: {each.name}: {each.message}" for each in verify(store, run).violations]
        opened = store.load(run)
        lines = tuple(entry(one.exported()) for one in linked(store.recorded(run)))
        audited = audit(opened.plan, opened.plan_hash, lines)
        found += [f"{run}: audit {each.name}: {each.message}" for each in audited]
        found += self._repeated(tuple(one.event for one in store.recorded(run)))
        if store.inbox(run):
            found.append(f"{run}: it has ended over commands that nobody has read")
        found += self._unsent(store, run)
        if store.is_driven(run):
            found.append(f"{run}: its lease was not given back")
        return found

    def _unsent(self, store: Store, run: str) -> Iterator[str]:
        """Events of which a hub is to hear, and has no row."""
        rows = {row.sequence for row in store.outbox().rows("outbox_pending", ROWS_MAX) if row.run == run}
        for one in store.recorded(run):
            if one.sequence not in rows and disclosed(run, one.sequence, one.at, one.event) is not None:
                yield f"{run}: event {one.sequence} has no row in the outbox"

    def _repeated(self, events: tuple[Event, ...]) -> Iterator[str]:
        """Effects that may not be repeated unknowingly, and acted more often than anybody meant."""
        meant = Counter(
            one.entity for one in events if one.name == "assignment.retry" and one.data["reason"] != "lost"
        )
        for one in events:
            if one.name == "effect.create" and one.data["class"] in ONCE:
                acted = self.deeds.acted[one.data["key"]]
                if acted > 1 + meant[assignment_of(one.entity)]:
                    yield f"{one.entity} acted {acted} times"
