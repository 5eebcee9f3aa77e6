"""A source is text, or a named error; a position is what an editor shows."""

from pathlib import Path

import pytest

from akmc.source import SOURCE_BYTES_MAX, Position, Source, SourceUnreadable, Span


def test_reads_what_the_file_holds(tmp_path: Path) -> None:
    file = tmp_path / "a.akm"
    file.write_text("tool a { }\n", encoding="utf-8")
    assert Source.read(file) == Source(str(file), "tool a { }\n")


def test_a_file_of_the_largest_size_is_read_and_one_byte_more_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.akm"
    file.write_bytes(b" " * SOURCE_BYTES_MAX)
    assert len(Source.read(file).text) == SOURCE_BYTES_MAX
    file.write_bytes(b" " * (SOURCE_BYTES_MAX + 1))
    with pytest.raises(SourceUnreadable, match="larger than"):
        Source.read(file)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x7fELF\x02\x01\x01\xff", "not UTF-8 text: byte 7"),
        (b"tool\0a", "NUL at character 4"),
        ("tool ü".encode("latin-1"), "not UTF-8 text: byte 5"),
        ("tool a".encode("utf-16"), "not UTF-8 text: byte 0"),
    ],
)
def test_what_is_no_text_is_refused_by_name(tmp_path: Path, data: bytes, reason: str) -> None:
    file = tmp_path / "a.akm"
    file.write_bytes(data)
    with pytest.raises(SourceUnreadable, match=reason) as refused:
        Source.read(file)
    assert refused.value.path == str(file)


def test_what_is_no_file_is_refused_by_name(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    for path, reason in {
        tmp_path: "is a directory",
        tmp_path / "absent.akm": "no such file",
        tmp_path / "absent" / "a.akm": "no such file",
        loop: "symbolic links",
        tmp_path / ("n" * 300): "too long",
        tmp_path / "a\0b": "cannot be read",
    }.items():
        with pytest.raises(SourceUnreadable, match=reason):
            Source.read(path)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_move_no_position(line_end: str, mark: str) -> None:
    source = Source.decode("a", (mark + line_end.join(["one", "two", ""])).encode())
    assert source == Source("a", "one\ntwo\n")
    assert source.position(source.text.index("two")) == Position(2, 1)


def test_a_column_counts_characters_whatever_they_take() -> None:
    source = Source("a", "\tä😀x\ny")
    assert source.position(source.text.index("x")) == Position(1, 4)
    assert source.position(len(source.text)) == Position(2, 2)


def test_the_line_around_an_offset_has_no_line_end() -> None:
    source = Source("a", "one\ntwo\nthree")
    assert source.line_around(3) == (Span(0, 3), "one")
    assert source.line_around(4) == (Span(4, 7), "two")
    assert source.line_around(13) == (Span(8, 13), "three")
