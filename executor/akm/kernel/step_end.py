"""How a step attempt ends: an outcome is held against gate, evidence and pins, and selects a transition."""

from akm.kernel import evidence
from akm.kernel.draft import Draft
from akm.kernel.steps import success
from akm_specs.canonical import Json, JsonObject

PASSED = "passed"


def propose(draft: Draft, outcome: str, **data: Json) -> None:
    """The active step attempt is to end with `outcome`, unless its gate or a pin objects; both are asked first."""
    if outcome == success(draft.step) and draft.step.keys() & {"gate", "requires"}:
        if draft.active.status == "waiting":
            draft.run("wake")
            draft.active_step("wake")
        draft.fact("outcome.proposed", draft.active.id, outcome=outcome, data=data)
    else:
        finish(draft, outcome, data)


def finish(draft: Draft, outcome: str, data: JsonObject) -> None:
    """Nothing else objects: only what lacks its evidence does not pass."""
    missing = evidence.capture(draft, data) if outcome == success(draft.step) else []
    if missing:
        end_step(draft, "failed", code="evidence_missing", missing=missing)
    else:
        end_step(draft, outcome, **data)


def propose_gate(draft: Draft, *, holds: bool, seen: JsonObject) -> None:
    """A gate without a process: `expect fail` inverts it."""
    step = draft.step
    assert step["kind"] == "gate", step["name"]
    propose(draft, PASSED if holds == (step["expect"] == "pass") else "failed", **seen)


def end_step(draft: Draft, outcome: str, **data: Json) -> None:
    """The active step attempt ends with `outcome`, which selects its declared transition."""
    trigger = {"passed": "pass", "skipped": "skip", "cancelled": "cancel"}.get(outcome, "fail")
    if draft.state.status == "waiting":
        draft.run("wake")
    edge = draft.step["transitions"].get(outcome) or draft.step["transitions"]["failed"]
    taken = outcome if outcome in draft.step["transitions"] else "failed"
    draft.active_step(trigger, outcome=taken, **data)
    draft.fact("transition.taken", draft.active.id, step=draft.active.step, outcome=taken, target=edge["target"])
