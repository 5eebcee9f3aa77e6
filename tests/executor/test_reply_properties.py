"""The declared result parser beside the standard library's JSON, and under cuts and noise."""

import json
import math

from hypothesis import assume, given
from hypothesis import strategies as st

from akm.reply import parse_reply
from akm.reply.deep_json import NotDeepJson, parse_deep_json
from akm_specs.canonical import Json

DECLARED = frozenset({"passed", "failed", "needs-work"})

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=8
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=3)
NOISE = st.text('{}[]":,\\ \n`~apsed1', max_size=40) | st.text(max_size=20)


def strictly(text: str) -> Json:
    """The standard library's answer, without what it accepts beyond RFC 8259."""

    def refuse(name: str) -> Json:
        raise ValueError(name)

    value: Json = json.loads(text, parse_constant=refuse)
    return value


@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_what_json_writes_is_read_back(value: Json, indent: int | None, ascii_only: bool) -> None:
    assert parse_deep_json(json.dumps(value, indent=indent, ensure_ascii=ascii_only)) == value


@given(NOISE | VALUES.map(json.dumps).flatmap(lambda text: st.integers(0, len(text)).map(lambda cut: text[:cut])))
def test_it_accepts_exactly_what_the_standard_library_strictly_accepts(text: str) -> None:
    try:
        expected = strictly(text)
    except ValueError:
        try:
            found = parse_deep_json(text)
        except NotDeepJson:
            return
        raise AssertionError(f"accepted {text!r} as {found!r}") from None
    assert parse_deep_json(text) == expected


def test_numbers_beyond_a_double_are_infinite_and_never_an_error() -> None:
    assert parse_deep_json("-1e999") == -math.inf
    assert parse_deep_json("9" * 5000) == math.inf
    assert parse_deep_json("9" * 300) == int("9" * 300)


@given(OBJECTS, st.sampled_from(sorted(DECLARED)), st.sampled_from(["", "Done.\n", "```json\n"]))
def test_no_cut_of_a_reply_declares_anything_that_the_whole_does_not(
    members: dict[str, Json], word: str, before: str
) -> None:
    whole = before + json.dumps({"a": 1, **members, "outcome": word, "detail": {"outcome": "passed"}})
    assert parse_reply(whole, DECLARED).outcome == word
    for cut in range(len(whole)):
        assert parse_reply(whole[:cut], DECLARED).value is None, whole[:cut]


@given(st.lists(NOISE | st.sampled_from(['{"outcome":"passed"}', '{"outcome":"other"}', "\n```"]), max_size=6))
def test_no_text_crashes_it_or_yields_an_undeclared_outcome(pieces: list[str]) -> None:
    found = parse_reply("".join(pieces), DECLARED)
    assert found.outcome in DECLARED
    assert (found.value is None) == (found.code is not None)
    if found.value is not None:
        assert found.value["outcome"] == found.outcome


@given(NOISE, NOISE)
def test_prose_after_the_object_is_never_a_result(before: str, after: str) -> None:
    assume(after.strip() and not after.strip().endswith("}"))
    assume(not set(after.strip()) <= set("`~ \n"))
    assert parse_reply(f'{before}\n{{"outcome":"passed"}} {after}', DECLARED).value is None
