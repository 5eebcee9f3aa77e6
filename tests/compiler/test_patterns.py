"""Patterns match in linear time, mean the whole text's ends, and say what to write where they are none."""

import contextlib
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akm_specs.patterns import PATTERN_LENGTH_MAX, BadPattern, check_pattern, matches


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("b", "abc", True),
        ("^b", "abc", False),
        ("^a|c$", "abc", True),
        (r"^\d+$", "12", True),
        (r"^\d+$", "12\n", False),
        (r"^\d+$", "\n12", False),
        (r"^\d+$", "a\n12\nb", False),
        (r"^\d+$", "١٢", False),
        (r"^\w+$", "é", False),
        ("^é$", "é", True),
        ("^.$", "😀", True),
        ("^.$", "\n", False),
        (r"^\x{1F600}$", "😀", True),
        ("(?i)^yes$", "YES", True),
        ("", "", True),
        ("a", "a\ud800", False),
    ],
)
def test_a_pattern_matches_anywhere_unless_bound_to_the_ends_of_the_text(
    pattern: str, text: str, found: bool
) -> None:
    assert matches(pattern, text) is found


@pytest.mark.parametrize(
    ("pattern", "instead"),
    [
        ("(?=a)b", "ahead or behind"),
        ("(?<!a)b", "ahead or behind"),
        (r"(a)\1", "refer back"),
        (r"a\Z", "`$`"),
        (r"\u00e9", r"\x{...}"),
        ("a++", "backtracks"),
        ("a{5000}", "1000 times"),
        ("((a{200}){200}){200}", "1000 times"),
        ("[0-9", "mend"),
        ("(", "mend"),
        ("\ud800", "mend"),
        ("a" * (PATTERN_LENGTH_MAX + 1), "shorten"),
    ],
)
def test_what_is_no_pattern_is_refused_with_what_to_write_instead(pattern: str, instead: str) -> None:
    with pytest.raises(BadPattern) as refused:
        check_pattern(pattern)
    assert instead in refused.value.instead
    with pytest.raises(BadPattern):
        matches(pattern, "a")


@pytest.mark.parametrize("pattern", ["(a+)+$", "^(a|a)*$", "^(([a-z])+.)+[A-Z]([a-z])+$", "(.*)(.*)(.*)[ab]{50}x"])
def test_no_text_takes_more_than_linear_time(pattern: str) -> None:
    """A backtracking engine would not end before the sun does."""
    start = time.monotonic()
    assert not matches(pattern, "a" * 200_000 + "!")
    assert time.monotonic() - start < 10


@given(st.text(max_size=30), st.text(st.characters(codec=None), max_size=30))
def test_any_text_is_a_pattern_or_refused_by_name(pattern: str, text: str) -> None:
    with contextlib.suppress(BadPattern):
        check_pattern(pattern)
        matches(pattern, text)
