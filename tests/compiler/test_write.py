"""A written document reads as the same document, whatever stands in it."""

import re
from datetime import timedelta
from functools import cache, partial
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from akm_specs.canonical import Json
from akm_specs.node import Matching, Node, Sized, Within, members_of
from akmc.document import (
    AgentStep,
    GateStep,
    LiteralValue,
    MapStep,
    ObjectValue,
    Parameter,
    Reference,
    ReferenceValue,
    Transition,
    WaitStep,
    Workflow,
)
from akmc.front_ends import lower_any, read
from akmc.lower_registry import lower_registry
from akmc.parse import parse
from akmc.registry import Registry
from akmc.shape import shaped
from akmc.source import Source
from akmc.surroundings import Surroundings
from akmc.write import write_registry, write_workflow
from akmc.write.words import prose, string

quickly = settings(
    deadline=timedelta(seconds=5),
    max_examples=120,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
)

texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30) | st.sampled_from(
    [
        "",
        '"',
        "\\",
        '"""',
        "a\nb",
        "  a\n  b\n",
        "a\n\n \nb",
        'ends with "',
        "x\\",
        "\ufeff",
        "\u2028",
        "tab\there\n",
        "\r\n",
    ]
)
names = st.from_regex(r"[A-Za-z][A-Za-z0-9_]{0,5}(-[a-z0-9]{1,3})?", fullmatch=True)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts
)
json_values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3), max_leaves=6
)
schemas = st.dictionaries(texts, json_values, max_size=3) | st.sampled_from(
    [
        {},
        {"type": "string"},
        {"type": "string", "pattern": '^"\\d+$', "maxLength": 3},
        {"type": "string", "format": "akm-file"},
        {"type": "integer", "minimum": -1, "maximum": 4},
        {"type": "array", "items": {"type": "number"}, "maxItems": 10_000},
        {"type": "array", "items": {"enum": ["a", "b"]}, "maxItems": 2},
        {"enum": ["a", "a"]},
        {"enum": ["a", 1]},
        {
            "type": "object",
            "properties": {"b": {"type": "boolean"}, "a": {}},
            "required": ["b"],
            "additionalProperties": False,
        },
        {"type": "object", "properties": {}, "required": ["b"], "additionalProperties": False},
    ]
)


#: What a map calls its item; nothing else is called so here.
ITEM = "item_of"
#: Values of nodes that their annotations do not say all about.
SPECIAL: dict[Any, st.SearchStrategy[Any]] = {}


@cache
def values(type_: Any) -> st.SearchStrategy[Any]:
    """Values of a type as the annotations of a node write it."""
    origin, arguments = get_origin(type_), get_args(type_)
    if type_ in SPECIAL:
        return SPECIAL[type_]
    if type_ == Json:
        return json_values
    if origin is Annotated:
        return limited(arguments[0], arguments[1:])
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (Union, UnionType):
        return st.one_of([values(each) for each in arguments])
    if origin is tuple:
        return st.lists(values(arguments[0]), max_size=2).map(tuple)
    if origin is dict:
        return schemas if arguments[1] == Json else st.dictionaries(texts, values(arguments[1]), max_size=2)
    if isinstance(type_, type) and issubclass(type_, Node):
        return st.deferred(lambda: nodes(type_))
    return {str: texts, int: st.integers(0, 9), bool: st.booleans(), NoneType: st.none()}[type_]


def limited(inner: Any, limits: tuple[object, ...]) -> st.SearchStrategy[Any]:
    for limit in limits:
        if isinstance(limit, Matching):
            return names.map(str.lower).filter(partial(re.fullmatch, limit.pattern))
        if isinstance(limit, Within):
            return st.integers(limit.least, min(limit.most or 2**53 - 1, 2**53 - 1))
        if isinstance(limit, Sized) and get_origin(inner) is tuple:
            return st.lists(values(get_args(inner)[0]), min_size=limit.least, max_size=max(limit.least, 2)).map(
                tuple
            )
        if isinstance(limit, Sized) and limit.least:
            return values(inner).filter(bool)
    return values(inner)


def nodes(node: type[Node], **fixed: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Nodes of a kind; an optional member is there or not."""
    members = members_of(node)
    needed = {name: values(member.type) for name, member in members.items() if member.required}
    optional = {name: values(member.type) for name, member in members.items() if not member.required}
    optional = {name: each for name, each in optional.items() if name not in fixed}
    if "input" in optional:  # which a source writes as an object
        optional["input"] = values(ObjectValue)
    return st.fixed_dictionaries({**needed, **fixed}, optional=optional).map(lambda found: node(**found))


references = st.builds(
    lambda root, name, path: Reference(root=root, name=name, path=tuple(path)),
    st.sampled_from(["params", "output"]),
    names.filter(lambda name: name not in ("params", ITEM)),
    st.lists(texts.filter(bool) | st.integers(0, 99), max_size=3),
)
NONE: st.SearchStrategy[Any] = st.none()
NO_FILES: st.SearchStrategy[Any] = st.just(())

# Kinds of which no more than one form may stand in a source
SPECIAL[Reference] = references
SPECIAL[LiteralValue] = scalars.map(lambda literal: LiteralValue(literal=literal))
SPECIAL[Parameter] = nodes(Parameter, has_default=st.just(True), default=json_values) | nodes(
    Parameter, has_default=st.just(False), default=NONE
)
SPECIAL[MapStep] = nodes(MapStep, item=st.just(ITEM))
SPECIAL[WaitStep] = nodes(WaitStep, signal=names, span_ms=NONE) | nodes(
    WaitStep, signal=NONE, span_ms=st.integers(1, 10**9)
)
SPECIAL[GateStep] = st.one_of(
    nodes(
        GateStep,
        tool=names.filter(lambda name: name not in ("schema", "artifacts_exist")),
        artifacts=NO_FILES,
        value=NONE,
        type=NONE,
    ),
    nodes(
        GateStep,
        tool=NONE,
        artifacts=st.lists(texts, min_size=1, max_size=2).map(tuple),
        value=NONE,
        type=NONE,
    ),
    nodes(
        GateStep,
        tool=NONE,
        artifacts=NO_FILES,
        value=references.map(lambda each: ReferenceValue(reference=each)),
        type=schemas,
    ),
)


def read_again(text: str) -> Workflow:
    found = read(Source("absent/x.akm", text))
    return shaped(lower_any(found, Surroundings()), Workflow)


@quickly
@given(nodes(Workflow))
def test_a_workflow_reads_as_it_was_before_it_was_written(workflow: Workflow) -> None:
    assert read_again(write_workflow(workflow)) == workflow


@quickly
@given(nodes(Registry))
def test_a_registry_reads_as_it_was_before_it_was_written(registry: Registry) -> None:
    parts = (registry.tools, registry.agents, registry.groups, registry.repositories)
    if any(parts):
        parsed = parse(Source("absent/registry.akm", write_registry(registry)))
        assert shaped(lower_registry(parsed), Registry) == registry


@given(texts)
@example("\\")
@example('\\"')
@example("a\\\\b")
def test_any_text_can_be_written_as_a_word_and_as_prose(text: str) -> None:
    step = AgentStep(
        kind="agent", name="a", agent="b", prompt=text, on=(Transition(outcome="passed", target="completed"),)
    )
    workflow = Workflow(schema="akm.document.v1", name="w", title=text, steps=(step,))
    assert read_again(write_workflow(workflow)) == workflow


def test_a_text_is_written_raw_where_it_can_be() -> None:
    assert string(r"^\d+$") == r'"^\d+$"'
    assert prose("first\nsecond") == '"""\nfirst\nsecond"""'
    assert prose("first\n\n  indented\n") == '"""\nfirst\n\n  indented\n"""'
    assert prose("  all\n  indented") == r'e"  all\n  indented"'
    assert prose('code """\nhere') == r'e"code \"\"\"\nhere"'
    assert string("a\u2028") == r'e"a\u2028"'
