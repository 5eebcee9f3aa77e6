"""How a workflow is written: parameters, budgets, steps, and what must hold."""

from collections.abc import Iterator

from akmc.document import AtMost, Before, Limits, NeverAfter, OnlyThrough, Parameter, Property, Workflow
from akmc.write.steps import step_lines
from akmc.write.types import type_text
from akmc.write.words import block, constant, money, span, string


def workflow_lines(workflow: Workflow) -> Iterator[str]:
    """The workflow, as lines."""
    return block(f"workflow {workflow.name} {string(workflow.title)}", _parts(workflow))


def _parts(workflow: Workflow) -> Iterator[str]:
    for param in workflow.params:
        yield _param(param)
    if workflow.limits != Limits():
        yield ""
        yield from block("limits", _limits(workflow.limits))
    for step in workflow.steps:
        yield ""
        yield from step_lines(step)
    if workflow.properties:
        yield ""
    yield from map(_property, workflow.properties)


def _param(param: Parameter) -> str:
    default = f" = {constant(param.default)}" if param.has_default else ""
    return f"param {param.name}: {type_text(param.type)}{default}"


def _limits(limits: Limits) -> Iterator[str]:
    if limits.transitions is not None:
        yield f"transitions {limits.transitions}"
    if limits.duration_ms is not None:
        yield f"duration {span(limits.duration_ms)}"
    if limits.agent_time_ms is not None:
        yield f"agent_time {span(limits.agent_time_ms)}"
    if limits.units is not None:
        yield f"units {limits.units}"
    if limits.tokens is not None:
        yield f"tokens {limits.tokens}"
    if limits.cost_microdollars is not None:
        yield f"cost {money(limits.cost_microdollars)}"


def _property(written: Property) -> str:
    match written:
        case Before():
            return f"require {written.first} before {written.step}"
        case AtMost():
            return f"require {written.step} at most {written.count}"
        case OnlyThrough():
            return f"require {written.step} reaches completed only through {written.through}"
        case NeverAfter():
            return f"never {written.step} after {written.after}"
