"""Freezing: a checked workflow and its registry become the plan, with every bound written out.

Only what the workflow uses is copied in, and nothing of where its source lay.
"""

from collections.abc import Iterator

from akm_specs import plan
from akm_specs.lifecycle import tables_hash
from akm_specs.nesting import bundle
from akmc import bounds, document, registry
from akmc.document import AtMost, Before, ChildStep, DeliverStep, NeverAfter, OnlyThrough
from akmc.freeze_steps import freeze_scope, freeze_step
from akmc.proof.worst import worst
from akmc.scripts import pinned
from akmc.view import View, agents_of


def freeze(view: View) -> plan.Plan:
    """The plan of a workflow in which no rule found an error."""
    body = _body(view)
    return {**body, "worst": worst(body)}


def _body(view: View) -> plan.PlanBody:
    steps = view.workflow.steps
    agents = sorted({name for step in steps for name in (*agents_of(step), view.judge_of(step)) if name})
    tools = {tool.name: tool for step in steps for tool in view.tools_of(step)}
    tools |= {tool.name: tool for name in agents if (tool := view.tool_of_agent(name)) is not None}
    repositories = sorted({name for step in steps if isinstance(step, DeliverStep) for name in step.repositories})
    found: plan.PlanBody = {
        "schema": plan.SCHEMA,
        "workflow": view.workflow.name,
        "title": view.workflow.title,
        "lifecycles": tables_hash(),
        "parameters": [_parameter(param) for param in view.workflow.params],
        "limits": bounds.limits(view),
        "tools": {name: _tool(tool, view) for name, tool in sorted(tools.items())},
        "agents": {name: _agent(view.agents[name]) for name in agents},
        "steps": [freeze_step(step, view) for step in steps],
    }
    if repositories:
        found["repositories"] = {name: _repository(view.repositories[name]) for name in repositories}
    if view.workflow.properties:
        found["properties"] = [freeze_property(each) for each in view.workflow.properties]
    if children := bundle(_children(view)):
        found["children"] = children
    return found


def _children(view: View) -> Iterator[tuple[str, plan.Plan]]:
    for step in view.workflow.steps:
        if isinstance(step, ChildStep):
            child = view.children[step.path]
            assert child.plan is not None, f"no rule refused step {step.name}, whose child has no plan"
            yield child.plan_hash, child.plan


def _parameter(param: document.Parameter) -> plan.Parameter:
    found: plan.Parameter = {"name": param.name, "type": param.type}
    if param.has_default:
        found["default"] = param.default
    return found


def _tool(tool: registry.Tool, view: View) -> plan.Tool:
    found: plan.Tool = {
        "argv": list(tool.argv),
        "effect": bounds.effect(tool),
        "timeout_ms": bounds.tool_timeout_ms(tool),
        "output_bytes_max": bounds.output_bytes_max(tool),
        "receipt": None if tool.receipt is None else list(tool.receipt),
        "env": sorted(tool.env),
        "directory": tool.directory or bounds.DIRECTORY_DEFAULT,
        "scripts": pinned(tool, view.scripts),
    }
    if tool.python is not None:
        found["python"] = tool.python
    if tool.reserved:
        found["reserved"] = True
    if tool.session:
        found["session"] = True
    if tool.rejects:
        found["rejects"] = {str(each.exit): each.code for each in tool.rejects}
    return found


def _agent(agent: registry.Agent) -> plan.Agent:
    found: plan.Agent = {"tool": agent.tool, "model": agent.model, "provider": agent.provider}
    if agent.scope is not None:
        found["scope"] = freeze_scope(agent.scope)
    return found


def _repository(repository: registry.Repository) -> plan.Repository:
    assert repository.remote is not None, "a rule refuses the repository that leaves this out"
    return {"directory": repository.directory or bounds.DIRECTORY_DEFAULT, "remote": repository.remote}


def freeze_property(stated: document.Property) -> plan.Property:
    """The plan's property for `stated`."""
    match stated:
        case Before():
            return {"kind": "before", "first": stated.first, "step": stated.step}
        case AtMost():
            return {"kind": "at_most", "step": stated.step, "count": stated.count}
        case OnlyThrough():
            return {"kind": "only_through", "step": stated.step, "through": stated.through}
        case NeverAfter():
            return {"kind": "never_after", "step": stated.step, "after": stated.after}
