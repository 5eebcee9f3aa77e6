"""From the tree of a workflow to the document that `document.Workflow` checks."""

from collections.abc import Callable

from akm_specs.canonical import Json, JsonObject
from akmc.document import SCHEMA, Place
from akmc.lower_clauses import Clause, lower_clauses, of_word, of_words
from akmc.lower_types import lower_type, maximum
from akmc.lower_values import lower_constant, lower_reference, lower_value, scalar
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


def _step(lowering: Lowering, tree: Tree, place: Place) -> Json:
    (name,) = tree.words()
    (kind,) = tree.trees()
    lowering.mark((*place, "name"), name.span)
    step: JsonObject = {"name": name.text, **_SUBJECTS[kind.rule](lowering, kind, place)}
    clauses = [clause for clause in kind.trees() if clause.rule in _CLAUSES]
    return {**step, **lower_clauses(lowering, clauses, place, _CLAUSES)}


# What a step is about: the words between its kind and its block


def _naming(kind: str, member: str) -> Callable[[Lowering, Tree, Place], JsonObject]:
    """For a kind whose subject is a name."""

    def subject(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
        name, *_ = tree.words()
        lowering.mark((*place, member), name.span)
        return {"kind": kind, member: name.text}

    return subject


def _artifacts_gate(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    artifacts, *_ = tree.trees()
    return {"kind": "gate", "artifacts": of_words(text)(lowering, artifacts, (*place, "artifacts"))}


def _schema_gate(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    reference, type_tree, *_ = tree.trees()
    value = lower_value(lowering, reference, (*place, "value"))
    return {"kind": "gate", "value": value, "type": lower_type(lowering, type_tree, (*place, "type"))}


def _approval(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    return {"kind": "approval"}


def _span(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    word, *_ = tree.words()
    lowering.mark((*place, "span_ms"), word.span)
    return {"kind": "wait", "span_ms": span_ms(lowering, word)}


def _route(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    reference, *_ = tree.trees()
    return {"kind": "route", "value": lower_reference(lowering, reference, (*place, "value"))}


# What a step states in its block


def _references(lowering: Lowering, tree: Tree, place: Place) -> Json:
    return [lower_reference(lowering, child, (*place, at)) for at, child in enumerate(tree.trees())]


def _type(lowering: Lowering, tree: Tree, place: Place) -> Json:
    (child,) = tree.trees()
    return lower_type(lowering, child, place)


def _with(lowering: Lowering, tree: Tree, place: Place) -> Json:
    (child,) = tree.trees()
    return lower_value(lowering, child, place)


def _transition(lowering: Lowering, tree: Tree, place: Place) -> Json:
    outcome, target = tree.words()
    lowering.mark((*place, "outcome"), outcome.span)
    return {"outcome": outcome.text, **_target(lowering, tree, target, place)}


def _branch(lowering: Lowering, tree: Tree, place: Place) -> Json:
    value, *_ = tree.children
    *_, target = tree.words()
    lowering.mark((*place, "when"), value.span)
    return {"when": scalar(lowering, value), **_target(lowering, tree, target, place)}


def _otherwise(lowering: Lowering, tree: Tree, place: Place) -> Json:
    (target,) = tree.words()
    return {"when": None, **_target(lowering, tree, target, place)}


def _target(lowering: Lowering, tree: Tree, target: Word, place: Place) -> JsonObject:
    lowering.mark((*place, "target"), target.span)
    most = maximum(lowering, tree)
    return {"target": target.text} if most is None else {"target": target.text, "maximum": most}


def _retry(lowering: Lowering, tree: Tree, place: Place) -> Json:
    count, *reasons = tree.words()
    lowering.mark((*place, "count"), count.span)
    for at, reason in enumerate(reasons):
        lowering.mark((*place, "on", at), reason.span)
    return {"count": integer(lowering, count), "on": [reason.text for reason in reasons]}


def _exit(lowering: Lowering, tree: Tree, place: Place) -> Json:
    code, outcome = tree.words()
    lowering.mark((*place, "code"), code.span)
    lowering.mark((*place, "outcome"), outcome.span)
    return {"code": integer(lowering, code), "outcome": outcome.text}


def _evidence(lowering: Lowering, tree: Tree, place: Place) -> Json:
    name, kind = tree.words()
    lowering.mark((*place, "name"), name.span)
    lowering.mark((*place, "kind"), kind.span)
    return {"name": name.text, "kind": kind.text}


_PARTS = {
    "param": Clause("params", _param, often=True),
    "limits": Clause("limits", _limits),
    "step": Clause("steps", _step, often=True),
}

_LIMITS = {
    "transitions": Clause("transitions", of_word(integer)),
    "duration": Clause("duration_ms", of_word(span_ms)),
    "units": Clause("units", of_word(integer)),
    "tokens": Clause("tokens", of_word(integer)),
    "cost": Clause("cost_microdollars", of_word(microdollars)),
}

_SUBJECTS = {
    "exec": _naming("exec", "tool"),
    "tool_gate": _naming("gate", "tool"),
    "artifacts_gate": _artifacts_gate,
    "schema_gate": _schema_gate,
    "agent_step": _naming("agent", "agent"),
    "approval": _approval,
    "signal": _naming("wait", "signal"),
    "span": _span,
    "route": _route,
}

_CLAUSES = {
    "attempts": Clause("attempts", of_word(integer)),
    "timeout": Clause("timeout_ms", of_word(span_ms)),
    "on": Clause("on", _transition, often=True),
    "retry": Clause("retry", _retry),
    "recover": Clause("recoveries", of_word(integer)),
    "output": Clause("output", _type),
    "evidence": Clause("evidence", _evidence, often=True),
    "with": Clause("input", _with),
    "exit": Clause("exits", _exit, often=True),
    "expect": Clause("expect", of_word(text)),
    "prompt": Clause("prompt", of_word(text)),
    "reads": Clause("reads", _references),
    "by": Clause("by", of_words(text)),
    "when": Clause("branches", _branch, often=True),
    "otherwise": Clause("branches", _otherwise, often=True),
}
