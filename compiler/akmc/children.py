"""Child workflows: sources that a workflow names, compiled to plans of their own.

A plan pins its children by hash. How deep they nest is bounded, and a workflow that would run itself is
refused: both are found while reading, before anything is frozen.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast

from akm_specs.canonical import JsonObject
from akm_specs.nesting import DEPTH_MAX
from akm_specs.plan import Plan, Step
from akmc.diagnostic import CompileFailed, Diagnostic
from akmc.document import ChildStep, Place, Workflow
from akmc.source import Source, SourceUnreadable
from akmc.written_path import is_absolute

#: Why a child has no plan. What is wrong inside of one that is `refused`, its own findings tell.
Fault: TypeAlias = Literal["unreadable", "cycle", "too_deep", "refused"]


@dataclass(frozen=True, slots=True)
class Child:
    """What became of a child's source: its plan, or why there is none.

    `why` tells a person more; `findings` are the child's own, about its own source.
    """

    plan: Plan | None = None
    plan_hash: str = ""
    fault: Fault | None = None
    why: str = ""
    findings: tuple[Diagnostic, ...] = ()


#: Compiles a child: its source, and the real paths of those that it is nested in, outermost first.
Compile: TypeAlias = Callable[[Source, tuple[Path, ...]], tuple[Plan, str, tuple[Diagnostic, ...]]]


def read_children(
    workflow: Workflow, parent: str, nested_in: tuple[Path, ...], compile_: Compile
) -> dict[str, Child]:
    """Each child that `workflow`, whose source is at `parent`, names: path as written -> what became of it."""
    outer = (*nested_in, Path(parent).resolve())
    return {path: _child(parent, path, outer, compile_) for path in _paths(workflow)}


def faults(
    workflow: Workflow, children: Mapping[str, Child], fault: Fault
) -> Iterator[tuple[Place, ChildStep, Child]]:
    """The steps of `workflow` whose child has that fault, each with the place of its path."""
    for at, step in enumerate(workflow.steps):
        if isinstance(step, ChildStep) and children[step.path].fault == fault:
            yield ("steps", at, "path"), step, children[step.path]


def called(workflow: Workflow, children: Mapping[str, Child]) -> Iterator[tuple[Place, ChildStep, Plan]]:
    """The steps of `workflow` whose child has a plan, each with its own place."""
    for at, step in enumerate(workflow.steps):
        plan = children[step.path].plan if isinstance(step, ChildStep) else None
        if isinstance(step, ChildStep) and plan is not None:
            yield ("steps", at), step, plan


def outputs_of(plan: Plan) -> dict[str, JsonObject]:
    """The types of what the steps of `plan` leave behind, by step."""
    typed = {step["name"]: _output_type(step) for step in plan["steps"]}
    return {name: type_ for name, type_ in typed.items() if type_ is not None}


def _output_type(step: Step) -> JsonObject | None:
    output = cast(JsonObject | None, step.get("output"))
    if output is None or step["kind"] not in ("panel", "map"):
        return output
    if step["kind"] == "map" and step["reducer"] == "vote":
        return output
    return {"type": "array", "items": {"anyOf": [output, {"type": "null"}]}}


def _paths(workflow: Workflow) -> Iterator[str]:
    return (step.path for step in workflow.steps if isinstance(step, ChildStep))


def _child(parent: str, written: str, outer: tuple[Path, ...], compile_: Compile) -> Child:
    if is_absolute(written):
        return Child(fault="unreadable", why="an absolute path means another file on every machine")
    path = Path(parent).parent / written
    try:
        if path.resolve() in outer:
            circle = (*outer[outer.index(path.resolve()) :], path.resolve())
            return Child(fault="cycle", why=" -> ".join(each.name for each in circle))
        if len(outer) >= DEPTH_MAX:
            return Child(fault="too_deep", why=str(DEPTH_MAX))
        source = Source.read(path)
    except SourceUnreadable as error:
        return Child(fault="unreadable", why=error.reason)
    except (OSError, RuntimeError, ValueError) as error:  # a path that cannot be one, or a ring of links
        return Child(fault="unreadable", why=str(error))
    try:
        plan, plan_hash, warnings = compile_(source, outer)
    except CompileFailed as failed:
        return Child(fault="refused", findings=failed.diagnostics)
    return Child(plan, plan_hash, findings=warnings)
