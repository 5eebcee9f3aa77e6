"""`advance`: carry a run on until only the outside world can.

One rule at a time, in a fixed order, until none applies. The loop ends because every rule moves an
entity towards a final state and every re-entry is counted against the plan's budgets.
"""

from collections.abc import Callable

from akm.kernel import attempts, ceilings, inputs, machines
from akm.kernel.draft import BudgetReached, Draft
from akm.kernel.state import RunState
from akm.kernel.steps import process_step, step_named
from akm.kernel.values import dereference, read, resolve
from akm_specs.canonical import Json, JsonObject, canonical, hash_json
from akm_specs.types import violation


def advance(draft: Draft) -> None:
    """Apply rules until the run waits for the world or has ended."""
    while draft.state.status not in machines.finals("run"):
        try:
            if not any(rule(draft) for rule in _RULES):
                return
        except BudgetReached as reached:
            exhaust(draft, reached.exceeded)


def exhaust(draft: Draft, exceeded: ceilings.Exceeded) -> None:
    """A ceiling is reached: a hard stop that no error policy overrides."""
    data: JsonObject = {"counter": exceeded.counter, "value": exceeded.value, "ceiling": exceeded.ceiling}
    draft.fact("budget.exhausted", draft.state.run, code="budget_exhausted", message=exceeded.message(), **data)


# rules: each returns whether it did something --------------------------------------------------------


def _prepare(draft: Draft) -> bool:
    if draft.state.status != "created" or draft.state.ending is not None:
        return False
    draft.run("prepare", plan_hash=draft.state.plan_hash)
    return True


def _overdue(draft: Draft) -> bool:
    """The run's duration, also while nothing is dispatched."""
    state, bound = draft.state, draft.plan["limits"]["duration_ms"]
    if state.ending is not None or state.selected is not None or draft.at_ms <= bound["value"]:
        return False
    exceeded = ceilings.Exceeded("limits.duration", draft.at_ms, bound["value"], bound["origin"])
    exhaust(draft, exceeded)
    return True


def _wind_down(draft: Draft) -> bool:
    """The run is ending: nothing new starts, and it ends once nothing of it is alive or unresolved."""
    state = draft.state
    if state.ending is None or state.selected is not None:
        return False
    for assignment in state.assignments.values():
        if assignment.status in ("created", "accepted", "retry_pending"):
            draft.move("assignment", assignment.id, "cancel")
            return True
    if any(attempt.status != "terminal" for attempt in state.attempts.values()):
        return _still_uncertain(draft)
    _conclude(draft, state.ending.terminal, {"code": state.ending.code, "message": state.ending.message})
    return True


def _still_uncertain(draft: Draft) -> bool:
    """A cancelled run with an unresolved effect shows the uncertainty, not the cancellation."""
    uncertain = [effect.id for effect in draft.state.effects.values() if effect.status == "blocked_uncertain"]
    if not uncertain or draft.state.status != "cancelling":
        return False
    draft.run("block", effect=uncertain[0])
    return True


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
    """Start the active step attempt, by its kind."""
    active = draft.state.active
    if active is None or active.status != "preparing":
        return False
    if process_step(draft.step) is not None:
        given = inputs.input_hash(draft.plan, draft.state, draft.process_step)
        draft.birth("assignment", active.id, step_attempt=active.id, input_hash=given)
    draft.active_step("start")
    return True


def _assign(draft: Draft) -> bool:
    """Accept and dispatch what the active step attempt still has to do."""
    if draft.state.status != "running":
        return False
    for assignment in draft.state.assignments.values():
        if assignment.status in ("created", "retry_pending"):
            draft.move("assignment", assignment.id, "accept", tool=draft.process_step["tool"])
            return True
        if assignment.status == "accepted":
            attempts.dispatch(draft, assignment.id)
            return True
    return False


def _join(draft: Draft) -> bool:
    """All work of the step is done: its outcome is its assignment's."""
    assignments = tuple(draft.state.assignments.values())
    active = draft.state.active
    if active is None or active.status != "running" or not assignments:
        return False
    if any(assignment.status != "terminal" for assignment in assignments):
        return False
    found = assignments[0].result
    assert found is not None, "an assignment is cancelled only while the run is ending"
    end_step(draft, found.outcome, code=found.code, output=found.output)
    return True


def _think(draft: Draft) -> bool:
    """Steps that need nothing from outside: routes and schema gates."""
    active = draft.state.active
    if active is None or active.status != "running":
        return False
    step = draft.step
    if step["kind"] == "route":
        value = dereference(draft.state, step["value"])
        label = branch_label(value)
        end_step(draft, label if label in step["transitions"] else "otherwise", value=value)
        return True
    if step["kind"] == "gate" and step["check"] == "schema":
        broken = violation(step["type"], resolve(draft.state, step["value"]))
        end_gate(draft, holds=broken is None, seen={"violation": broken})
        return True
    return False


def _pause(draft: Draft) -> bool:
    """Approvals and waits: nothing computes until someone decides, a signal comes, or time is up."""
    active = draft.state.active
    if active is None or active.status != "running":
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
            end_step(draft, "passed", output=signal.data)
            return True
    return False


def _expire(draft: Draft) -> bool:
    active = draft.state.active
    if active is None or active.status != "waiting" or not _expired(draft, active.due_ms):
        return False
    step = draft.step
    end_step(draft, "passed" if step["kind"] == "wait" and step["wait"] == "span" else "expired")
    return True


def _expired(draft: Draft, due_ms: int | None) -> bool:
    return due_ms is not None and draft.at_ms >= due_ms


_RULES: tuple[Callable[[Draft], bool], ...] = (
    _prepare,
    _overdue,
    _wind_down,
    _select_terminal,
    _start_next,
    _begin_step,
    _assign,
    _join,
    _think,
    _pause,
    _consume_signal,
    _expire,
)


# ends ------------------------------------------------------------------------------------------------


def end_step(draft: Draft, outcome: str, **data: Json) -> None:
    """The active step attempt ends with `outcome`, which selects its declared transition."""
    trigger = {"passed": "pass", "skipped": "skip", "cancelled": "cancel"}.get(outcome, "fail")
    if draft.state.status == "waiting":
        draft.run("wake")
    edge = draft.step["transitions"].get(outcome) or draft.step["transitions"]["failed"]
    taken = outcome if outcome in draft.step["transitions"] else "failed"
    draft.active_step(trigger, outcome=taken, **data)
    draft.fact("transition.taken", draft.active.id, step=draft.active.step, outcome=taken, target=edge["target"])


def end_gate(draft: Draft, *, holds: bool, seen: JsonObject) -> None:
    """A gate without a process: `expect fail` inverts it."""
    step = draft.step
    assert step["kind"] == "gate", step["name"]
    end_step(draft, "passed" if holds == (step["expect"] == "pass") else "failed", **seen)


def _conclude(draft: Draft, terminal: str, reason: JsonObject) -> None:
    """End the run. Signals that nobody took are recorded as such."""
    active = draft.state.active
    if active is not None and active.status not in machines.finals("step_attempt"):
        draft.active_step("cancel" if terminal == "cancelled" else "fail", outcome=terminal)
    for signal in draft.state.signals:
        draft.fact("signal.unconsumed", draft.state.run, number=signal.number)
    trigger = {"completed": "complete", "failed": "fail", "cancelled": "cancel"}[terminal]
    draft.run(trigger, reason=reason)


def shown_hash(state: RunState, shown: JsonObject) -> str:
    """What an approval is bound to: the plan, this step attempt, and everything that is shown."""
    assert state.active is not None
    return hash_json({"plan_hash": state.plan_hash, "step_attempt": state.active.id, "reads": shown})


def branch_label(value: Json) -> str:
    """The outcome by which a route knows `value`: a string is itself, any other value its canonical JSON."""
    return value if isinstance(value, str) else canonical(value).decode()
