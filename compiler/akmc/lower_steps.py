"""From the tree of a step to its document: what each kind is about, and what each clause states."""

from collections.abc import Callable

from akm_specs.canonical import Json, JsonObject
from akmc.document import Place
from akmc.lower_clauses import Clause, lower_clauses, of_word, of_words, said
from akmc.lower_scope import lower_scope
from akmc.lower_types import lower_type, maximum
from akmc.lower_values import lower_constant, lower_reference, lower_value, scalar
from akmc.lower_words import integer, span_ms, text
from akmc.lowered import Lowering
from akmc.syntax import Tree, Word


def lower_step(lowering: Lowering, tree: Tree, place: Place) -> Json:
    """The document of one step, whatever its kind."""
    (name,) = tree.words()
    (kind,) = tree.trees()
    lowering.mark((*place, "name"), name.span)
    lowering.item = None  # the item of an earlier map means nothing here
    step: JsonObject = {"name": name.text, **_SUBJECTS[kind.rule](lowering, kind, place)}
    clauses = [clause for clause in kind.trees() if clause.rule in _CLAUSES]
    lowering.item = step.get("item")
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


def _only(kind: str) -> Callable[[Lowering, Tree, Place], JsonObject]:
    """For a kind that stands alone."""
    return lambda lowering, tree, place: {"kind": kind}


def _span(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    word, *_ = tree.words()
    lowering.mark((*place, "span_ms"), word.span)
    return {"kind": "wait", "span_ms": span_ms(lowering, word)}


def _route(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    reference, *_ = tree.trees()
    return {"kind": "route", "value": lower_reference(lowering, reference, (*place, "value"))}


def _map(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    item, *_ = tree.words()
    over, *_ = tree.trees()
    lowering.mark((*place, "item"), item.span)
    return {"kind": "map", "item": item.text, "over": lower_reference(lowering, over, (*place, "over"))}


def _child(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    path, *_ = tree.words()
    lowering.mark((*place, "path"), path.span)
    return {"kind": "workflow", "path": text(lowering, path)}


def _deliver(lowering: Lowering, tree: Tree, place: Place) -> JsonObject:
    repositories, *_ = tree.trees()
    return {"kind": "deliver", "repositories": of_words(text)(lowering, repositories, (*place, "repositories"))}


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
    stated = lower_clauses(lowering, tree.trees(), place, _EVIDENCE)
    return {"name": name.text, "kind": kind.text, **stated}


def _assign(lowering: Lowering, tree: Tree, place: Place) -> Json:
    minimum, *target = tree.words()
    pool, *clauses = tree.trees()
    found: JsonObject = {"minimum": integer(lowering, minimum)}
    lowering.mark((*place, "minimum"), minimum.span)
    for word in target:
        lowering.mark((*place, "target"), word.span)
        found["target"] = integer(lowering, word)
    found["agents"] = of_words(text)(lowering, pool, (*place, "agents"))
    return {**found, **lower_clauses(lowering, clauses, place, _ASSIGN)}


def _join(lowering: Lowering, tree: Tree, place: Place) -> Json:
    strategy, *passed = tree.words()
    lowering.mark((*place, "strategy"), strategy.span)
    found: JsonObject = {"strategy": strategy.text}
    for word in passed:
        lowering.mark((*place, "passed"), word.span)
        found["passed"] = integer(lowering, word)
    return {**found, **lower_clauses(lowering, tree.trees(), place, _JOIN)}


def _step_gate(lowering: Lowering, tree: Tree, place: Place) -> Json:
    return lower_clauses(lowering, tree.trees(), place, _STEP_GATE)


def _skip(lowering: Lowering, tree: Tree, place: Place) -> Json:
    reference, constant = tree.children
    assert isinstance(reference, Tree), "what is compared is a reference"
    item, lowering.item = lowering.item, None  # a map is skipped as a whole, before there is any item
    value = lower_reference(lowering, reference, (*place, "value"))
    lowering.item = item
    lowering.mark((*place, "equals"), constant.span)
    return {"value": value, "equals": lower_constant(lowering, constant)}


def _of(lowering: Lowering, tree: Tree, place: Place) -> Json:
    (reference,) = tree.trees()
    return lower_reference(lowering, reference, place)


_SUBJECTS = {
    "exec": _naming("exec", "tool"),
    "tool_gate": _naming("gate", "tool"),
    "artifacts_gate": _artifacts_gate,
    "schema_gate": _schema_gate,
    "agent_step": _naming("agent", "agent"),
    "approval": _only("approval"),
    "signal": _naming("wait", "signal"),
    "span": _span,
    "route": _route,
    "panel": _only("panel"),
    "map": _map,
    "judge": _naming("judge", "agent"),
    "child": _child,
    "deliver": _deliver,
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
    "requires": Clause("requires", of_words(text)),
    "step_gate": Clause("gate", _step_gate),
    "skip": Clause("skip", _skip),
    "isolation": Clause("isolation", of_word(text)),
    "scope": Clause("scope", lower_scope),
    "assign": Clause("assign", _assign),
    "join": Clause("join", _join),
    "speculate": Clause("speculative", said),
    "run_tool": Clause("tool", of_word(text)),
    "run_agent": Clause("agent", of_word(text)),
    "parallel": Clause("parallel", of_word(integer)),
    "items": Clause("items", of_word(integer)),
    "tolerate": Clause("tolerate", of_word(integer)),
    "reduce": Clause("reducer", of_word(text)),
    "of": Clause("of", _of),
    "rubric": Clause("rubric", of_word(text)),
    "remediate": Clause("remediations", of_word(integer)),
}

_EVIDENCE = {
    "min": Clause("minimum", of_word(integer)),
    "eligible": Clause("eligible", of_words(text)),
    "producers": Clause("producers", of_word(integer)),
    "degraded": Clause("degraded", of_word(integer)),
    "reusable": Clause("reusable", said),
    "pin": Clause("pin", said),
}

_ASSIGN = {
    "maximum": Clause("maximum", of_word(integer)),
    "parallel": Clause("parallel", of_word(integer)),
    "assign_attempts": Clause("attempts", of_word(integer)),
    "distinct": Clause("distinct", of_words(text)),
}

_JOIN = {"then": Clause("remaining", of_word(text))}

_STEP_GATE = {
    "gate_judge": Clause("judge", of_word(text)),
    "rubric": Clause("rubric", of_word(text)),
    "max_loops": Clause("max_loops", of_word(integer)),
}
