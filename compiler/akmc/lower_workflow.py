"""From the tree of a workflow to the document that `document.Workflow` checks."""

from akm_specs.canonical import Json, JsonObject
from akmc.document import SCHEMA, Place
from akmc.lower_clauses import Clause, lower_clauses, of_names, of_word
from akmc.lower_steps import lower_step
from akmc.lower_types import lower_type
from akmc.lower_values import lower_constant
from akmc.lower_words import integer, microdollars, span_ms, text
from akmc.lowered import Lowered, Lowering
from akmc.syntax import Parsed, Tree, Word


def lower_workflow(parsed: Parsed) -> Lowered:
    """The document of a workflow. Raises CompileFailed."""
    assert parsed.kind == "workflow", parsed.kind
    lowering = Lowering(parsed.source)
    name, title = parsed.tree.words()
    lowering.mark((), parsed.tree.span)
    lowering.mark(("name",), name.span)
    lowering.mark(("title",), title.span)
    parts = lower_clauses(lowering, parsed.tree.trees(), (), _PARTS)
    head = {"schema": SCHEMA, "name": name.text, "title": text(lowering, title)}
    return lowering.finish({**head, "steps": [], **parts})


def _param(lowering: Lowering, tree: Tree, place: Place) -> Json:
    name, type_tree, *default = tree.children
    assert isinstance(name, Word), "a parameter begins with its name"
    assert isinstance(type_tree, Tree), "a parameter has a type"
    lowering.mark((*place, "name"), name.span)
    param: JsonObject = {"name": name.text, "type": lower_type(lowering, type_tree, (*place, "type"))}
    for node in default:
        lowering.mark((*place, "default"), node.span)
        param |= {"default": lower_constant(lowering, node), "has_default": True}
    return param


def _limits(lowering: Lowering, tree: Tree, place: Place) -> Json:
    return lower_clauses(lowering, tree.trees(), place, _LIMITS)


def _at_most(lowering: Lowering, tree: Tree, place: Place) -> Json:
    step, count = tree.words()
    lowering.mark((*place, "step"), step.span)
    lowering.mark((*place, "count"), count.span)
    return {"kind": "at_most", "step": step.text, "count": integer(lowering, count)}


_PARTS = {
    "param": Clause("params", _param, often=True),
    "limits": Clause("limits", _limits),
    "step": Clause("steps", lower_step, often=True),
    "before": Clause("properties", of_names("before", "first", "step"), often=True),
    "at_most": Clause("properties", _at_most, often=True),
    "only_through": Clause("properties", of_names("only_through", "step", "through"), often=True),
    "never_after": Clause("properties", of_names("never_after", "step", "after"), often=True),
}

_LIMITS = {
    "transitions": Clause("transitions", of_word(integer)),
    "duration": Clause("duration_ms", of_word(span_ms)),
    "agent_time": Clause("agent_time_ms", of_word(span_ms)),
    "units": Clause("units", of_word(integer)),
    "tokens": Clause("tokens", of_word(integer)),
    "cost": Clause("cost_microdollars", of_word(microdollars)),
}
