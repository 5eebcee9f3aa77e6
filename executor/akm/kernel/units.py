"""Units of work: what each assignment is, whatever the kind of its step.

`work_list` says which assignments a step attempt has; `unit_of` what one of them starts and how its end is read.
Both are pure functions of the plan, the parameters and the recorded outputs. A kind of step whose work is done by
something else than a process gets its parts in `work_list` too; that of a child run is no unit (see `children`).
"""

from dataclasses import dataclass
from typing import Literal

from akm.kernel import pushes
from akm.kernel.children import Unfit, child_parameters
from akm.kernel.identity import AssignmentId, read_id
from akm.kernel.scopes import scope_of
from akm.kernel.state import Assignment, RunState, WorkList
from akm.kernel.steps import index_of, process_step, step_named
from akm.kernel.values import dereference
from akm_specs.canonical import Json, JsonObject, hash_json
from akm_specs.plan import (
    VERDICT,
    DeliverStep,
    Dispatch,
    MapStep,
    PanelStep,
    Plan,
    ProcessStep,
    Scope,
    Seat,
    Step,
    Tool,
)

#: Hex digits of an item's hash that stand in its assignment's id.
ITEM_DIGITS = 12
#: Units of one plan that are remembered: more than are at work at once.
_UNITS_REMEMBERED_MAX = 1024


@dataclass(frozen=True, slots=True)
class Unit:
    """One assignment.

    `reply` says how its result is told: by the exit code, a declared outcome, a verdict, or git's word on a push.
    """

    id: AssignmentId
    step: Step
    tool_name: str
    tool: Tool
    agent: str | None
    timeout_ms: int
    dispatch: Dispatch
    output: JsonObject | None
    instruction: str | None
    reply: Literal["exit", "outcome", "verdict", "push"]
    scope: Scope | None
    isolation: str

    @property
    def reads_stdout(self) -> bool:
        """Whether its standard output means anything."""
        return self.reply != "exit" or self.output is not None


def unit_of(plan: Plan, assignment: str) -> Unit:
    """What `assignment` is. Raises KeyError for an id that the plan does not allow."""
    known = index_of(plan).units
    found = known.get(assignment)
    if found is None:
        if len(known) >= _UNITS_REMEMBERED_MAX:
            known.clear()
        found = known[assignment] = _unit(plan, read_id(assignment))
    return found


def _unit(plan: Plan, found: AssignmentId) -> Unit:
    step = step_named(plan, found.step)
    return _judge(plan, step, found) if found.judge else _worker(plan, step, found)


def _judge(plan: Plan, step: Step, found: AssignmentId) -> Unit:
    """A call of the judge of the step's gate."""
    gate = step["gate"]
    return Unit(
        id=found,
        step=step,
        tool_name=gate["tool"],
        tool=plan["tools"][gate["tool"]],
        agent=gate["judge"],
        timeout_ms=gate["timeout_ms"]["value"],
        dispatch=gate["dispatch"],
        output=VERDICT,
        instruction=gate["rubric"],
        reply="verdict",
        scope=None,
        isolation="none",
    )


def _push(plan: Plan, step: DeliverStep, found: AssignmentId) -> Unit:
    """One repository's share of a delivery."""
    timeout_ms = step["timeout_ms"]["value"]
    return Unit(
        id=found,
        step=step,
        tool_name="git",
        tool=pushes.tool(plan["repositories"][found.part], timeout_ms),
        agent=None,
        timeout_ms=timeout_ms,
        dispatch=step["dispatch"],
        output=None,
        instruction=None,
        reply="push",
        scope=None,
        isolation="none",
    )


def _worker(plan: Plan, step: Step, found: AssignmentId) -> Unit:
    if step["kind"] == "deliver":
        return _push(plan, step, found)
    work = process_step(step)
    if work is None:
        raise KeyError(str(found))
    agent: str | None = None
    if work["kind"] == "panel":
        seat = _seat(work, found)
        tool, agent, timeout = seat["tool"], seat["agent"], seat["timeout_ms"]
    else:
        tool, timeout = work["tool"], work["timeout_ms"]
        if work["kind"] == "agent" or work["kind"] == "map" or work["kind"] == "judge":
            agent = work["agent"]
    spoken: Literal["outcome", "verdict"] = "verdict" if work["kind"] == "judge" else "outcome"
    return Unit(
        id=found,
        step=step,
        tool_name=tool,
        tool=plan["tools"][tool],
        agent=agent,
        timeout_ms=timeout["value"],
        dispatch=work["dispatch"],
        output=work["output"],
        instruction=_instruction(work),
        reply=spoken if agent else "exit",
        scope=scope_of(plan, work, agent),
        isolation=work["isolation"],
    )


def _seat(step: PanelStep, found: AssignmentId) -> Seat:
    seats = {str(number): seat for number, seat in enumerate(step["seats"], 1)}
    return seats[found.part]


def _instruction(step: ProcessStep) -> str | None:
    """What an agent is told to do, exactly as it was written."""
    if step["kind"] == "judge":
        return step["rubric"]
    if step["kind"] == "agent" or step["kind"] == "panel" or step["kind"] == "map":
        return step["prompt"]
    return None


@dataclass(frozen=True, slots=True)
class Refused:
    """Why the work of a step attempt cannot be told apart; nothing of it is dispatched."""

    code: Literal["not_a_list", "items_exceeded", "null_item", "duplicate_item", "parameters_unfit"]
    message: str


def work_list(plan: Plan, state: RunState, step: Step) -> WorkList | Refused:
    """What an attempt of `step` that begins now has to have done."""
    if step["kind"] == "map":
        return _items(step, dereference(state, step["over"]))
    if step["kind"] == "panel":
        return WorkList(tuple(str(number) for number in range(1, len(step["seats"]) + 1)))
    if step["kind"] == "deliver":
        return WorkList(tuple(step["repositories"]))
    if step["kind"] == "workflow":
        given = child_parameters(plan, state, step)
        return Refused("parameters_unfit", given.message) if isinstance(given, Unfit) else WorkList(("",))
    return WorkList(("",)) if process_step(step) is not None else WorkList()


def _items(step: MapStep, found: Json) -> WorkList | Refused:
    if not isinstance(found, list):
        return Refused("not_a_list", f"the items of {step['name']} are no list")
    most = step["items"]["value"]
    if len(found) > most:
        return Refused("items_exceeded", f"{len(found)} items are more than the {most} that are allowed")
    places: dict[str, int] = {}
    for place, item in enumerate(found):
        if item is None:
            return Refused("null_item", f"item {place + 1} is null")
        part = hash_json(item)[:ITEM_DIGITS]
        if part in places:
            return Refused("duplicate_item", f"items {places[part] + 1} and {place + 1} are the same to a map")
        places[part] = place
    return WorkList(tuple(places), tuple(found))


def next_id(state: RunState) -> AssignmentId | None:
    """The next assignment of the active step attempt, in the order of its work list; None after the last."""
    active = state.active
    if active is None or active.made >= len(active.work.parts):
        return None
    return AssignmentId(active.step, active.number, active.work.parts[active.made], active.loop)


def judge_id(state: RunState) -> AssignmentId:
    """The call of the step's judge in this round of the active step attempt."""
    active = state.active
    assert active is not None, "no step attempt is active"
    return AssignmentId(active.step, active.number, loop=active.loop, judge=True)


def item_of(state: RunState, assignment: Assignment) -> Json:
    """The item of a map that `assignment` works on; None where there are none."""
    active = state.active
    assert active is not None, "no step attempt is active"
    return active.work.items[assignment.place] if active.work.items else None


def made(state: RunState) -> tuple[Assignment, ...]:
    """The assignments of this round, in the order of the work list."""
    active = state.active
    assert active is not None, "no step attempt is active"
    ids = (AssignmentId(active.step, active.number, part, active.loop) for part in active.work.parts[: active.made])
    return tuple(state.assignments[str(each)] for each in ids)
