"""The work of the active step attempt: made, dispatched within its bounds, and joined."""

from akm.kernel import attempts, deliveries, inputs, joins, parenting, sessions, units
from akm.kernel.children import child_step
from akm.kernel.draft import Draft
from akm.kernel.joins import Joined
from akm.kernel.state import RunState
from akm.kernel.steps import parallel, success
from akm_specs.canonical import Json
from akm_specs.plan import PanelStep, Step


def assign(draft: Draft) -> bool:
    """Make, accept and dispatch what the step still has to do, as far as there is room."""
    active = draft.state.active
    if active is None or active.status != "running" or draft.state.status != "running":
        return False
    if draft.stopping:
        return _drop(draft)
    room = _parallel(draft.state, draft.step)
    done = False
    while draft.state.at_work < room and _assign_one(draft):
        done = True
    return done


def _assign_one(draft: Draft) -> bool:
    """Dispatch one assignment, a new one if none waits for it; False when there is none."""
    if not draft.state.ready:
        following = units.next_id(draft.state) if draft.active.proposed is None else None
        if following is None or draft.active.made >= _wanted(draft):
            return False
        create(draft, str(following))
    one = draft.state.assignments[draft.state.ready[0]]
    if (child := child_step(draft.plan, one.id)) is not None:
        parenting.publish(draft, one.id, child)
        return True
    if one.status != "accepted":
        unit = draft.unit(one.id)
        agent = {} if unit.agent is None else {"agent": unit.agent}
        draft.move("assignment", one.id, "accept", tool=unit.tool_name, **agent)
    attempts.dispatch(draft, one.id, sessions.attend(draft, draft.unit(one.id)))
    return True


def create(draft: Draft, assignment: str) -> None:
    """Make an assignment, with the hash of what it is given."""
    found = inputs.next_hash(draft.plan, draft.state, assignment)
    draft.birth("assignment", assignment, step_attempt=draft.active.id, input_hash=found)


def _drop(draft: Draft) -> bool:
    """Nothing new starts: what waits for its first or next attempt is not needed any more."""
    for one in draft.state.ready:
        draft.move("assignment", one, "cancel")
        return True
    return False


def _parallel(state: RunState, step: Step) -> int:
    """How many assignments may be at work: as the plan says, and the host allows."""
    return parallel(step) if state.host_parallel is None else min(parallel(step), state.host_parallel)


def _wanted(draft: Draft) -> int:
    """How many assignments there have to be by now: in a panel, one more for each that its producer refused."""
    step = draft.step
    if step["kind"] == "deliver" and not deliveries.under_way(draft.state):
        return 0
    if step["kind"] != "panel":
        return len(draft.active.work.parts)
    return min(len(draft.active.work.parts), step["target"]["value"] + _rejected(draft.state))


def _rejected(state: RunState) -> int:
    return sum(
        one.result is not None and one.result.result_class == "producer_rejected" for one in units.made(state)
    )


def joined(draft: Draft) -> Joined | None:
    """What the work of the active step attempt comes to; None while that is open, or where there is none."""
    state, step = draft.state, draft.step
    if step["kind"] == "panel":
        return _panel(draft, step)
    if step["kind"] == "deliver":
        return deliveries.joined(state)
    if state.open or state.active is None or (not state.active.work.parts and step["kind"] != "map"):
        return None
    if state.active.made < len(state.active.work.parts):
        return None
    results = [one.result for one in units.made(state)]
    if step["kind"] == "map":
        return joins.mapped(step, results)
    (found,) = results
    assert found is not None, "an assignment is cancelled only while the run is ending"
    return Joined(found.outcome, found.code, found.output, found.detail)


def _panel(draft: Draft, step: PanelStep) -> Joined | None:
    """A panel may be decided before all of its work has ended; what is left is then cancelled or drained."""
    state, active = draft.state, draft.active
    results = [one.result for one in units.made(state)]
    to_come = 0 if active.decided else state.open + _wanted(draft) - active.made
    found = joins.panel(step, results, to_come)
    if found is None or not state.open:
        return found
    if not active.decided:
        draft.fact("panel.decided", active.id, outcome=found.outcome)
    return None


def evident(draft: Draft, name: str) -> list[Json]:
    """The pieces of evidence `name` that this round's results hold, in the order of the work list."""
    results = [one.result for one in units.made(draft.state)]
    return [
        each.evidence[name]
        for each in results
        if each is not None and each.outcome == success(draft.step) and name in each.evidence
    ]
