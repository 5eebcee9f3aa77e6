"""What is read as a document or a plan is what the published schema says, and every fault of it is told."""

import contextlib
import copy
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_specs.canonical import Json, JsonObject
from akm_specs.plan import Plan
from akm_specs.reader import Fault, Place, read
from akm_specs.types import violation
from akmc.diagnostic import CompileFailed
from akmc.document import STEPS_MAX, LiteralValue, ObjectValue, Reference, Workflow
from akmc.lower_workflow import lower_workflow
from akmc.parse import parse
from akmc.pipeline import compile_workflow
from akmc.rules import all_rules
from akmc.schemas import document_schema, plan_schema
from akmc.source import Source

SCHEMA = document_schema()
PLAN_SCHEMA = plan_schema()
#: What is promised here is not time, which a busy machine has less of.
unhurried = settings(deadline=None)

VALUES: st.SearchStrategy[Json] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 400),
    st.sampled_from(["", "a", "a-b", "1a", "a\n", "exec", "gate", "passed", "a" * 65]),
    st.just([]),
    st.just({}),
    st.just({"literal": 1}),
    st.just({"members": {"a": {"items": [{"literal": None}]}}}),
    st.just({"root": "params", "name": "a", "path": ["b", 0]}),
)


def documents() -> list[JsonObject]:
    """The documents of all right examples that are workflows."""
    examples = [rule.right for rule in all_rules() if rule.language == "akm"]
    parsed = [parse(Source("a.akm", text)) for text in examples]
    return [lower_workflow(each).document for each in parsed if each.kind == "workflow"]


def plans() -> list[Plan]:
    """The plans of all right examples that need no other file."""
    found = []
    for rule in all_rules():
        if rule.language == "akm" and rule.right.startswith("workflow "):
            registry = None if rule.registry is None else Source("registry.akm", rule.registry)
            with contextlib.suppress(CompileFailed):
                found.append(compile_workflow(Source("a.akm", rule.right), registry).plan)
    assert found
    return found


DOCUMENTS = documents()
PLANS = plans()


def places(value: Any, place: Place = ()) -> list[Place]:
    """The way to every part of `value`, the whole first."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place, *(inner for key, each in parts for inner in places(each, (*place, key)))]


def faults_of(document: Json) -> list[Fault]:
    return read(Workflow, document)[1]


@st.composite
def changed(draw: st.DrawFn, wholes: Sequence[Any]) -> JsonObject:
    """One of `wholes` with a few of its parts replaced, removed or added to."""
    document: JsonObject = copy.deepcopy(draw(st.sampled_from(wholes)))
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from([place for place in places(document) if place]))
        holder: Any = document
        for part in way:
            holder = holder[part]
        match draw(st.sampled_from(["replace", "remove", "add"])):
            case "replace":
                holder[last] = copy.deepcopy(draw(VALUES))
            case "remove":
                del holder[last]
            case "add" if isinstance(holder, dict):
                name = draw(st.sampled_from(["name", "kind", "maximum", "timeout_ms", "other"]))
                holder[name] = copy.deepcopy(draw(VALUES))
    return document


@pytest.mark.parametrize("document", DOCUMENTS)
def test_a_document_has_no_fault(document: JsonObject) -> None:
    assert not faults_of(document)
    assert violation(SCHEMA, document) is None


@unhurried
@given(changed(DOCUMENTS))
def test_what_is_read_without_a_fault_is_what_the_published_schema_allows(document: JsonObject) -> None:
    assert (violation(SCHEMA, document) is None) == (not faults_of(document))


@pytest.mark.parametrize("plan", PLANS)
def test_a_plan_has_no_fault_and_is_read_as_it_is(plan: Plan) -> None:
    assert read(Plan, dict(plan)) == (plan, [])


@unhurried
@given(changed(PLANS))
def test_a_plan_is_read_without_a_fault_if_the_published_schema_allows_it(plan: JsonObject) -> None:
    schema = {**PLAN_SCHEMA, "properties": {**PLAN_SCHEMA["properties"], "schema": {"type": "string"}}}
    assert (violation(schema, plan) is None) == (not read(Plan, plan)[1])


@given(st.recursive(VALUES, lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=8), inner)))
def test_any_json_is_read_or_refused(document: Json) -> None:
    assert bool(faults_of(document)) == (violation(SCHEMA, document) is not None)


def test_every_fault_is_told_at_its_place() -> None:
    step = {
        "kind": "exec",
        "name": "1",
        "tool": "t",
        "attempts": 0,
        "timeout_ms": True,
        "other": 1,
        "on": [{"outcome": "a"}],
    }
    found = faults_of({"schema": "akm.document.v2", "title": "", "steps": [step, {"kind": "none"}, {}]})
    assert {(fault.kind, fault.place) for fault in found} == {
        ("word", ("schema",)),
        ("missing", ("name",)),
        ("form", ("steps", 0, "name")),
        ("small", ("steps", 0, "attempts")),
        ("form", ("steps", 0, "timeout_ms")),
        ("unknown", ("steps", 0, "other")),
        ("missing", ("steps", 0, "on", 0, "target")),
        ("word", ("steps", 1, "kind")),
        ("missing", ("steps", 2, "kind")),
    }


def test_a_list_that_is_too_long_is_looked_at_no_further() -> None:
    found = faults_of({"schema": "akm.document.v1", "name": "w", "title": "", "steps": [1] * (STEPS_MAX + 1)})
    assert [(fault.kind, fault.limit) for fault in found] == [("long", STEPS_MAX)]


def test_a_node_has_its_defaults_and_does_not_change() -> None:
    reference = Reference(root="params", name="a")
    assert reference.path == ()
    assert reference == Reference(root="params", name="a", path=())
    assert reference != Reference(root="params", name="b")
    assert LiteralValue(literal=None) != ObjectValue(members={})
    with pytest.raises(AttributeError):
        reference.name = "b"  # type: ignore[misc]  # what must not be done
    for wrong in ({"root": "params"}, {"root": "params", "name": "a", "other": 1}):
        with pytest.raises(AssertionError):
            Reference(**wrong)
