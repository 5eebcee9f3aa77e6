"""Freezing: a checked workflow and its registry become the plan, with every bound written out.

Only what the workflow uses is copied in, and nothing of where its source lay.
"""

from akm_specs import plan
from akm_specs.lifecycle import tables_hash
from akmc import bounds, document
from akmc.document import AgentStep, ApprovalStep, ExecStep, GateStep, RouteStep, Step, WaitStep
from akmc.scripts import pinned
from akmc.view import View, has_process


def freeze(view: View) -> plan.Plan:
    """The plan of a workflow in which no rule found an error."""
    steps = [_step(step, view) for step in view.workflow.steps]
    agents = sorted({step.agent for step in view.workflow.steps if isinstance(step, AgentStep)})
    tools = {tool.name: tool for step in view.workflow.steps if (tool := view.tool_of(step)) is not None}
    return {
        "schema": plan.SCHEMA,
        "workflow": view.workflow.name,
        "title": view.workflow.title,
        "lifecycles": tables_hash(),
        "parameters": [_parameter(param) for param in view.workflow.params],
        "limits": bounds.limits(view),
        "tools": {name: _tool(tool, view) for name, tool in sorted(tools.items())},
        "agents": {name: _agent(view.agents[name]) for name in agents},
        "steps": steps,
    }


def _parameter(param: document.Parameter) -> plan.Parameter:
    found: plan.Parameter = {"name": param.name, "type": param.type}
    if param.has_default:
        found["default"] = param.default
    return found


def _tool(tool: document.Tool, view: View) -> plan.Tool:
    return {
        "argv": list(tool.argv),
        "effect": bounds.effect(tool),
        "timeout_ms": bounds.tool_timeout_ms(tool),
        "output_bytes_max": bounds.output_bytes_max(tool),
        "receipt": None if tool.receipt is None else list(tool.receipt),
        "env": sorted(tool.env),
        "directory": tool.directory or bounds.DIRECTORY_DEFAULT,
        "scripts": pinned(tool, view.scripts),
    }


def _agent(agent: document.Agent) -> plan.Agent:
    return {"tool": agent.tool, "model": agent.model, "provider": agent.provider}


def _step(step: Step, view: View) -> plan.Step:
    match step:
        case ExecStep():
            return {
                **_work(step, view),
                "kind": "exec",
                "input": None if step.input is None else _value(step.input),
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
                "reads": [_reference(each) for each in step.reads],
            }
        case ApprovalStep():
            return {
                **_common(step, view),
                "kind": "approval",
                "by": _people(step, view),
                "reads": [_reference(each) for each in step.reads],
                "timeout_ms": _written(step.timeout_ms),
            }
        case WaitStep():
            return _wait(step, view)
        case RouteStep():
            return {**_common(step, view), "kind": "route", "value": _reference(step.value)}


def _gate(step: GateStep, view: View) -> plan.GateStep:
    expect = step.expect or bounds.EXPECT_DEFAULT
    if has_process(step):
        return {
            **_work(step, view),
            "kind": "gate",
            "check": "tool",
            "input": None if step.input is None else _value(step.input),
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
    return {
        "name": step.name,
        "attempts": bounds.attempts(step),
        "transitions": bounds.transitions(step, view.flow),
    }


def _work(step: ExecStep | GateStep | AgentStep, view: View) -> plan.WorkStep:
    tool = view.tool_of(step)
    assert tool is not None, f"no rule refused step {step.name}, whose tool is unknown"
    return {
        **_common(step, view),
        "tool": tool.name,
        "timeout_ms": bounds.timeout_ms(step, tool),
        "dispatch": bounds.dispatch(step, tool),
        "output": step.output,
        "evidence": {each.name: each.kind for each in step.evidence},
    }


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
