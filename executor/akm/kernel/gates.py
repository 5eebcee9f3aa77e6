"""The gate of a step: its artifact is judged before the step may pass.

Every call of the judge is an assignment of its own. A rejection runs the step again with the feedback attached,
as long as there is a round left. A judge that gives no verdict blocks: it rejects, and spends no round.
"""

from akm.kernel import work
from akm.kernel.draft import Draft
from akm.kernel.joins import Joined
from akm.kernel.state import Result
from akm.kernel.units import judge_id
from akm_specs.canonical import JsonObject
from akm_specs.plan import StepGate

#: Why an output is not of its declared type: that is told to the agent without asking the judge.
_MISMATCHES = frozenset({"output_mismatch", "output_not_json"})


def passed(draft: Draft) -> bool:
    """Whether the step's gate, if it has one, has let the proposed outcome pass."""
    if "gate" not in draft.step:
        return True
    judge = draft.state.assignments.get(str(judge_id(draft.state)))
    return judge is not None and judge.result is not None and judge.result.outcome == "passed"


def judge(draft: Draft) -> bool:
    """Ask the judge, or draw the consequence of its answer; False while that is awaited."""
    called = draft.state.assignments.get(str(judge_id(draft.state)))
    if called is None:
        work.create(draft, str(judge_id(draft.state)))
        return True
    found = called.result
    if found is None:
        return False
    if isinstance(found.output, dict):
        _reject(draft, found.output)
    else:
        _block(draft, draft.step["gate"], found)
    return True


def rejects_unjudged(draft: Draft, joined: Joined) -> bool:
    """Whether an agent's output was not of its type, which the gate has rejected without a judge."""
    if draft.step["kind"] != "agent" or "gate" not in draft.step or joined.code not in _MISMATCHES:
        return False
    _reject(draft, {"feedback": joined.detail or joined.code})
    return True


def _reject(draft: Draft, verdict: JsonObject) -> None:
    """Another round with the feedback; after the last, the run stops with it."""
    active, gate = draft.active, draft.step["gate"]
    feedback = {"feedback": verdict.get("feedback", ""), "missing": verdict.get("missing", [])}
    most = gate["max_loops"]["value"]
    if active.loop < most:
        draft.fact("gate.rejected", active.id, loop=active.loop, feedback=feedback)
        return
    missing = f"; missing: {', '.join(feedback['missing'])}" if feedback["missing"] else ""
    message = (
        f"the gate of {active.step} rejected its result ({active.loop} of {most}): {feedback['feedback']}{missing}"
    )
    draft.fact("gate.refused", active.id, code="gate_rejected", message=message, feedback=feedback)


def _block(draft: Draft, gate: StepGate, found: Result) -> None:
    message = f"judge {gate['judge']} gave no verdict on {draft.active.step}: {found.code}"
    draft.fact("gate.refused", draft.active.id, code="gate_blocked", message=message)
