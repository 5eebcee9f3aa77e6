"""Declared types stand on their own, and say nothing that is not held against values."""

from typing import Any

import pytest

from akm_specs.canonical import Json, JsonObject
from akm_specs.types import BadType, bad_patterns, check_type, violation

DEEP: JsonObject = {}
for _ in range(200):
    DEEP = {"items": DEEP}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "string", "pattern": "^a$", "minLength": 1, "maxLength": 5},
        {"type": ["integer", "null"], "minimum": 1, "exclusiveMaximum": 2.5, "multipleOf": 1},
        {"type": "string", "format": "akm-file"},
        {"enum": [1, "a", None]},
        {
            "type": "array",
            "items": {"type": "number"},
            "maxItems": 3,
            "uniqueItems": True,
            "contains": {"const": 1},
        },
        {"properties": {"$ref": {"type": "string"}}, "required": ["$ref"], "additionalProperties": False},
        {"anyOf": [{"type": "string"}, {"not": {"type": "null"}}], "prefixItems": [True]},
        {"if": {"required": ["a"]}, "then": {"required": ["b"]}, "propertyNames": {"pattern": "^[a-z]+$"}},
    ],
)
def test_a_type_says_what_json_schema_says_of_values(schema: JsonObject) -> None:
    check_type(schema)
    assert not list(bad_patterns(schema))


@pytest.mark.parametrize(
    ("schema", "way"),
    [
        ({"$ref": "#"}, ("$ref",)),
        ({"items": {"$ref": "https://example.invalid/type.json"}}, ("items", "$ref")),
        ({"$id": "a"}, ("$id",)),
        ({"$defs": {}}, ("$defs",)),
        ({"properties": {"a": {"format": "email"}}}, ("properties", "a", "format")),
        ({"patternProperties": {"a": {}}}, ("patternProperties",)),
        ({"unevaluatedProperties": False}, ("unevaluatedProperties",)),
        ({"maxlength": 3}, ("maxlength",)),
        ({"type": "text"}, ("type",)),
        ({"type": []}, ("type",)),
        ({"maxLength": "3"}, ("maxLength",)),
        ({"maxLength": True}, ("maxLength",)),
        ({"minimum": "1"}, ("minimum",)),
        ({"multipleOf": 0}, ("multipleOf",)),
        ({"required": "a"}, ("required",)),
        ({"dependentRequired": {"a": "b"}}, ("dependentRequired",)),
        ({"enum": []}, ("enum",)),
        ({"pattern": 1}, ("pattern",)),
        ({"anyOf": []}, ("anyOf",)),
        ({"anyOf": [{}, 1]}, ("anyOf", 1)),
        ({"properties": []}, ("properties",)),
        ({"items": "string"}, ("items",)),
        ("string", ()),
        (DEEP, ()),
        ({"anyOf": [{}] * 1_000}, ()),
    ],
)
def test_what_would_not_be_held_against_values_is_refused_where_it_stands(
    schema: Any, way: tuple[str | int, ...]
) -> None:
    with pytest.raises(BadType) as refused:
        check_type(schema)
    assert refused.value.way == way
    assert refused.value.instead


def test_patterns_are_told_wherever_they_stand() -> None:
    found = bad_patterns(
        {"pattern": "(", "properties": {"a": {"items": {"pattern": "(?=a)"}}}, "not": {"pattern": "a"}}
    )
    assert {way for way, _ in found} == {("pattern",), ("properties", "a", "items", "pattern")}


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"type": "string", "pattern": r"^\d+$"}, "12\n", "$: '12\\n' does not match"),
        ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, "$: 'b' does not match"),
        ({"properties": {"a": {"items": {"type": "integer"}}}}, {"a": [1, "x"]}, "$.a[1]: 'x' is not of type"),
        ({"pattern": "("}, "x", "$: nothing matches"),
        ({"uniqueItems": True}, [{"a": 1}, 2, {"a": 1}], "$: an item stands twice"),
    ],
)
def test_a_violation_says_where(schema: JsonObject, value: Json, told: str) -> None:
    found = violation(schema, value)
    assert found is not None
    assert found.startswith(told)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "pattern": r"^\d+$"}, "12"),
        ({"pattern": "^a"}, 5),
        ({"uniqueItems": True}, [1, "1", True, {"a": 1}, {"a": 2}]),
        ({"uniqueItems": False}, [1, 1]),
    ],
)
def test_a_value_of_the_type_breaks_nothing(schema: JsonObject, value: Json) -> None:
    assert violation(schema, value) is None


def test_a_list_of_many_different_items_is_looked_at_once() -> None:
    assert violation({"uniqueItems": True}, [{"item": at} for at in range(20_000)]) is None
