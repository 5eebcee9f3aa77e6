"""`pending`: what the state asks of the world now. Derived from the state alone, so a resumed run asks the same."""

from collections.abc import Iterable, Iterator, Sequence

from akm.kernel import deliveries, inputs, pins, pushes, scopes, sessions
from akm.kernel.children import child_run
from akm.kernel.command import (
    AskReceipt,
    AwaitDecision,
    AwaitResolution,
    AwaitSignal,
    AwaitTimer,
    CheckArtifacts,
    CheckPins,
    Command,
    DriveChild,
    Prepare,
    StartAttempt,
    StopAttempt,
)
from akm.kernel.event import Event
from akm.kernel.state import Attempt, RunState, StepAttempt
from akm.kernel.steps import step_named
from akm.kernel.units import Unit, judge_id, made, unit_of
from akm_specs.canonical import canonical
from akm_specs.plan import Plan


class ReplayDivergence(Exception):
    """An assignment's inputs are no longer those that it was made for. Nothing is run over changed data."""

    def __init__(self, unit: str, expected: str, found: str) -> None:
        super().__init__(
            f"replay divergence: unit {unit} was made with input hash {expected}, its inputs now hash to {found}"
        )
        self.unit = unit
        self.expected = expected
        self.found = found


def pending(plan: Plan, state: RunState) -> tuple[Command, ...]:
    """The commands that are open. Raises ReplayDivergence."""
    if state.status == "preparing" and state.ending is None:
        return (Prepare(),)
    active = state.active
    if active is None:
        return ()
    judge = state.assignments.get(str(judge_id(state)))
    assignments = made(state) if judge is None else (*made(state), judge)
    work = _work(plan, state, (f"{each.id}/{each.attempts}" for each in assignments))
    started = (*work, *deliveries.looks(plan, state), *_child(plan, state, active))
    return (*started, *_pins(plan, state, active), *_wait(plan, state, active))


def renewed(plan: Plan, state: RunState, events: Sequence[Event], left: Sequence[Command]) -> tuple[Command, ...]:
    """What is to be done now that `events` have led to `state`, and `left` was still to do before them.

    A driver that follows a run asks this after each append, so that a thousand attempts at work are not looked at
    for each that ends. Raises ReplayDivergence.
    """
    if any(event.is_fact or event.lifecycle not in _OF_WORK for event in events):
        return pending(plan, state)
    touched = dict.fromkeys(event.entity for event in events if event.lifecycle in _OF_ATTEMPTS)
    return (*left, *_work(plan, state, touched))


_OF_ATTEMPTS = frozenset({"attempt", "effect"})
_OF_WORK = _OF_ATTEMPTS | {"assignment"}


def _work(plan: Plan, state: RunState, attempts: Iterable[str]) -> Iterator[Command]:
    """What `attempts` need, those of them that there are."""
    stops = _stops(plan, state)
    for attempt_id in attempts:
        attempt = state.attempts.get(attempt_id)
        if attempt is None or attempt.status == "terminal":
            continue
        effect = state.effects[attempt.id]
        if effect.status == "blocked_uncertain":
            yield AwaitResolution(effect.id)
        elif effect.status == "observed" or attempt.status == "connection_lost":
            yield _receipt(plan, state, attempt)
        elif attempt.status in ("starting", "executing"):
            yield StopAttempt(attempt.id) if stops else _start(plan, state, attempt)


def _stops(plan: Plan, state: RunState) -> bool:
    """Whether what is under way is to be stopped: the run is ending, or its panel needs no more of it."""
    active = state.active
    if state.ending is not None or active is None or not active.decided or active.proposed is not None:
        return state.ending is not None
    step = step_named(plan, active.step)
    return step["kind"] == "panel" and step["join"]["remaining"] == "cancel"


def _start(plan: Plan, state: RunState, attempt: Attempt) -> StartAttempt:
    assignment = state.assignments[attempt.assignment]
    unit, item = unit_of(plan, assignment.id), inputs.item_given(state, assignment)
    found = inputs.input_hash(plan, state, unit, item)
    if found != assignment.input_hash:
        raise ReplayDivergence(assignment.id, assignment.input_hash, found)
    tool = unit.tool
    return StartAttempt(
        attempt=attempt.id,
        step=unit.id.step,
        tool=unit.tool_name,
        argv=inputs.argv(plan, state, unit),
        directory=tool["directory"],
        scripts=tuple(tool["scripts"]),
        input=inputs.tool_input(state, unit, item),
        env=_environment(plan, unit),
        timeout_ms=unit.timeout_ms,
        output_bytes_max=tool["output_bytes_max"]["value"],
        key=state.effects[attempt.id].key,
        reads_stdout=unit.reads_stdout,
        variables=pushes.VARIABLES if unit.reply == "push" else _told(unit),
        python=tool.get("python"),
        session=sessions.serving(state, unit),
    )


def _environment(plan: Plan, unit: Unit) -> tuple[str, ...]:
    if unit.scope is None:
        return tuple(unit.tool["env"])
    return scopes.variable_names(plan, unit.tool_name, unit.agent, unit.scope)


def _told(unit: Unit) -> tuple[tuple[str, str], ...]:
    """The scope that an agent's program is to keep to."""
    return () if unit.scope is None else (("AKM_SCOPE", canonical(unit.scope).decode()),)


def _receipt(plan: Plan, state: RunState, attempt: Attempt) -> AskReceipt:
    assignment = state.assignments[attempt.assignment]
    unit = unit_of(plan, assignment.id)
    tool = unit.tool
    query, pushed = inputs.receipt_query(plan, state, unit), unit.reply == "push"
    assert query is not None, unit.tool_name
    return AskReceipt(
        effect=attempt.id,
        tool=unit.tool_name,
        argv=tuple(query),
        directory=tool["directory"],
        scripts=tuple(tool["scripts"]),
        input=inputs.tool_input(state, unit, inputs.item_given(state, assignment)),
        env=tuple(tool["env"]),
        timeout_ms=unit.timeout_ms,
        key=state.effects[attempt.id].key,
        variables=pushes.VARIABLES if pushed else (),
        pushed=pushes.receipt(plan, state, unit.id) if pushed else None,
    )


def _child(plan: Plan, state: RunState, active: StepAttempt) -> Iterator[DriveChild]:
    """The child run that does the work of the active step attempt is driven, or stopped where the run is ending."""
    step = step_named(plan, active.step)
    if step["kind"] != "workflow":
        return
    for one in made(state):
        if one.status == "executing":
            found = inputs.child_hash(plan, state, step)
            if found != one.input_hash:
                raise ReplayDivergence(one.id, one.input_hash, found)
            stop = None if state.ending is None else state.ending.message
            yield DriveChild(one.id, child_run(state.run, one.id), stop)


def _pins(plan: Plan, state: RunState, active: StepAttempt) -> Iterator[Command]:
    """The files of required pins are looked at before the step starts, and again before it may pass."""
    due = pins.due(active)
    if due is not None and state.ending is None and "requires" in step_named(plan, active.step):
        yield CheckPins(active.id, due, tuple(pins.required(plan, state, active.step) or ()))


def _wait(plan: Plan, state: RunState, active: StepAttempt) -> Iterator[Command]:
    """What a step without assignments waits for."""
    step = step_named(plan, active.step)
    checks = active.status == "running" and active.proposed is None
    if checks and step["kind"] == "gate" and step["check"] == "artifacts_exist":
        yield CheckArtifacts(active.id, tuple(step["paths"]))
    if active.status != "waiting" or active.due_ms is None:
        return
    if step["kind"] == "approval":
        assert active.shown is not None, active.id
        yield AwaitDecision(active.id, active.step, tuple(step["by"]), active.shown, active.due_ms)
    elif step["kind"] == "wait" and step["wait"] == "signal":
        yield AwaitSignal(active.id, active.step, step["signal"], active.due_ms)
    else:
        yield AwaitTimer(active.id, active.step, active.due_ms)
