"""What a child run does to its parent: published with it, seen to be blocked, and ended.

While its child is at work, the parent waits: it computes nothing itself. What blocks the child shows as the
parent's too, and is resolved where it is, in the child.
"""

from dataclasses import replace

from akm.kernel import ceilings, outcome
from akm.kernel.children import Unfit, child_parameters, child_run, child_step
from akm.kernel.draft import Draft
from akm.kernel.observation import ChildEnded, ChildSeen
from akm.kernel.outcome import Usage
from akm.kernel.state import Assignment, Result
from akm.kernel.steps import evidence_of, success
from akm_specs.canonical import JsonObject, hash_json
from akm_specs.plan import ChildStep
from akm_specs.types import violation


def publish(draft: Draft, assignment: str, step: ChildStep) -> None:
    """Dispatch an assignment to its child run, which is made in the same append."""
    given = child_parameters(draft.plan, draft.state, step)
    assert not isinstance(given, Unfit), "the step attempt would not have started"
    run = child_run(draft.state.run, assignment)
    draft.move("assignment", assignment, "accept")
    share = ceilings.share(draft.plan, draft.state, draft.at_ms)
    draft.move(
        "assignment", assignment, "dispatch", child=run, plan_hash=step["plan"], parameters=given, share=share
    )
    draft.move("assignment", assignment, "execute")
    draft.active_step("wait")
    draft.run("wait")


def seen(draft: Draft, child: ChildSeen) -> None:
    """The child is blocked, or is so no more."""
    if _at_work(draft, child.assignment) is None:
        return
    if not child.blocked:
        _unblock(draft)
        return
    if draft.active.status in ("running", "waiting"):
        draft.active_step("block", child=child.run)
    if draft.state.status in ("running", "waiting", "cancelling"):
        draft.run("block", child=child.run)


def ended(draft: Draft, child: ChildEnded) -> None:
    """The child has ended: what it came to is the result of its assignment, and what it spent was spent by us."""
    assignment = _at_work(draft, child.assignment)
    if assignment is None:
        return
    _unblock(draft)
    if draft.state.status == "waiting":
        draft.run("wake")
    if draft.active.status == "waiting":
        draft.active_step("wake")
    step = child_step(draft.plan, assignment.id)
    assert step is not None, assignment.id
    spent: JsonObject = {
        "units": child.units,
        "agent_time_ms": child.agent_time_ms,
        "unmetered": child.unmetered,
    }
    found = result_of(step, child)
    draft.move("assignment", assignment.id, "record_result", result=outcome.as_data(found), nested=spent)
    draft.move("assignment", assignment.id, "settle")


def result_of(step: ChildStep, child: ChildEnded) -> Result:
    """What the end of a child means for `step`. Its hash covers the child's digest, and so all of its work."""
    spent = Usage(child.tokens, child.cost_microdollars)
    if child.status != success(step):
        kind = "cancelled" if child.status == "cancelled" else "outcome"
        code = f"child_{child.status}"
        found = outcome.result(child.status, result_class=kind, code=code, usage=spent, detail=child.message)
    else:
        found = _completed(step, child, spent)
    return replace(found, hash=hash_json({"own": found.hash, "child": child.digest}))


def _completed(step: ChildStep, child: ChildEnded, spent: Usage) -> Result:
    if step["output"] is None:
        return outcome.result(child.status, evidence=_evidence(step), usage=spent)
    wanted, required = step["output"]["properties"], step["output"].get("required", ())
    output: JsonObject = {
        name: child.outputs.get(name) for name in wanted if name in required or child.outputs.get(name) is not None
    }
    broken = violation(step["output"], output)
    if broken is not None:
        return outcome.result(outcome.FAILED, code="output_mismatch", usage=spent, detail=broken)
    return outcome.result(child.status, output=output, evidence=_evidence(step), usage=spent)


def _evidence(step: ChildStep) -> JsonObject:
    """That it completed is the only evidence that a child itself leaves."""
    return {
        name: {"outcome": success(step)} for name, each in evidence_of(step).items() if each["kind"] == "result"
    }


def _at_work(draft: Draft, assignment: str) -> Assignment | None:
    """The assignment, as long as its child is at work as far as we know."""
    found = draft.state.assignments.get(assignment)
    return found if found is not None and found.status == "executing" else None


def _unblock(draft: Draft) -> None:
    """Its child can go on, or is over."""
    ending = draft.state.ending
    if draft.state.status == "blocked_uncertain":
        draft.run("begin_cancel" if ending is not None and ending.terminal == "cancelled" else "unblock")
    if draft.active.status == "blocked_uncertain" and draft.state.status == "running":
        draft.active_step("unblock")
