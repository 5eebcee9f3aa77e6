"""References in a workflow: where they stand, what they mean, and what type they have."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from akm_specs.canonical import JsonObject
from akm_specs.plan import VERDICT
from akmc.document import (
    ASSIGNMENTS_MAX,
    ITEMS_MAX,
    AgentStep,
    ApprovalStep,
    ChildStep,
    DeliverStep,
    ExecStep,
    GateStep,
    JudgeStep,
    ListValue,
    MapStep,
    ObjectValue,
    PanelStep,
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

#: The type that every value has.
ANY: JsonObject = {}


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
        yield from _of_kind(step, here)
        if step.skip is not None:
            yield Use(step.name, step.skip.value, (*here, "skip", "value"))


def _of_kind(step: Step, here: Place) -> Iterator[Use]:
    match step:
        case ExecStep() | ChildStep() | DeliverStep():
            yield from _in_value(step.name, step.input, (*here, "input"))
        case GateStep():
            yield from _in_value(step.name, step.input, (*here, "input"))
            yield from _in_value(step.name, step.value, (*here, "value"), may_be_absent=True)
        case AgentStep() | PanelStep():
            yield from _read(step, here, may_be_absent=True)
        case ApprovalStep():
            yield from _read(step, here)
        case MapStep():
            yield over_of(step, here)
            yield from _in_value(step.name, step.input, (*here, "input"))
            yield from _read(step, here, may_be_absent=True)
        case JudgeStep():
            if step.of is not None:
                yield Use(step.name, step.of, (*here, "of"))
        case RouteStep():
            yield value_of(step, here)
        case WaitStep():
            pass


def _read(
    step: AgentStep | PanelStep | MapStep | ApprovalStep, here: Place, *, may_be_absent: bool = False
) -> Iterator[Use]:
    for at, reference in enumerate(step.reads):
        yield Use(step.name, reference, (*here, "reads", at), may_be_absent)


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
    """The type of what `step` leaves behind, if it has one."""
    match step:
        case ExecStep() | GateStep() | AgentStep() | WaitStep() | ChildStep():
            return step.output
        case PanelStep():
            return None if step.output is None else _list_of(step.output, _seats(step), nullable=True)
        case MapStep():
            return None if step.output is None else _reduced(step, step.output)
        case JudgeStep():
            return VERDICT
        case ApprovalStep() | RouteStep() | DeliverStep():
            return None


def _seats(step: PanelStep) -> int:
    """The most assignments of a panel, as `bounds` has it."""
    if step.assign is None:
        return ASSIGNMENTS_MAX
    return step.assign.maximum or step.assign.target or step.assign.minimum


def _reduced(step: MapStep, output: JsonObject) -> JsonObject:
    """What a map's reducer makes of outputs of that type. An item that failed and is tolerated leaves null."""
    if step.reducer == "vote":
        return output
    return _list_of(output, step.items or ITEMS_MAX, nullable=bool(step.tolerate))


def _list_of(item: JsonObject, most: int, *, nullable: bool) -> JsonObject:
    items: JsonObject = {"anyOf": [item, {"type": "null"}]} if nullable else item
    return {"type": "array", "items": items, "maxItems": most}


@dataclass(frozen=True, slots=True)
class Walk:
    """A reference followed through its declared type, as far as that has what the path names.

    `type` is the type reached; `followed` how many parts of the path lead there; `optional` the members
    on the way that may be absent, and the slots of a list that may be null.
    """

    type: JsonObject
    followed: int
    optional: tuple[str | int, ...]


def walk(view: View, use: Use) -> Walk | None:
    """A reference followed through its type; None where it has no declared type to begin with."""
    reference = use.reference
    reached = _root_type(view, use)
    if reached is None:
        return None
    optional: list[str | int] = []
    for followed, part in enumerate(reference.path):
        inner = _member(reached, part)
        if inner is None:
            return Walk(reached, followed, tuple(optional))
        if "anyOf" in reached and followed > 0:
            optional.append(reference.path[followed - 1])
        elif isinstance(part, str) and part not in (reached.get("required") or ()):
            optional.append(part)
        reached = inner
    return Walk(reached, len(reference.path), tuple(optional))


def value_of(step: RouteStep, place: Place = ()) -> Use:
    """The use of the value that a route looks at; `place` is the step's."""
    return Use(step.name, step.value, (*place, "value"))


def over_of(step: MapStep, place: Place = ()) -> Use:
    """The use of the list that a map goes over; `place` is the step's."""
    return Use(step.name, step.over, (*place, "over"))


def _root_type(view: View, use: Use) -> JsonObject | None:
    match use.reference.root:
        case "params":
            param = view.params.get(use.reference.name)
            return None if param is None else param.type
        case "output":
            step = view.steps.get(use.reference.name)
            return None if step is None else output_type(step)
        case "item":
            return _item_type(view, view.steps[use.step])


def _item_type(view: View, step: Step) -> JsonObject | None:
    """The type of the items that a map goes over, as far as its list's type tells."""
    if not isinstance(step, MapStep) or step.over.root == "item":
        return None
    over = walk(view, over_of(step))
    return None if over is None or over.followed < len(step.over.path) else _member(over.type, 0)


def _member(type_: JsonObject, part: str | int) -> JsonObject | None:
    """The type of a member of `type_`; anything, where that type says nothing of its members."""
    if "anyOf" in type_:
        type_ = type_["anyOf"][0]  # a slot of a list that may be null
    if isinstance(part, int):
        may_be = type_.get("type", "array") == "array" and part < type_.get("maxItems", part + 1)
        found = type_.get("items", ANY)
    else:
        may_be = type_.get("type", "object") == "object" and "enum" not in type_
        found = type_.get("properties", {}).get(part, type_.get("additionalProperties", ANY))
    if found is True:  # a schema that allows everything
        return ANY
    return found if may_be and isinstance(found, dict) else None


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
    heads = {"params": f"params.{reference.name}", "output": f"{reference.name}.output", "item": reference.name}
    head = heads[reference.root]
    path = reference.path if parts is None else reference.path[:parts]
    return head + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
