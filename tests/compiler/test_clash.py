"""Two types beside each other: a clash is told only where no value could be of both."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_specs.types import violation
from akmc.clash import clash

TEXT, WHOLE, LIST = {"type": "string"}, {"type": "integer"}, {"type": "array"}
SHAPE = {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "additionalProperties": False}


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        (TEXT, WHOLE),
        (LIST, SHAPE),
        ({"enum": ["a", "b"]}, {"enum": ["c"]}),
        ({"enum": [9]}, {"type": "integer", "maximum": 4}),
        ({"type": "integer", "minimum": 5}, {"type": "integer", "maximum": 4}),
        (SHAPE, {**SHAPE, "properties": {"b": TEXT}, "required": ["b"]}),
        ({**SHAPE, "properties": {"a": WHOLE}}, SHAPE),
        ({"anyOf": [WHOLE, {"type": "null"}]}, TEXT),
        (TEXT, {"anyOf": [WHOLE, LIST]}),
        ({"type": "array", "minItems": 1, "items": TEXT}, {"type": "array", "items": WHOLE}),
        ({"type": "array", "minItems": 3}, {"type": "array", "maxItems": 2}),
    ],
)
def test_types_that_share_no_value_clash(given_: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert clash(given_, wanted)


@pytest.mark.parametrize(
    ("given_", "wanted"),
    [
        (TEXT, {}),
        ({}, TEXT),
        (WHOLE, {"type": "number"}),
        ({"type": "number"}, WHOLE),
        (TEXT, {"type": "string", "pattern": "^a$"}),
        ({"anyOf": [WHOLE, {"type": "null"}]}, WHOLE),
        ({"type": "array", "items": TEXT}, {"type": "array", "items": WHOLE}),  # both may be empty
        ({"type": ["string", "null"]}, TEXT),
        (SHAPE, {"type": "object"}),
    ],
)
def test_types_that_may_share_one_do_not(given_: dict[str, Any], wanted: dict[str, Any]) -> None:
    assert clash(given_, wanted) is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["a", "b", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=6,
)
TYPES = st.recursive(
    st.sampled_from([{}, TEXT, WHOLE, LIST, {"type": "boolean"}, {"type": "number"}, {"enum": ["a", 1]}])
    | st.builds(
        lambda a, b: {"type": "integer", "minimum": a, "maximum": b}, st.integers(-9, 9), st.integers(-9, 9)
    ),
    lambda inner: (
        st.builds(lambda one: {"type": "array", "items": one, "maxItems": 2, "minItems": 1}, inner)
        | st.builds(lambda one, other: {"anyOf": [one, other]}, inner, inner)
        | st.builds(
            lambda one, closed: {
                "type": "object",
                "properties": {"a": one},
                "required": ["a"],
                "additionalProperties": not closed,
            },
            inner,
            st.booleans(),
        )
    ),
    max_leaves=5,
)


@given(VALUES, TYPES, TYPES)
def test_no_value_is_of_two_types_that_clash(value: Any, one: dict[str, Any], other: dict[str, Any]) -> None:
    if violation(one, value) is None and violation(other, value) is None:
        assert clash(one, other) is None
