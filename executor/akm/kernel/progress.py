"""`advance`: carry a run on until only the outside world can.

One rule at a time, in a fixed order, until none applies. The loop ends because every rule moves an
entity towards a final state and every re-entry is counted against the plan's budgets.
"""

from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

from akm.kernel import ceilings, deliveries, gates, machines, pins, sessions, work
from akm.kernel.draft import Draft, HardStop
from akm.kernel.state import RunState
from akm.kernel.step_end import end_step, finish, propose, propose_gate
from akm.kernel.steps import step_named
from akm.kernel.units import Refused, work_list
from akm.kernel.values import dereference, read, resolve
from akm_specs.canonical import Json, JsonObject, canonical, hash_json
from akm_specs.types import violation

#: The standing where no step attempt is active.
BETWEEN = "between"


@dataclass(frozen=True, slots=True)
class Rule:
    """`apply` returns whether it did something. It is about every standing and kind where none are named."""

    apply: Callable[[Draft], bool]
    standings: AbstractSet[str] = frozenset()
    kinds: AbstractSet[str] = frozenset()


def advance(draft: Draft) -> None:
    """Apply rules until the run waits for the world or has ended."""
    while draft.state.status not in machines.finals("run"):
        try:
            if not _applies(draft):
                return
        except HardStop as reached:
            stop(draft, reached)


def stop(draft: Draft, reached: HardStop) -> None:
    """A ceiling or a property of the plan stops the run, whatever an error policy says."""
    draft.fact(reached.stop.fact, draft.state.run, **reached.stop.data())


# rules: each returns whether it did something --------------------------------------------------------


def _prepare(draft: Draft) -> bool:
    if draft.state.status != "created" or draft.state.ending is not None:
        return False
    draft.run("prepare", plan_hash=draft.state.plan_hash)
    return True


def _overdue(draft: Draft) -> bool:
    """The ceilings on time, also while nothing is dispatched."""
    state = draft.state
    if state.ending is not None or state.selected is not None:
        return False
    exceeded = ceilings.overdue(draft.plan, state, draft.at_ms)
    if exceeded is None:
        return False
    stop(draft, HardStop(exceeded))
    return True


def _wind_down(draft: Draft) -> bool:
    """The run is ending: nothing new starts, and it ends once nothing of it is alive or unresolved."""
    state = draft.state
    if state.ending is None or state.selected is not None:
        return False
    for one in state.ready:
        draft.move("assignment", one, "cancel")
        return True
    if state.open:
        return False
    _conclude(draft, state.ending.terminal, {"code": state.ending.code, "message": state.ending.message})
    return True


def _block(draft: Draft) -> bool:
    """Nothing moves but a person: the run shows what is uncertain, also where it was to be cancelled."""
    state = draft.state
    if not state.uncertain or state.open > len(state.uncertain):
        return False
    effect = _effect_of(state, state.uncertain[0])
    blocked = False
    if draft.active.status == "running":
        draft.active_step("block", effect=effect)
        blocked = True
    if state.status in ("running", "cancelling"):
        draft.run("block", effect=effect)
        blocked = True
    return blocked


def _effect_of(state: RunState, assignment: str) -> str:
    return f"{assignment}/{state.assignments[assignment].attempts}"


def _start_next(draft: Draft) -> bool:
    """Enter the step that the last transition selected."""
    state = draft.state
    if state.status != "running" or state.next_step is None:
        return False
    step = step_named(draft.plan, state.next_step)
    number = state.counters.entries.get(step["name"], 0) + 1
    entity = f"{step['name']}#{number}"
    draft.birth("step_attempt", entity, step=step["name"], number=number, entered_ms=draft.at_ms)
    draft.active_step("prepare")
    return True


def _select_terminal(draft: Draft) -> bool:
    """A transition selected a terminal."""
    selected = draft.state.selected
    if selected is None:
        return False
    if selected == "cancelled" and draft.state.status == "running":
        draft.run("begin_cancel", by_transition=True)
    reason = {"code": "selected", "message": f"step {draft.state.last_step} selected {selected}"}
    _conclude(draft, selected, reason)
    return True


def _begin_step(draft: Draft) -> bool:
    """Start the active step attempt, unless it is passed by or something that it needs is not there."""
    active = draft.state.active
    if active is None or active.status != "preparing":
        return False
    skip = draft.step.get("skip")
    if skip is not None and canonical(dereference(draft.state, skip["value"])) == canonical(skip["equals"]):
        end_step(draft, "skipped")
    elif "requires" in draft.step and pins.required(draft.plan, draft.state, active.step) is None:
        end_step(draft, "failed", code="pin_missing")
    elif "requires" in draft.step and active.pins_held is None:
        return False  # `pending` asks for a look at the files
    elif isinstance(found := work_list(draft.plan, draft.state, draft.step), Refused):
        end_step(draft, "failed", code=found.code, message=found.message)
    else:
        draft.active_step("start")
    return True


def _settle(draft: Draft) -> bool:
    """The work is done: its outcome is proposed, and stands once nothing objects any more."""
    active = draft.state.active
    if active is None or active.status != "running" or draft.state.ending is not None:
        return False
    if active.proposed is None:
        made = len(draft.events)
        joined = work.joined(draft)
        if joined is None:
            return len(draft.events) > made
        if not gates.rejects_unjudged(draft, joined):
            propose(draft, joined.outcome, code=joined.code, output=joined.output)
        return True
    if not gates.passed(draft):
        return gates.judge(draft)
    if "requires" in draft.step and active.pins_held != "end":
        return False  # `pending` asks for a look at the files
    finish(draft, active.proposed.outcome, active.proposed.data)
    return True


def _think(draft: Draft) -> bool:
    """Steps that need nothing from outside: routes and schema gates."""
    active = draft.state.active
    if active is None or active.status != "running" or active.proposed is not None:
        return False
    step = draft.step
    if step["kind"] == "route":
        value = dereference(draft.state, step["value"])
        label = branch_label(value)
        end_step(draft, label if label in step["transitions"] else "otherwise", value=value)
        return True
    if step["kind"] == "gate" and step["check"] == "schema":
        broken = violation(step["type"], resolve(draft.state, step["value"]))
        propose_gate(draft, holds=broken is None, seen={"violation": broken})
        return True
    return False


def _pause(draft: Draft) -> bool:
    """Approvals and waits: nothing computes until someone decides, a signal comes, or time is up."""
    active = draft.state.active
    if active is None or active.status != "running" or active.proposed is not None:
        return False
    step = draft.step
    if step["kind"] == "approval":
        shown = shown_hash(draft.state, read(draft.state, step["reads"]))
        data: dict[str, Json] = {"due_ms": draft.at_ms + step["timeout_ms"]["value"], "shown": shown}
    elif step["kind"] == "wait":
        span = step["span_ms"] if step["wait"] == "span" else step["timeout_ms"]["value"]
        data = {"due_ms": draft.at_ms + span}
    else:
        return False
    draft.active_step("wait", **data)
    draft.run("wait")
    return True


def _consume_signal(draft: Draft) -> bool:
    """The oldest fitting signal of the mailbox ends the wait."""
    active = draft.state.active
    if active is None or active.status != "waiting" or draft.step["kind"] != "wait":
        return False
    step = draft.step
    if step["kind"] != "wait" or step["wait"] != "signal" or _expired(draft, active.due_ms):
        return False
    for signal in draft.state.signals:
        if signal.name == step["signal"] and not (step["output"] and violation(step["output"], signal.data)):
            draft.fact("signal.consumed", active.id, number=signal.number)
            propose(draft, "passed", output=signal.data)
            return True
    return False


def _expire(draft: Draft) -> bool:
    active = draft.state.active
    if active is None or active.status != "waiting" or not _expired(draft, active.due_ms):
        return False
    step = draft.step
    propose(draft, "passed" if step["kind"] == "wait" and step["wait"] == "span" else "expired")
    return True


def _expired(draft: Draft, due_ms: int | None) -> bool:
    return due_ms is not None and draft.at_ms >= due_ms


#: The rules in their order, with the standings of the active step attempt and the kinds of step that each is about.
RULES: tuple[Rule, ...] = (
    # first, so that nothing ends before its delivery shows what became of it
    Rule(deliveries.follow, {"running", "blocked_uncertain"}, {"deliver"}),
    Rule(_prepare, {BETWEEN}),
    Rule(_overdue),
    Rule(_wind_down),
    Rule(_select_terminal, {BETWEEN}),
    Rule(_start_next, {BETWEEN}),
    Rule(_begin_step, {"preparing"}),
    Rule(_settle, {"running"}),  # before more is assigned, which a panel that has decided needs no more
    Rule(work.assign, {"running"}),
    Rule(_think, {"running"}, {"route", "gate"}),
    Rule(_pause, {"running"}, {"approval", "wait"}),
    Rule(_consume_signal, {"waiting"}, {"wait"}),
    Rule(_expire, {"waiting"}),
    Rule(sessions.follow),  # late, so that no session rests that has more to do at once
    Rule(_block),
)


@cache
def _rules(standing: str, kind: str) -> tuple[Callable[[Draft], bool], ...]:
    """Those that can apply to a step of `kind` whose attempt stands so."""
    return tuple(
        rule.apply
        for rule in RULES
        if standing in (rule.standings or {standing}) and kind in (rule.kinds or {kind})
    )


def _applies(draft: Draft) -> bool:
    """Apply the first rule that has something to do; False when none has."""
    between = draft.state.active is None
    rules = _rules(BETWEEN, "") if between else _rules(draft.active.status, draft.step["kind"])
    return any(rule(draft) for rule in rules)


# ends ------------------------------------------------------------------------------------------------


def _conclude(draft: Draft, terminal: str, reason: JsonObject) -> None:
    """End the run. Signals that nobody took are recorded as such."""
    active = draft.state.active
    if active is not None and active.status not in machines.finals("step_attempt"):
        draft.active_step("cancel" if terminal == "cancelled" else "fail", outcome=terminal)
    for signal in draft.state.signals:
        draft.fact("signal.unconsumed", draft.state.run, number=signal.number)
    sessions.close_all(draft, "run_ended")
    trigger = {"completed": "complete", "failed": "fail", "cancelled": "cancel"}[terminal]
    draft.run(trigger, reason=reason)


def shown_hash(state: RunState, shown: JsonObject) -> str:
    """What an approval is bound to: the plan, this step attempt, and everything that is shown."""
    assert state.active is not None
    return hash_json({"plan_hash": state.plan_hash, "step_attempt": state.active.id, "reads": shown})


def branch_label(value: Json) -> str:
    """The outcome by which a route knows `value`: a string is itself, any other value its canonical JSON."""
    return value if isinstance(value, str) else canonical(value).decode()
