"""A value that can never be of the type that is wanted."""

from collections.abc import Iterator

from akm_specs.canonical import JsonObject
from akmc.children import called
from akmc.clash import clash
from akmc.document import DeliverStep, ListValue, LiteralValue, ObjectValue, Place, ReferenceValue, Value
from akmc.references import Use, walk
from akmc.rules.rule import Finding, Rule
from akmc.types import mismatch
from akmc.view import View

#: A commit, as git spells it out.
COMMIT: JsonObject = {"type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$"}


def check(view: View) -> Iterator[Finding]:
    """What children are given, which commits are delivered, and what a `skip` compares."""
    for place, step, plan in called(view.workflow, view.children):
        wanted = {param["name"]: param["type"] for param in plan["parameters"]}
        yield from _members(view, step.name, step.input, wanted, (*place, "input"))
    for at, each in enumerate(view.workflow.steps):
        if isinstance(each, DeliverStep):
            commits = dict.fromkeys(each.repositories, COMMIT)
            yield from _members(view, each.name, each.input, commits, ("steps", at, "input"))
        if each.skip is not None:
            place = ("steps", at, "skip")
            type_ = _referred(view, Use(each.name, each.skip.value, (*place, "value")))
            reason = mismatch(type_, each.skip.equals)
            if reason is not None:
                message = f"step `{each.name}`: the value can never be equal to this: {reason}"
                yield Finding((*place, "equals"), message, "write a value that it can have")


def _members(
    view: View, step: str, given: ObjectValue | None, wanted: dict[str, JsonObject], place: Place
) -> Iterator[Finding]:
    for name, value in ({} if given is None else given.members).items():
        inner = (*place, "members", name)
        reason = clash(_type(view, step, value, inner), wanted.get(name, {}))
        if reason is not None:
            message = f"step `{step}`: `{name}` is given what it cannot be: {reason}"
            yield Finding(inner, message, "write a value of its type")


def _type(view: View, step: str, value: Value, place: Place) -> JsonObject:
    """The type of `value`, as narrow as it is known."""
    match value:
        case LiteralValue():
            return {"enum": [value.literal]}
        case ReferenceValue():
            return _referred(view, Use(step, value.reference, place))
        case ObjectValue():
            fields = {name: _type(view, step, each, place) for name, each in value.members.items()}
            return {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
        case ListValue():
            items = [_type(view, step, each, place) for each in value.items]
            each_of = {"items": {"anyOf": items}} if items else {}
            return {"type": "array", "minItems": len(items), "maxItems": len(items), **each_of}


def _referred(view: View, use: Use) -> JsonObject:
    found = walk(view, use)
    return {} if found is None or found.followed < len(use.reference.path) else found.type


RULE = Rule(
    code="AKM4023",
    title="A value has the wrong type",
    explanation=(
        "What a child workflow is given fits its parameters' types, a commit is spelt out in 40 or 64 hexadecimal "
        "digits, and a `skip` compares with a value that its reference can have. Only what can never fit is an "
        "error; the run checks the rest."
    ),
    wrong="""\
workflow release "Test elsewhere" {
  step test: workflow "child.akm" {
    with { jobs: "many" }
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    right="""\
workflow release "Test elsewhere" {
  step test: workflow "child.akm" {
    with { jobs: 4 }
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    child="""\
workflow child "Test" {
  param jobs: int 1..16
  step test: gate check {
    with { jobs: params.jobs }
    on passed -> completed
  }
}
""",
    check=check,
)
