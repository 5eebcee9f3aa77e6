"""How steps are written: what each kind is about, and what each clause states."""

from collections.abc import Iterator

from akmc.document import (
    AgentStep,
    ApprovalStep,
    Assign,
    Branch,
    ChildStep,
    DeliverStep,
    Evidence,
    ExecStep,
    GateStep,
    Join,
    JudgeStep,
    MapStep,
    PanelStep,
    Retry,
    RouteStep,
    Step,
    StepGate,
    Transition,
    WaitStep,
    WorkStep,
)
from akmc.write.entries import scope
from akmc.write.types import type_text
from akmc.write.words import block, constant, listed, prose, reference, references, span, string, value


def step_lines(step: Step) -> Iterator[str]:
    """One step, as lines."""
    return block(f"step {step.name}: {_subject(step)}", _clauses(step))


def _subject(step: Step) -> str:
    match step:
        case ExecStep():
            return f"exec {step.tool}"
        case GateStep():
            return _gate(step)
        case AgentStep():
            return f"agent {step.agent}"
        case PanelStep():
            return "panel"
        case MapStep():
            return f"map {step.item} in {reference(step.over)}"
        case JudgeStep():
            return f"judge {step.agent}"
        case ApprovalStep():
            return "approval"
        case WaitStep():
            return f"wait signal {step.signal}" if step.span_ms is None else f"wait {span(step.span_ms)}"
        case RouteStep():
            return f"route {reference(step.value)}"
        case ChildStep():
            return f"workflow {string(step.path)}"
        case DeliverStep():
            return f"deliver {listed(step.repositories)}"


def _gate(step: GateStep) -> str:
    if step.tool is not None:
        return f"gate {step.tool}"
    if step.value is not None and step.type is not None:
        return f"gate schema {value(step.value)} is {type_text(step.type)}"
    return f"gate artifacts_exist {listed(map(string, step.artifacts))}"


def _clauses(step: Step) -> Iterator[str]:
    if step.attempts is not None:
        yield f"attempts {step.attempts}"
    if step.timeout_ms is not None:
        yield f"timeout {span(step.timeout_ms)}"
    yield from _of_kind(step)
    if isinstance(step, WorkStep):
        yield from _work(step)
    if step.skip is not None:
        yield f"skip when {reference(step.skip.value)} is {constant(step.skip.equals)}"
    if step.requires:
        yield f"requires pin {', '.join(step.requires)}"
    for evidence in step.evidence:
        yield from _evidence(evidence)
    if step.gate is not None:
        yield from block("gate", _step_gate(step.gate))
    yield from map(_on, step.on)


def _of_kind(step: Step) -> Iterator[str]:
    """The clauses that not every step with processes has."""
    match step:
        case ExecStep() | GateStep() | MapStep() | ChildStep() | DeliverStep() if step.input is not None:
            yield f"with {value(step.input)}"
    match step:
        case MapStep():
            yield from _map(step)
        case PanelStep():
            yield from _panel(step)
        case AgentStep():
            yield from _asked(step)
        case JudgeStep():
            yield from [f"of {reference(step.of)}"] if step.of is not None else []
            yield from [f"rubric {prose(step.rubric)}"] if step.rubric is not None else []
        case GateStep() if step.expect is not None:
            yield f"expect {step.expect}"
        case ExecStep():
            yield from (f"exit {each.code} -> {each.outcome}" for each in step.exits)
        case ApprovalStep():
            yield from [f"by {listed(step.by)}"] if step.by else []
            yield from [f"reads {references(step.reads)}"] if step.reads else []
        case WaitStep() | ChildStep() if step.output is not None:
            yield f"output {type_text(step.output)}"
        case DeliverStep():
            yield from [f"remediate {step.remediations}"] if step.remediations is not None else []
            yield from [_retry(step.retry)] if step.retry is not None else []
        case RouteStep():
            yield from map(_branch, step.branches)


def _work(step: WorkStep) -> Iterator[str]:
    if step.retry is not None:
        yield _retry(step.retry)
    if step.recoveries is not None:
        yield f"recover {step.recoveries}"
    if step.isolation is not None:
        yield f"isolation {step.isolation}"
    if step.scope is not None:
        yield from scope(step.scope)
    if step.output is not None:
        yield f"output {type_text(step.output)}"


def _asked(step: AgentStep | PanelStep | MapStep) -> Iterator[str]:
    if step.prompt is not None:
        yield f"prompt {prose(step.prompt)}"
    if step.reads:
        yield f"reads {references(step.reads)}"


def _map(step: MapStep) -> Iterator[str]:
    if step.tool is not None:
        yield f"run tool {step.tool}"
    if step.agent is not None:
        yield f"run agent {step.agent}"
    yield from _asked(step)
    counts = {"items": step.items, "parallel": step.parallel, "tolerate": step.tolerate}
    yield from (f"{word} {count}" for word, count in counts.items() if count is not None)
    if step.reducer is not None:
        yield f"reduce {step.reducer}"


def _panel(step: PanelStep) -> Iterator[str]:
    if step.assign is not None:
        yield from _assign(step.assign)
    if step.join is not None:
        yield _join(step.join)
    if step.speculative:
        yield "safe to speculate"
    yield from _asked(step)


def _assign(assign: Assign) -> Iterator[str]:
    bounds = f"{assign.minimum}" if assign.target is None else f"{assign.minimum}..{assign.target}"
    head = f"assign {bounds} of {listed(assign.agents)}"
    counts = {"maximum": assign.maximum, "parallel": assign.parallel, "attempts": assign.attempts}
    clauses = [f"{word} {count}" for word, count in counts.items() if count is not None]
    clauses += [f"distinct {', '.join(assign.distinct)}"] if assign.distinct else []
    yield from block(head, clauses) if clauses else [head]


def _join(join: Join) -> str:
    passed = "" if join.passed is None else f" pass {join.passed}"
    return f"join {join.strategy}{passed}" + ("" if join.remaining is None else f" then {join.remaining}")


def _retry(retry: Retry) -> str:
    return f"retry {retry.count} on {', '.join(retry.on)}"


def _evidence(evidence: Evidence) -> Iterator[str]:
    head = f"evidence {evidence.name}: {evidence.kind}"
    clauses = [] if evidence.minimum is None else [f"min {evidence.minimum}"]
    clauses += [f"by {listed(evidence.eligible)}"] if evidence.eligible else []
    clauses += [] if evidence.producers is None else [f"producers {evidence.producers}"]
    clauses += [] if evidence.degraded is None else [f"degraded {evidence.degraded}"]
    clauses += ["reusable"] * evidence.reusable + ["pin"] * evidence.pin
    yield from block(head, clauses) if clauses else [head]


def _step_gate(gate: StepGate) -> Iterator[str]:
    if gate.judge is not None:
        yield f"judge {gate.judge}"
    if gate.rubric is not None:
        yield f"rubric {prose(gate.rubric)}"
    if gate.max_loops is not None:
        yield f"max_loops {gate.max_loops}"


def _on(line: Transition) -> str:
    return f"on {line.outcome} -> {_target(line)}"


def _branch(branch: Branch) -> str:
    if branch.when is None:
        return f"otherwise -> {_target(branch)}"
    shown = string(branch.when) if isinstance(branch.when, str) else constant(branch.when)
    return f"when {shown} -> {_target(branch)}"


def _target(line: Transition | Branch) -> str:
    return line.target if line.maximum is None else f"{line.target} max {line.maximum}"
