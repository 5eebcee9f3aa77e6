"""Places of an editor and offsets of a source are the same places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akmc.lsp.positions import Encoding, Lines, Place
from akmc.source import Source

TEXTS = st.text(st.sampled_from("aé漢😀\n\r\u2028\x0c\ufeff"), max_size=30)
ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]


@given(TEXTS, st.sampled_from(ENCODINGS))
def test_every_offset_has_a_place_and_comes_back_from_it(text: str, encoding: Encoding) -> None:
    lines = Lines(text, encoding)
    places = [lines.place(offset) for offset in range(len(lines.text) + 1)]
    assert places == sorted(set(places))
    assert [lines.offset(place) for place in places] == list(range(len(places)))


@given(TEXTS, st.integers(0, 40), st.integers(0, 40))
def test_a_place_that_is_not_there_is_the_nearest_one(text: str, line: int, character: int) -> None:
    lines = Lines(text)
    assert 0 <= lines.offset(Place(line, character)) <= len(lines.text)
    assert lines.offset(Place(line, 10_000)) >= lines.offset(Place(line, character))


@given(TEXTS)
def test_lines_are_those_of_the_source(text: str) -> None:
    lines, source = Lines(text, "utf-32"), Source("a.akm", text.removeprefix("\ufeff"))
    if not text.startswith("\ufeff"):
        for offset in range(len(source.text) + 1):
            place, position = lines.place(offset), source.position(offset)
            assert (place.line + 1, place.character + 1) == (position.line, position.column)


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_an_emoji_takes_as_many_units_as_its_encoding_says(encoding: Encoding, units: int) -> None:
    lines = Lines("😀x", encoding)
    assert lines.place(1) == Place(0, units)
    assert lines.offset(Place(0, units)) == 1
    assert lines.offset(Place(0, 1)) == (0 if units > 1 else 1)


def test_a_byte_order_mark_moves_the_first_line_only() -> None:
    lines = Lines("\ufeffab\ncd")
    assert lines.place(1) == Place(0, 2)
    assert lines.offset(Place(0, 2)) == 1
    assert lines.place(4) == Place(1, 1)
