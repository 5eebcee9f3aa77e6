"""Runs of generated plans in a world that crashes: what always holds, and proof that the hard cases were met.

The world answers as a function of its seed and of who asks, so that a crash changes nothing of it; what was
started and what acted is remembered outside of the run. The driver below keeps the real one's order.
"""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from akm.kernel import command as ask
from akm.kernel import observation as seen
from akm.kernel.ceilings import exceeded
from akm.kernel.decide import created, decide
from akm.kernel.digest import digest
from akm.kernel.event import Event, Instant, Recorded
from akm.kernel.evolve import IllegalEvent, evolve
from akm.kernel.identity import assignment_of
from akm.kernel.invariants import History, check, final_state
from akm.kernel.machines import IllegalMove, finals
from akm.kernel.pending import pending
from akm.kernel.state import RunState
from akm.kernel.steps import parallel, step_named
from akm.kernel.summary import summarise
from akm.kernel.units import unit_of
from akm_specs import lives
from akm_specs.plan import Plan, Step
from akmc.pipeline import compile_workflow
from akmc.source import Source

Plans = st.SearchStrategy[Plan]

CRASHES_MAX = 6
TURNS_MAX = 2_000
SEEDS = 60
#: How often the whole history so far is proved after an append; at a run's end it always is.
PROOF_RATE = 0.1
#: Every effect class and every kind of wait, with a way back from each.
CAMPAIGN = """workflow campaign "Meets every hard case" {
  param items: list of string = ["x", "y", "z"]
  limits { transitions 28, duration 1d }
  step look: exec read_only { attempts 3, retry 1 on failed, timeout, exit 3 -> partly
    on partly -> look max 2, on passed -> upload, on failed -> upload }
  step upload: gate receipt_queryable { attempts 3, retry 1 on spawn_failed
    on passed -> panel, on failed -> look max 1 }
  step panel: panel { attempts 3
    assign 2 of [ada, ben, cleo] { maximum 4, parallel 3, attempts 2 }, join quorum 2 then cancel, prompt "Look."
    on passed -> each, on quorum_not_met -> each }
  step each: map it in params.items { attempts 3, run tool external_idempotent, parallel 2, tolerate 1
    on passed -> push, on failed -> push }
  step push: deliver [site, docs] { attempts 3, remediate 1, timeout 1m, retry 1 on timeout
    on passed -> write, on partial -> write, on failed -> write }
  step write: agent coder { attempts 3, prompt "Write.", output { text: string }
    gate { rubric "Good?", max_loops 3 }, on passed -> judged, on failed -> judged }
  step judged: judge judy { attempts 3, of params.items, rubric "Good?", on passed -> ask, on failed -> ask }
  step ask: approval { attempts 3, by alice, timeout 1h
    on passed -> shell, on rejected -> upload max 1, on expired -> failed }
  step shell: exec unknown { attempts 2, exit 3 -> partly
    on passed -> signal, on partly -> signal, on failed -> cancelled }
  step signal: wait signal go { attempts 2, timeout 1h, on passed -> pay, on expired -> pay }
  step pay: exec external_non_idempotent { attempts 2, exit 3 -> partly
    on passed -> completed, on partly -> ask max 1, on failed -> shell max 1 }
}
"""
#: Facts without which what follows is not legal.
BINDING = ("transition.taken", "cancel.requested", "budget.exhausted")
#: Classes of which no process runs twice for one assignment, unless a person says so.
NEVER_REPEATED = ("workspace_mutation", "unknown", "external_non_idempotent")
ENDS: dict[str, tuple[dict[str, Any], ...]] = {
    "exit": ({"exit_code": 0}, {"exit_code": 0}, {"exit_code": 0}, {"exit_code": 1}, {"exit_code": 3}),
    "outcome": (
        {"exit_code": 75},
        *(
            {"exit_code": 0, "stdout": text}
            for text in (
                b'{"outcome": "passed", "text": "t"}',
                b'{"outcome": "passed", "text": "t"}',
                b'{"outcome": "passed"}',
                b'{"outcome": "revise", "text": "t"}',
                b"passed",
            )
        ),
    ),
    "push": ({"exit_code": 0}, {"exit_code": 0}, {"exit_code": 1}),
    "verdict": tuple(
        {"exit_code": 0, "stdout": text}
        for text in (
            b'{"complete": true}',
            b'{"complete": true}',
            b'{"complete": false, "feedback": "more", "missing": ["a"]}',
            b'{"complete": "yes"}',
        )
    ),
}
BROKEN: tuple[dict[str, Any], ...] = ({"never_started": "no"}, {"signal": 15, "timed_out": True}, {"signal": 9})


class Crash(Exception):
    """The driver's process is gone."""


class World:
    """Everything outside of the run. `started` and `cancelled_at_work` outlive every crash."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.started: set[str] = set()
        self.cancelled_at_work = False

    def pick(self, *who: object) -> random.Random:
        """Chance that is the same for the same asker."""
        return random.Random(f"{self.seed} {who}")

    def end(self, plan: Plan, state: RunState, attempt: str) -> dict[str, Any]:
        """How `attempt` ends: the same for each that replaces it without being a retry by policy."""
        assignment = state.assignments[state.attempts[attempt].assignment]
        chance = self.pick("end", assignment.id, assignment.attempts - assignment.lost - assignment.granted)
        return chance.choice(BROKEN if chance.random() < 0.2 else ENDS[unit_of(plan, assignment.id).reply])

    def receipt(self, plan: Plan, state: RunState, effect: str) -> Any:
        """Only what passed left something to be found; now and then the query fails."""
        if self.pick("query", effect).random() < 0.2:
            return "ambiguous"
        return "found" if self.end(plan, state, effect).get("exit_code") == 0 else "absent"

    def cancels(self, state: RunState) -> bool:
        active = state.active
        return active is not None and state.ending is None and self.pick("cancel", active.id).random() < 0.08


class Driver:
    """A driver without a store: `journal` is what survives. Crashes are drawn at every step that can be cut."""

    def __init__(self, plan: Plan, world: World, crash_rate: float) -> None:
        self.plan = plan
        self.world = world
        self.chance = random.Random(f"{world.seed} crashes")
        self.crash_rate = crash_rate
        self.crashes = 0
        self.alive: set[str] = set()
        self.now_ms = 0
        self.journal: list[Recorded] = []
        parameters = {one["name"]: one["default"] for one in plan["parameters"]}
        self.state: RunState | None = None
        self._append((created("r", plan, "0" * 64, parameters, simulated=False),))

    def drive(self) -> "Driver":
        """Carry the run to its end through all crashes."""
        crashed = False
        for _ in range(TURNS_MAX):
            try:
                if crashed:
                    self._recover()
                    crashed = False
                if self.standing.status in finals("run"):
                    return self
                self._turn()
            except Crash:
                self.crashes += 1
                crashed = True
                self.alive.clear()
                self.state = final_state(History(self.plan, tuple(self.journal)))
        raise AssertionError(f"no end after {TURNS_MAX} turns: {[one.event.name for one in self.journal[-20:]]}")

    @property
    def standing(self) -> RunState:
        assert self.state is not None
        return self.state

    def _turn(self) -> None:
        """Start all that is to be started; then something of what is pending happens, or several things at once."""
        self._observe(seen.Ticked(self.now_ms))
        if self.standing.status in finals("run"):
            return
        commands = list(pending(self.plan, self.standing))
        assert commands, f"a run that is {self.standing.status} asks for nothing"
        for command in commands:
            if isinstance(command, ask.StartAttempt):
                self._start(command.attempt)
        self.chance.shuffle(commands)
        work = [one for one in commands if isinstance(one, ask.StartAttempt)]
        if len(work) > 1 and self.chance.random() < 0.3:
            ends = tuple(self._end(one.attempt) for one in work[:2])
            self._observe(seen.Arrived(self.now_ms, ends))
        else:
            self._observe(self._carry_out(commands[0]))

    def _recover(self) -> None:
        for command in pending(self.plan, self.standing):
            if isinstance(command, ask.StartAttempt | ask.StopAttempt) and command.attempt in self.world.started:
                self._observe(self._found(command.attempt))

    def _found(self, attempt: str) -> seen.Observation:
        """What a driver finds of an attempt that an earlier one started."""
        fate = self.chance.choice(("lost", "lives", "ended"))
        if fate == "lost":
            return seen.AttemptLost(self.now_ms, attempt, "crash")
        if fate == "ended":
            end = self.world.end(self.plan, self.standing, attempt)
            return seen.AttemptEnded(self.now_ms, attempt, stored={"pid": 7}, **end)
        self.alive.add(attempt)
        return seen.AttemptReattached(self.now_ms, attempt, {"pid": 7})

    def _observe(self, observation: seen.Observation) -> None:
        before = repr(self.state)
        events = decide(self.plan, self.standing, observation)
        assert decide(self.plan, self.standing, observation) == events
        assert repr(self.state) == before
        if not events:
            return
        self._may_crash()
        self._append(events)
        self._prove_counts()
        if self.chance.random() < PROOF_RATE or self.standing.status in finals("run"):
            self._prove()
        self._may_crash()

    def _append(self, events: tuple[Event, ...]) -> None:
        for event in events:
            assert self.state is None or exceeded(self.plan, self.state, event, self.now_ms) is None
            at = Instant("2026-01-01T00:00:00Z", self.now_ms)
            self.journal.append(Recorded("r", len(self.journal) + 1, at, 1 + self.crashes, event))
            self.state = evolve(self.plan, self.state, event)
        self.now_ms += 10

    def _prove(self) -> None:
        """What holds at any moment: the invariants, and that loading the journal gives the same run."""
        history = History(self.plan, tuple(self.journal), summarise(self.plan, self.standing))
        assert check(history) == ()
        loaded = final_state(history)
        assert loaded == self.state
        assert loaded is not None
        assert pending(self.plan, loaded) == pending(self.plan, self.standing)

    def _prove_counts(self) -> None:
        """What is counted along is what a look at every assignment would count."""
        state = self.standing
        by_status: dict[str, set[str]] = {}
        for one in state.assignments.values():
            by_status.setdefault(one.status, set()).add(one.id)
        ready = (by_status.get(status, set()) for status in ("created", "accepted", "retry_pending"))
        assert set(state.ready) == set().union(*ready)
        assert set(state.uncertain) == by_status.get("blocked_uncertain", set())
        assert state.open == len(state.assignments) - len(by_status.get("terminal", ()))
        if state.active is not None:
            assert state.at_work <= parallel(step_named(self.plan, state.active.step))

    def _may_crash(self) -> None:
        if self.crashes < CRASHES_MAX and self.chance.random() < self.crash_rate:
            raise Crash

    # carrying out

    def _carry_out(self, command: ask.Command) -> seen.Observation:
        match command:
            case ask.Prepare():
                return seen.Prepared(self.now_ms, ())
            case ask.StartAttempt():
                return self._worked(command.attempt)
            case ask.StopAttempt():
                if command.attempt in self.alive:
                    return seen.AttemptEnded(self.now_ms, command.attempt, signal=15, stopped=True)
                return seen.AttemptEnded(self.now_ms, command.attempt, never_started="not_started")
            case ask.AskReceipt():
                answer = self.world.receipt(self.plan, self.standing, command.effect)
                return seen.ReceiptAnswered(self.now_ms, command.effect, answer, 7 if answer == "found" else None)
            case ask.CheckArtifacts():
                missing = self.world.pick("files", command.step_attempt).choice([(), ("made.txt",)])
                return seen.ArtifactsChecked(self.now_ms, command.step_attempt, missing)
            case ask.CheckPins():
                found = dict.fromkeys(command.paths)
                return seen.PinsChecked(self.now_ms, command.step_attempt, command.when, found)
            case ask.LookAtRepositories():
                return self._looks(command)
            case ask.AwaitResolution():
                return self._resolve(command.effect)
        assert not isinstance(command, ask.DriveChild), "no plan here has children"
        return self._wait(command)

    def _looks(self, command: ask.LookAtRepositories) -> seen.RepositoriesSeen:
        """Each repository has a commit, unless all of them are found wanting."""
        problems = self.world.pick("repositories", command.step_attempt).choice([(), (), ("no answer",)])
        commits = {each.repository: each.commit or "a" * 40 for each in command.looks}
        return seen.RepositoriesSeen(self.now_ms, command.step_attempt, {} if problems else commits, problems)

    def _start(self, attempt: str) -> None:
        """Its process starts, unless it runs already, or will turn out never to have started."""
        if attempt in self.alive or "never_started" in self.world.end(self.plan, self.standing, attempt):
            return
        self._may_crash()
        self._prove_start(attempt)
        self.world.started.add(attempt)
        self.alive.add(attempt)
        self._may_crash()

    def _end(self, attempt: str) -> seen.AttemptEnded:
        return seen.AttemptEnded(self.now_ms, attempt, **self.world.end(self.plan, self.standing, attempt))

    def _worked(self, attempt: str) -> seen.Observation:
        if self.world.cancels(self.standing):
            self.world.cancelled_at_work = True
            return seen.CancelAsked(self.now_ms, self.standing.sequence + 1, "alice", "enough")
        return self._end(attempt)

    def _prove_start(self, attempt: str) -> None:
        """Seen from outside: ids are new, and what may not be repeated starts again only as a person resolved."""
        assert attempt not in self.world.started, "no process takes an old attempt id"
        assignment, _, _ = attempt.rpartition("/")
        if self.standing.effects[attempt].effect_class in NEVER_REPEATED:
            earlier = sum(one.startswith(f"{assignment}/") for one in self.world.started)
            resolved = sum(
                one.event.name == "resolution.recorded" and one.event.entity.startswith(f"{assignment}/")
                for one in self.journal
            )
            assert earlier <= resolved

    def _wait(self, command: ask.AwaitDecision | ask.AwaitSignal | ask.AwaitTimer) -> seen.Observation:
        if self.world.cancels(self.standing):
            return seen.CancelAsked(self.now_ms, self.standing.sequence + 1, "alice", "enough")
        number, chance = self.standing.sequence + 1, self.world.pick("wait", command.step_attempt)
        expires = chance.random() < 0.3
        if isinstance(command, ask.AwaitDecision) and not expires:
            approve = chance.random() < 0.7
            return seen.DecisionGiven(
                self.now_ms, number, command.step_attempt, approve, command.by[0], "looked", command.shown
            )
        if isinstance(command, ask.AwaitSignal) and not expires:
            return seen.SignalGiven(self.now_ms, number, command.signal, None)
        self.now_ms = max(self.now_ms, command.due_ms)
        return seen.Ticked(self.now_ms)

    def _resolve(self, effect: str) -> seen.Observation:
        """A person finds out what is true; what did not end by itself counts as failed."""
        blocked = self.standing.effects[effect].blocked
        assert blocked is not None
        there = self.world.end(self.plan, self.standing, effect).get("exit_code") == 0
        told = unit_of(self.plan, assignment_of(effect)).reply == "exit"
        action: Any = "mark-completed" if there and told else "confirm-absent"
        if "timeout" in blocked["why"] or "killed" in blocked["why"]:
            action = "mark-failed"
        number = self.standing.sequence + 1
        return seen.ResolutionGiven(self.now_ms, number, effect, action, "alice", "looked", "seen 7")


def decides_early(step: Step) -> bool:
    """Whether what else is done of `step` depends on who answers first."""
    return step["kind"] == "panel" and step["join"]["strategy"] in ("quorum", "first")


def comparable(run: Driver) -> bool:
    """Whether crashes may change nothing: not where they used up the recoveries, nor where work was cancelled, nor
    where a panel may decide before all of its work is done."""
    exhausted = any(
        one.event.name == "assignment.record_result" and one.event.data["result"]["code"] == "recoveries_exhausted"
        for one in run.journal
    )
    early = any(
        decides_early(step_named(run.plan, one.event.data["step"]))
        for one in run.journal
        if one.event.name == "step_attempt.create"
    )
    return not exhausted and not early and not run.world.cancelled_at_work


def simulate(plan: Plan, seed: int) -> tuple[Driver, Driver]:
    """One plan twice, through crashes and without: both runs keep every promise, and come to the same."""
    print(f"seed {seed}")  # shown when the test fails
    crashed = Driver(plan, World(seed), crash_rate=0.12).drive()
    smooth = Driver(plan, World(seed), crash_rate=0).drive()
    for run in (crashed, smooth):
        prove_worst_case(run)
    if comparable(crashed) and comparable(smooth):
        assert digest(crashed.journal) == digest(smooth.journal)
        assert crashed.standing.status == smooth.standing.status
    return crashed, smooth


def prove_worst_case(run: Driver) -> None:
    """No run comes to where its worst case would stop it, however often it crashed; nor does it leave more events.

    What a person grants comes on top.
    """
    events = [one.event for one in run.journal]
    ended_by = [event.data["counter"] for event in events if event.name == "budget.exhausted"]
    assert not [counter for counter in ended_by if counter.startswith("worst case")]
    granted = sum(event.name == "assignment.retry" and event.data["reason"] == "resolved" for event in events)
    counted = sum(lives.counts(event.name, event.source, event.target) for event in events)
    assert counted <= run.plan["worst"]["events"] + granted * lives.attempt_again()


def reached(run: Driver) -> Iterator[str]:
    """What this run has met."""
    yield f"ended {run.standing.status}"
    for name, data in ((one.event.name, one.event.data) for one in run.journal):
        yield f"retry {data['reason']}" if name == "assignment.retry" else name
        if name == "effect.record_receipt" and (data.get("receipt") == 7 or data.get("found") is False):
            yield "receipt found" if "receipt" in data else "receipt absent"
        if name == "delivery.deliver" and "again" in data:
            yield "delivered after a partial delivery"
        if name == "transition.taken":
            edge = step_named(run.plan, data["step"])["transitions"][data["outcome"]]
            yield "back edge" if edge["back"] else "forward edge"
    for earlier, later in pairwise(one.event for one in run.journal if one.event.lifecycle == "attempt"):
        if earlier.name == "attempt.execute" and earlier.source == "reattaching":
            yield "reattached and lost" if later.name == "attempt.lose" else "reattached and ended"
    yield from (
        f"took {step_named(run.plan, one.event.data['step'])['kind']}"
        for one in run.journal
        if one.event.name == "step_attempt.create"
    )
    if run.crashes >= 2:
        yield from ("two crashes", "two crashes, compared" if comparable(run) else "two crashes, apart")


SOMETIMES = {
    *("two crashes", "two crashes, compared", "back edge"),
    *("ended completed", "ended failed", "ended cancelled"),
    *("run.block", "run.unblock", "run.wait", "cancel.requested", "budget.exhausted", "attempt.lose"),
    *("attempt.reattach", "reattached and ended", "reattached and lost"),
    *("receipt found", "receipt absent"),
    *("retry lost", "retry failed", "retry timeout", "retry spawn_failed", "retry resolved"),
    *("retry rate_limited", "panel.decided", "gate.rejected", "gate.refused", "took judge"),
    *("delivery.complete", "delivery.part", "delivery.block", "repository_delivery.block"),
    *("delivered after a partial delivery", "took deliver"),
    *("resolution.recorded", "decision.recorded", "signal.consumed", "assignment.cancel"),
}


@settings(deadline=None, max_examples=100)
@given(data=st.data(), seed=st.integers(0, 2**32))
def test_any_crash_schedule_keeps_every_promise(data: st.DataObject, seed: int, generated_plans: Plans) -> None:
    simulate(data.draw(generated_plans), seed)


def test_the_campaign_meets_every_hard_case(generated_registry: str) -> None:
    """An `always` alone would hold of runs in which nothing happened."""
    source, registry = Source("absent/campaign.akm", CAMPAIGN), Source("absent/registry.akm", generated_registry)
    plan = compile_workflow(source, registry).plan
    met: Counter[str] = Counter()
    for seed in range(SEEDS):
        crashed, _ = simulate(plan, seed)
        met.update(reached(crashed))
    assert not SOMETIMES - set(met), f"never reached: {SOMETIMES - set(met)}; reached: {met}"


# altered histories -----------------------------------------------------------------------------------


def renumbered(journal: list[Recorded]) -> list[Recorded]:
    """The same events numbered anew, so that only their meaning can give an alteration away."""
    numbered = enumerate(journal, start=1)
    return [Recorded(one.run, sequence, one.at, one.token, one.event) for sequence, one in numbered]


def refused(plan: Plan, journal: list[Recorded]) -> bool:
    """Whether the history is refused by name: by an invariant, and never by anything but a violation."""
    violations = check(History(plan, tuple(journal)))
    try:
        final_state(History(plan, tuple(journal)))
    except (IllegalEvent, IllegalMove):
        assert violations
    return bool(violations)


def moves_of(journal: list[Recorded]) -> list[int]:
    """The places of what must not be missing: moves, and the facts that they rest on. The last one may be."""
    return [at for at, one in enumerate(journal[:-1]) if not one.event.is_fact or one.event.name in BINDING]


@pytest.mark.parametrize("how", ["drop", "duplicate", "swap", "source", "target", "entity", "trigger"])
def test_an_altered_history_is_refused(how: str, generated_plans: Plans) -> None:
    @settings(deadline=None, max_examples=50)
    @given(plan=generated_plans, seed=st.integers(0, 2**32), data=st.data())
    def alter(plan: Plan, seed: int, data: st.DataObject) -> None:
        journal = Driver(plan, World(seed), crash_rate=0.1).drive().journal
        at = data.draw(st.sampled_from(moves_of(journal)))
        altered = list(journal)
        event = journal[at].event
        note(f"seed {seed}: {how} event {at + 1}, {event.name} {event.entity}")
        if how == "drop":
            del altered[at]
        elif how == "duplicate":
            altered.insert(at, altered[at])
        elif how == "swap":
            pairs = entity_pairs(journal)
            one, other = data.draw(st.sampled_from(pairs))
            altered[one], altered[other] = altered[other], altered[one]
        elif event.is_fact:
            return  # a fact moves nothing
        else:
            altered[at] = replace(journal[at], event=wrong(event, how))
        assert refused(plan, renumbered(altered))
        if how in ("drop", "duplicate", "swap"):
            assert refused(plan, altered)

    alter()


def wrong(event: Event, how: str) -> Event:
    """`event` with one part of it changed to what there is not."""
    if how == "trigger":
        return event._replace(name=f"{event.lifecycle}.fly")
    parts: dict[str, Any] = {how: "nowhere"}
    return event._replace(**parts)


def entity_pairs(journal: list[Recorded]) -> list[tuple[int, int]]:
    """Places of each two moves of one entity, one right after the other in its life."""
    lives: dict[tuple[str, str], list[int]] = {}
    for at, one in enumerate(journal):
        if not one.event.is_fact:
            lives.setdefault((one.event.lifecycle, one.event.entity), []).append(at)
    return [pair for life in lives.values() for pair in pairwise(life)]
