"""Freezing a step: its document, with every bound written out, as the plan's step of its kind."""

from akm_specs import plan
from akmc import bounds, document
from akmc.document import (
    AgentStep,
    ApprovalStep,
    AssignedStep,
    ChildStep,
    DeliverStep,
    ExecStep,
    GateStep,
    JudgeStep,
    MapStep,
    PanelStep,
    RouteStep,
    Step,
    WaitStep,
)
from akmc.view import View, has_process


def freeze_step(step: Step, view: View) -> plan.Step:
    """The plan's step for `step`."""
    match step:
        case ExecStep():
            return {
                **_work(step, view),
                "kind": "exec",
                "input": _optional(step.input),
                "exits": {str(each.code): each.outcome for each in step.exits},
            }
        case GateStep():
            return _gate(step, view)
        case AgentStep():
            return {
                **_work(step, view),
                "kind": "agent",
                "agent": step.agent,
                "prompt": step.prompt or "",
                "reads": _references(step.reads),
            }
        case PanelStep():
            return _panel(step, view)
        case MapStep():
            return _map(step, view)
        case JudgeStep():
            return _judge(step, view)
        case ApprovalStep():
            return {
                **_common(step, view),
                "kind": "approval",
                "by": _people(step, view),
                "reads": _references(step.reads),
                "timeout_ms": _written(step.timeout_ms),
            }
        case WaitStep():
            return _wait(step, view)
        case RouteStep():
            return {**_common(step, view), "kind": "route", "value": _reference(step.value)}
        case ChildStep():
            return {
                **_common(step, view),
                "kind": "workflow",
                "plan": view.children[step.path].plan_hash,
                "input": _members(step.input),
                "output": step.output,
            }
        case DeliverStep():
            return _deliver(step, view)


def freeze_scope(scope: document.Scope) -> plan.Scope:
    """The plan's scope for `scope`: a repository that may be written may be read."""
    written = set(scope.write)
    return {
        "repositories": {
            name: "write" if name in written else "read" for name in sorted({*scope.read, *scope.write})
        },
        "preset": scope.preset,
        "allow": sorted(scope.allow),
        "deny": sorted(scope.deny),
        "secrets": sorted(scope.secrets),
    }


def _panel(step: PanelStep, view: View) -> plan.PanelStep:
    assert step.assign is not None, "a rule refuses the panel that leaves this out"
    return {
        **_assigned(step, view),
        "kind": "panel",
        "seats": [_seat(name, step, view) for name in bounds.seats(step.assign)],
        "minimum": bounds.minimum(step.assign),
        "target": bounds.target(step.assign),
        "maximum": bounds.maximum(step.assign),
        "parallel": bounds.panel_parallel(step.assign),
        "distinct": sorted(step.assign.distinct),
        "join": bounds.join(step),
        "prompt": step.prompt or "",
        "reads": _references(step.reads),
    }


def _seat(agent: str, step: PanelStep, view: View) -> plan.Seat:
    tool = view.tool_of_agent(agent)
    assert tool is not None, f"no rule refused agent {agent}, whose tool is unknown"
    return {"agent": agent, "tool": tool.name, "timeout_ms": bounds.timeout_ms(step, tool)}


def _map(step: MapStep, view: View) -> plan.MapStep:
    return {
        **_work(step, view),
        "kind": "map",
        "item": step.item,
        "over": _reference(step.over),
        "agent": step.agent,
        "prompt": step.prompt,
        "reads": _references(step.reads),
        "input": _optional(step.input),
        "items": bounds.items(step, view),
        "parallel": bounds.map_parallel(step),
        "tolerate": bounds.tolerate(step),
        "reducer": step.reducer or bounds.REDUCER_DEFAULT,
    }


def _judge(step: JudgeStep, view: View) -> plan.JudgeStep:
    assert step.of is not None, "a rule refuses the judge that leaves this out"
    work = _work(step, view)
    work["output"] = plan.VERDICT
    return {
        **work,
        "kind": "judge",
        "agent": step.agent,
        "of": _reference(step.of),
        "rubric": step.rubric or "",
    }


def _deliver(step: DeliverStep, view: View) -> plan.DeliverStep:
    return {
        **_common(step, view),
        "kind": "deliver",
        "repositories": list(step.repositories),
        "commits": _members(step.input),
        "timeout_ms": bounds.delivery_timeout_ms(step),
        "dispatch": bounds.delivery_dispatch(step),
        "remediations": bounds.remediations(step),
    }


def _gate(step: GateStep, view: View) -> plan.GateStep:
    expect = step.expect or bounds.EXPECT_DEFAULT
    if has_process(step):
        return {
            **_work(step, view),
            "kind": "gate",
            "check": "tool",
            "input": _optional(step.input),
            "expect": expect,
        }
    common = _common(step, view)
    if step.value is not None and step.type is not None:
        return {
            **common,
            "kind": "gate",
            "check": "schema",
            "value": _value(step.value),
            "type": step.type,
            "expect": expect,
        }
    return {
        **common,
        "kind": "gate",
        "check": "artifacts_exist",
        "paths": list(step.artifacts),
        "expect": expect,
    }


def _wait(step: WaitStep, view: View) -> plan.SignalStep | plan.SpanStep:
    if step.signal is None:
        assert step.span_ms is not None, step
        return {**_common(step, view), "kind": "wait", "wait": "span", "span_ms": step.span_ms}
    return {
        **_common(step, view),
        "kind": "wait",
        "wait": "signal",
        "signal": step.signal,
        "output": step.output,
        "timeout_ms": _written(step.timeout_ms),
    }


def _common(step: Step, view: View) -> plan.StepCommon:
    found: plan.StepCommon = {
        "name": step.name,
        "attempts": bounds.attempts(step),
        "transitions": bounds.transitions(step, view.flow),
    }
    if step.evidence:
        found["evidence"] = {each.name: _evidence(each) for each in step.evidence}
    if step.requires:
        found["requires"] = sorted(set(step.requires))
    if step.gate is not None:
        found["gate"] = _step_gate(step, step.gate, view)
    if step.skip is not None:
        found["skip"] = {"value": _reference(step.skip.value), "equals": step.skip.equals}
    return found


def _evidence(stated: document.Evidence) -> plan.Evidence:
    found: plan.Evidence = {"kind": stated.kind, "minimum": bounds.evidence_minimum(stated)}
    if stated.producers is not None:
        degraded = stated.producers if stated.degraded is None else stated.degraded
        eligible = sorted(set(stated.eligible))
        found["producers"] = {"eligible": eligible, "minimum": stated.producers, "degraded": degraded}
    if stated.reusable:
        found["reusable"] = True
    if stated.pin:
        found["pin"] = True
    return found


def _step_gate(step: Step, gate: document.StepGate, view: View) -> plan.StepGate:
    judge = view.judge_of(step)
    tool = None if judge is None else view.tool_of_agent(judge)
    assert judge is not None, f"no rule refused step {step.name}, which nobody judges"
    assert tool is not None, f"no rule refused step {step.name}, whose judge has no tool"
    return {
        "judge": judge,
        "tool": tool.name,
        "rubric": gate.rubric or "",
        "timeout_ms": bounds.tool_timeout_ms(tool),
        "dispatch": bounds.judge_dispatch(tool),
        "max_loops": bounds.max_loops(step),
    }


def _assigned(step: AssignedStep, view: View) -> plan.AssignedStep:
    return {
        **_common(step, view),
        "dispatch": bounds.dispatch(step, view.tools_of(step)),
        "output": step.output,
        "isolation": step.isolation or bounds.ISOLATION_DEFAULT,
        "scope": None if step.scope is None else freeze_scope(step.scope),
    }


def _work(step: ExecStep | GateStep | AgentStep | MapStep | JudgeStep, view: View) -> plan.WorkStep:
    tools = view.tools_of(step)
    assert len(tools) == 1, f"no rule refused step {step.name}, whose tool is unknown"
    tool = tools[0]
    return {**_assigned(step, view), "tool": tool.name, "timeout_ms": bounds.timeout_ms(step, tool)}


def _people(step: ApprovalStep, view: View) -> list[str]:
    """Who may decide: the members of each group that is named, and each person, sorted."""
    found: set[str] = set()
    for name in step.by:
        group = view.groups.get(name)
        found.update([name] if group is None else group.members)
    return sorted(found)


def _written(timeout_ms: int | None) -> plan.Bound:
    assert timeout_ms is not None, "a rule refuses the step that leaves this out"
    return bounds.declared(timeout_ms)


def _reference(reference: document.Reference) -> plan.Reference:
    return {"root": reference.root, "name": reference.name, "path": list(reference.path)}


def _references(references: tuple[document.Reference, ...]) -> list[plan.Reference]:
    return [_reference(each) for each in references]


def _members(value: document.ObjectValue | None) -> dict[str, plan.Value]:
    return {} if value is None else {name: _value(member) for name, member in value.members.items()}


def _optional(value: document.Value | None) -> plan.Value | None:
    return None if value is None else _value(value)


def _value(value: document.Value) -> plan.Value:
    match value:
        case document.LiteralValue():
            return {"literal": value.literal}
        case document.ReferenceValue():
            return {"reference": _reference(value.reference)}
        case document.ObjectValue():
            return {"members": {name: _value(member) for name, member in value.members.items()}}
        case document.ListValue():
            return {"items": [_value(item) for item in value.items]}
