"""References in a workflow: where they stand, what they mean, and what type they have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from akm_specs.canonical import JsonObject
from akmc.document import (
    AgentStep,
    ApprovalStep,
    ExecStep,
    GateStep,
    ListValue,
    ObjectValue,
    Place,
    Reference,
    ReferenceValue,
    RouteStep,
    Step,
    Value,
    WaitStep,
    Workflow,
)
from akmc.view import View


@dataclass(frozen=True, slots=True)
class Use:
    """A reference that `step` makes. `may_be_absent`: an absent value is shown as null there, and harms nothing.

    That holds for what an agent reads and for what a schema gate looks at. A tool, a person's decision
    and a route need the value itself.
    """

    step: str
    reference: Reference
    place: Place
    may_be_absent: bool = False


def uses(workflow: Workflow) -> Iterator[Use]:
    """Every reference of `workflow`, in the order of its steps."""
    for at, step in enumerate(workflow.steps):
        here: Place = ("steps", at)
        match step:
            case ExecStep():
                yield from _in_value(step.name, step.input, (*here, "input"))
            case GateStep():
                yield from _in_value(step.name, step.input, (*here, "input"))
                yield from _in_value(step.name, step.value, (*here, "value"), may_be_absent=True)
            case AgentStep() | ApprovalStep():
                for index, reference in enumerate(step.reads):
                    lenient = isinstance(step, AgentStep)
                    yield Use(step.name, reference, (*here, "reads", index), may_be_absent=lenient)
            case RouteStep():
                yield Use(step.name, step.value, (*here, "value"))
            case WaitStep():
                pass


def _in_value(step: str, value: Value | None, place: Place, *, may_be_absent: bool = False) -> Iterator[Use]:
    match value:
        case ReferenceValue():
            yield Use(step, value.reference, (*place, "reference"), may_be_absent)
        case ObjectValue():
            for name, member in value.members.items():
                yield from _in_value(step, member, (*place, "members", name), may_be_absent=may_be_absent)
        case ListValue():
            for index, item in enumerate(value.items):
                yield from _in_value(step, item, (*place, "items", index), may_be_absent=may_be_absent)


def output_type(step: Step) -> JsonObject | None:
    """The declared type of what `step` leaves behind, if it has one."""
    return step.output if isinstance(step, ExecStep | GateStep | AgentStep | WaitStep) else None


@dataclass(frozen=True, slots=True)
class Walk:
    """A reference followed through its declared type, as far as that has what the path names.

    `type` is the type reached; `followed` how many parts of the path lead there; `optional` the members
    on the way that may be absent.
    """

    type: JsonObject
    followed: int
    optional: tuple[str, ...]


def walk(view: View, reference: Reference) -> Walk | None:
    """`reference` followed through its type; None where it has no declared type to begin with."""
    if reference.root == "params":
        param = view.params.get(reference.name)
        reached = None if param is None else param.type
    else:
        step = view.steps.get(reference.name)
        reached = None if step is None else output_type(step)
    if reached is None:
        return None
    optional: list[str] = []
    for followed, part in enumerate(reference.path):
        inner = _member(reached, part)
        if inner is None:
            return Walk(reached, followed, tuple(optional))
        required: Any = reached.get("required")
        if isinstance(part, str) and part not in (required or ()):
            optional.append(part)
        reached = inner
    return Walk(reached, len(reference.path), tuple(optional))


def _member(type_: JsonObject, part: str | int) -> JsonObject | None:
    if isinstance(part, str):
        found = type_.get("properties", {}).get(part)
    else:
        found = type_.get("items") if part < type_.get("maxItems", part + 1) else None
    return found if isinstance(found, dict) else None


def values_of(type_: JsonObject) -> Sequence[str | int | bool] | None:
    """Every value of a type that has only a few, by name; None for any other type."""
    if type_.get("type") == "boolean":
        return (True, False)
    named = type_.get("enum")
    if isinstance(named, list) and all(isinstance(value, str | int) for value in named):
        return named
    return None


def text(reference: Reference, parts: int | None = None) -> str:
    """`reference` as the author wrote it, up to the given number of parts of its path."""
    head = f"params.{reference.name}" if reference.root == "params" else f"{reference.name}.output"
    path = reference.path if parts is None else reference.path[:parts]
    return head + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
