"""What `akm status` and `akm list` show of a run: a projection, written with every append.

It can show a state and never makes a move; `akm verify` compares it with what the events add up to.
"""

from akm.kernel.children import child_run
from akm.kernel.state import Delivery, RunState
from akm.kernel.steps import step_named
from akm.kernel.values import read
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan

#: Where a run moves: its summary is written anew with each append, and leaves out what may be large.
MOVING = ("running", "cancelling")


def summarise(plan: Plan, state: RunState) -> JsonObject:
    """The run's standing, as JSON: where it is, what it waits for, what is uncertain, what it made."""
    parent = state.parent
    return {
        "workflow": plan["workflow"],
        "plan_hash": state.plan_hash,
        "status": state.status,
        "step": state.active.step if state.active else state.last_step,
        "step_attempt": state.active.id if state.active else None,
        "step_status": state.active.status if state.active else None,
        "outcome": state.last_outcome,
        "sequence": state.sequence,
        "simulated": state.simulated,
        "reason": state.reason,
        "ending": state.ending.terminal if state.ending else None,
        "parent": None if parent is None else {"run": parent.run, "assignment": parent.assignment},
        "child": _child(plan, state),
        "waiting_for": _waiting_for(plan, state),
        "uncertain": [
            {"effect": effect.id, "key": effect.key, **(effect.blocked or {})}
            for effect in state.effects.values()
            if effect.status == "blocked_uncertain"
        ],
        "transitions": state.counters.transitions,
        "transitions_max": plan["limits"]["transitions"]["value"],
        "entries": dict(state.counters.entries),
        "work": _work(state),
        "deliveries": {step: _manifest(one) for step, one in state.deliveries.items()},
        "spent": {
            "units": state.counters.units + state.counters.nested_units,
            "attempts": state.counters.attempts,
            "tokens": state.counters.tokens,
            "cost_microdollars": state.counters.cost_microdollars,
            "agent_time_ms": state.counters.agent_time_ms,
            "unmetered": state.counters.unmetered,
        },
        "outputs": {} if state.status in MOVING else outputs(state),
        "signals": len(state.signals),
    }


def _work(state: RunState) -> JsonObject | None:
    """How far the work of the active step attempt is."""
    active = state.active
    if active is None or not active.work.parts:
        return None
    return {"of": len(active.work.parts), "made": active.made, "open": state.open, "round": active.loop}


def _manifest(delivery: Delivery) -> JsonObject:
    """A delivery as it stands: of each repository what became of it, and what proves that."""
    shares = {
        each: {"status": share.status, "commit": delivery.commits[each], "receipt": share.receipt}
        for each, share in delivery.shares.items()
    }
    return {
        "status": delivery.status,
        "branch": delivery.branch,
        "problem": delivery.problem,
        "repositories": shares,
    }


def _child(plan: Plan, state: RunState) -> JsonObject | None:
    """The child run that is at work for the active step attempt."""
    active = state.active
    if active is None or not state.open or step_named(plan, active.step)["kind"] != "workflow":
        return None
    working = [one for one in state.assignments.values() if one.status == "executing" and not one.attempts]
    return {"run": child_run(state.run, working[0].id), "assignment": working[0].id} if working else None


def outputs(state: RunState) -> JsonObject:
    """What each step made last."""
    return {step: output for step, output in state.outputs.items() if output is not None}


def _waiting_for(plan: Plan, state: RunState) -> JsonObject | None:
    """The decision, signal or moment that the active step waits for; what a child waits for, it shows itself."""
    active = state.active
    if active is None or active.status != "waiting" or active.due_ms is None:
        return None
    step = step_named(plan, active.step)
    found: JsonObject = {"step": active.step, "step_attempt": active.id, "due_ms": active.due_ms}
    if step["kind"] == "approval":
        shown = read(state, step["reads"])
        return {"kind": "decision", **found, "by": step["by"], "shown": shown, "shown_hash": active.shown}
    if step["kind"] == "wait" and step["wait"] == "signal":
        return {"kind": "signal", **found, "signal": step["signal"]}
    return {"kind": "timer", **found}
