"""An output that a child workflow does not have."""

from collections.abc import Iterator

from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan
from akmc.children import called, outputs_of
from akmc.clash import clash
from akmc.document import ChildStep, Place
from akmc.rules.rule import Finding, Rule
from akmc.view import View
from akmc.wording import instead_of


def check(view: View) -> Iterator[Finding]:
    """Fields of a child step's output that are no steps of the child with such an output."""
    for place, step, plan in called(view.workflow, view.children):
        if step.output is not None:
            yield from _fields(step, step.output, plan, (*place, "output"))


def _fields(step: ChildStep, output: JsonObject, plan: Plan, place: Place) -> Iterator[Finding]:
    fields: JsonObject | None = output.get("properties")
    if fields is None:
        message = f"step `{step.name}`: a child's output is an object with outputs of its steps"
        yield Finding(place, message, "write `output { STEP: TYPE }`")
        return
    outputs = outputs_of(plan)
    for name, wanted in fields.items():
        if name not in outputs:
            message = f"step `{step.name}`: the workflow `{plan['workflow']}` has no step `{name}` with an output"
            yield Finding((*place, "properties", name), message, instead_of(name, outputs, "outputs"))
        elif (reason := clash(outputs[name], wanted)) is not None:
            message = f"step `{step.name}`: the output of the child's `{name}` is never of this type: {reason}"
            yield Finding((*place, "properties", name), message, "write the type that the child declares")


RULE = Rule(
    code="AKM2030",
    title="A child has no such output",
    explanation=(
        "What a child leaves behind is what its steps put out. `output` picks some of it, by the names of the "
        "child's steps and with types that fit theirs."
    ),
    wrong="""\
workflow release "Build elsewhere" {
  step build: workflow "child.akm" {
    output { biuld: { wheel: file } }
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    right="""\
workflow release "Build elsewhere" {
  step build: workflow "child.akm" {
    output { build: { wheel: file } }
    on completed -> completed
    on cancelled -> cancelled
  }
}
""",
    child="""\
workflow child "Build" {
  step build: exec build {
    output { wheel: file }
    on passed -> completed
  }
}
""",
    check=check,
)
