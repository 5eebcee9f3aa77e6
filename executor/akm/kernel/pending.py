"""`pending`: what the state asks of the world now. Derived from the state alone, so a resumed run asks the same."""

from collections.abc import Iterator

from akm.kernel import inputs
from akm.kernel.command import (
    AskReceipt,
    AwaitDecision,
    AwaitResolution,
    AwaitSignal,
    AwaitTimer,
    CheckArtifacts,
    Command,
    Prepare,
    StartAttempt,
    StopAttempt,
)
from akm.kernel.state import Assignment, Attempt, RunState, StepAttempt
from akm.kernel.steps import ProcessStep, process_step, step_named, tool_of
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
    if state.active is None:
        return ()
    step = process_step(step_named(plan, state.active.step))
    if step is not None:
        return tuple(_work(plan, state, step))
    return tuple(_wait(plan, state, state.active))


def _work(plan: Plan, state: RunState, step: ProcessStep) -> Iterator[Command]:
    """What the attempts of a step with processes need."""
    for attempt in state.attempts.values():
        effect = state.effects[attempt.id]
        if effect.status == "blocked_uncertain":
            yield AwaitResolution(effect.id)
        elif effect.status == "observed" or attempt.status == "connection_lost":
            yield _receipt(plan, state, step, attempt)
        elif attempt.status in ("starting", "executing"):
            yield StopAttempt(attempt.id) if state.ending else _start(plan, state, step, attempt)


def _start(plan: Plan, state: RunState, step: ProcessStep, attempt: Attempt) -> StartAttempt:
    assignment = state.assignments[attempt.assignment]
    _check_inputs(plan, state, step, assignment)
    tool = tool_of(plan, step)
    return StartAttempt(
        attempt=attempt.id,
        step=step["name"],
        tool=step["tool"],
        argv=tuple(tool["argv"]),
        directory=tool["directory"],
        scripts=tuple(tool["scripts"]),
        input=inputs.tool_input(plan, state, step),
        env=tuple(tool["env"]),
        timeout_ms=step["timeout_ms"]["value"],
        output_bytes_max=tool["output_bytes_max"]["value"],
        key=state.effects[attempt.id].key,
        reads_stdout=step["kind"] == "agent" or step["output"] is not None,
    )


def _check_inputs(plan: Plan, state: RunState, step: ProcessStep, assignment: Assignment) -> None:
    found = inputs.input_hash(plan, state, step)
    if found != assignment.input_hash:
        raise ReplayDivergence(assignment.id, assignment.input_hash, found)


def _receipt(plan: Plan, state: RunState, step: ProcessStep, attempt: Attempt) -> AskReceipt:
    tool = tool_of(plan, step)
    assert tool["receipt"] is not None, step["tool"]
    return AskReceipt(
        effect=attempt.id,
        tool=step["tool"],
        argv=tuple(tool["receipt"]),
        directory=tool["directory"],
        scripts=tuple(tool["scripts"]),
        input=inputs.tool_input(plan, state, step),
        env=tuple(tool["env"]),
        timeout_ms=step["timeout_ms"]["value"],
        key=state.effects[attempt.id].key,
    )


def _wait(plan: Plan, state: RunState, active: StepAttempt) -> Iterator[Command]:
    """What a step without a process waits for."""
    step = step_named(plan, active.step)
    if step["kind"] == "gate" and step["check"] == "artifacts_exist" and active.status == "running":
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
