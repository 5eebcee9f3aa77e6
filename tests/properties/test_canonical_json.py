"""Canonical JSON has one form, whichever way it was written, and refuses what has none."""

import json

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from akm_specs.canonical import (
    CANONICAL_DEPTH_MAX,
    JSON_DEPTH_MAX,
    NotCanonical,
    NotStrictJson,
    canonical,
    hash_bytes,
    hash_json,
    parse_json,
    seal,
    unseal,
)

#: Every character, lone surrogates among them, with more of those that are escaped or sorted in their own way.
TEXTS = st.text(
    st.one_of(
        st.characters(codec=None),
        st.sampled_from('"\\/\b\f\n\r\t\x00\x1f\x7f\u2028\ud800\udfff\ue000\uffff\U00010000\U0010ffff'),
    ),
    max_size=6,
)
NUMBERS = st.one_of(
    st.integers(),
    st.integers(min_value=2**53 - 3, max_value=2**53 + 3),
    st.integers(min_value=-(2**53) - 3, max_value=-(2**53) + 3),
    st.floats(),
    st.sampled_from([0.0, -0.0, 1.0, 1e16, 1e20, 1e21, 1e-6, 1e-7, 123456789012345680000.0, 5e-324]),
)
#: What Python holds, whether JSON has it or not.
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS, st.binary(max_size=1)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.lists(inner, max_size=4).map(tuple),
        st.dictionaries(TEXTS, inner, max_size=4),
        st.dictionaries(st.one_of(TEXTS, st.integers(), st.none()), inner, max_size=2),
    ),
    max_leaves=12,
)


def to_the_letter(value: object) -> bytes | None:
    """What the library says that knows RFC 8785 and nothing else; None where it refuses."""
    try:
        return rfc8785.dumps(value)  # type: ignore[arg-type]  # it refuses what is not JSON
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return None


def nested(levels: int) -> object:
    value: object = 1
    for level in range(levels):
        value = [value] if level % 2 else {"in": value}
    return value


@given(VALUES)
@example({"\ue000": 1, "\U00010000": 2})
@example({"a": {"\ue000": 1, "\U00010000": 2}})
@example({"\ud800": 1})
@example([2**53 - 1, -(2**53) + 1])
@example({1: 1})
def test_the_bytes_and_the_refusals_are_those_of_rfc_8785(value: object) -> None:
    expected = to_the_letter(value)
    try:
        found: bytes | None = canonical(value)
    except NotCanonical:
        found = None
    assert found == expected


@given(VALUES)
@example(9007199254740992.0)
@example([1e20, -1e18])
def test_what_is_canonical_reads_back_as_it_was_written(value: object) -> None:
    data = to_the_letter(value)
    if data is not None:
        assert canonical(parse_json(data)) == data


@pytest.mark.parametrize("leaf", [1, 0.5])
def test_depth_is_refused_by_its_number_and_not_by_the_stack(leaf: object) -> None:
    def around(levels: int) -> object:
        return {"leaf": leaf, "deep": nested(levels - 1)}

    assert canonical(around(CANONICAL_DEPTH_MAX)) == rfc8785.dumps(around(CANONICAL_DEPTH_MAX))  # type: ignore[arg-type]  # it refuses what is not JSON
    for levels in (CANONICAL_DEPTH_MAX + 1, 100_000):
        with pytest.raises(NotCanonical):
            canonical(around(levels))


def test_a_value_that_holds_itself_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(NotCanonical):
        canonical(endless)


def test_a_deep_value_that_is_read_can_be_sealed_and_read_back() -> None:
    """A document wraps what it holds, so that it may be deeper than what comes from outside."""
    value = parse_json(json.dumps(nested(JSON_DEPTH_MAX)))
    data, found = seal({"value": value})
    assert unseal(data) == ({"value": value}, found)
    with pytest.raises(NotStrictJson):
        parse_json(json.dumps(nested(JSON_DEPTH_MAX + 1)))


@given(st.dictionaries(TEXTS.filter("hash".__ne__), VALUES, max_size=3))
@example({"\ue000": 1, "\U00010000": 2, "h": 3, "i": 4})
def test_a_sealed_document_is_canonical(body: dict[str, object]) -> None:
    expected = to_the_letter(body)
    if expected is not None:
        data, found = seal(body)
        assert found == hash_bytes(expected)
        assert data == to_the_letter({**body, "hash": found})


def test_a_seal_is_the_hash_of_everything_else() -> None:
    data, found = seal({"b": 1, "a": [True, None]})
    assert found == hash_json({"a": [True, None], "b": 1})
    assert json.loads(data) == {"a": [True, None], "b": 1, "hash": found}


@pytest.mark.parametrize("codec", ["utf-16", "utf-32", "utf-8-sig", "latin-1"])
def test_json_is_utf_8_without_a_byte_order_mark(codec: str) -> None:
    with pytest.raises(NotStrictJson):
        parse_json('{"é": 1}'.encode(codec))


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", '{"a": 1, "a": 2}', "[1,]", "01", '"\n"', "", "9" * 5000])
def test_what_strict_json_has_not_is_refused(text: str) -> None:
    with pytest.raises(NotStrictJson):
        parse_json(text)
