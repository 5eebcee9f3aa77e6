"""Which files a command means: those named, and the sources in folders, whatever else lies there."""

import os
from pathlib import Path

import pytest

from akmc.source import Source, SourceUnreadable
from akmc.walk import sources_under


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


def names(folder: Path, *paths: str) -> list[str]:
    found = sources_under([str(folder / path) for path in paths] or [str(folder)])
    assert not found.unreadable
    return [str(Path(file).relative_to(folder)) for file in found.files]


def test_sources_come_folder_by_folder_in_order_and_nothing_else_does(tmp_path: Path) -> None:
    touch(tmp_path, "b.akm", "a.akm", "notes.txt", "z/d.akm", "c/e.akm", "c/.akm")
    assert names(tmp_path) == ["a.akm", "b.akm", "c/e.akm", "z/d.akm"]


def test_hidden_names_below_a_folder_are_left_out_and_a_hidden_folder_may_be_named(tmp_path: Path) -> None:
    touch(tmp_path, "a.akm", ".b.akm", ".venv/c.akm")
    assert names(tmp_path) == ["a.akm"]
    assert names(tmp_path, ".venv") == [".venv/c.akm"]


def test_a_file_is_meant_once_however_often_and_however_it_is_named(tmp_path: Path) -> None:
    touch(tmp_path, "a.akm", "deep/b.akm")
    assert names(tmp_path, "a.akm", ".", "deep/../a.akm", "deep") == ["a.akm", "deep/b.akm"]


def test_a_named_file_is_meant_whatever_its_name_ends_in(tmp_path: Path) -> None:
    touch(tmp_path, "odd.txt")
    assert names(tmp_path, "odd.txt") == ["odd.txt"]


def test_rings_of_links_end(tmp_path: Path) -> None:
    touch(tmp_path, "deep/a.akm")
    (tmp_path / "deep" / "up").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.akm").symlink_to(tmp_path / "self.akm")
    assert names(tmp_path) == ["deep/a.akm"]
    assert names(tmp_path, "deep/up/deep") == ["deep/up/deep/a.akm"]


def test_a_link_to_a_file_is_a_source_of_its_own_place(tmp_path: Path) -> None:
    touch(tmp_path, "elsewhere/real.txt")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "a.akm").symlink_to(tmp_path / "elsewhere" / "real.txt")
    assert names(tmp_path, "here") == ["here/a.akm"]


@pytest.mark.parametrize("name", ["a\nb.akm", "a::b.akm", "%25.akm", "a b#ü.akm", os.fsdecode(b"\xff\xfe.akm")])
def test_any_name_that_a_disk_takes_is_found_and_read(tmp_path: Path, name: str) -> None:
    touch(tmp_path, name)
    assert names(tmp_path) == [name]
    assert Source.read(tmp_path / name).text == ""


def test_a_pipe_is_neither_found_nor_waited_for(tmp_path: Path) -> None:
    touch(tmp_path, "a.akm")
    os.mkfifo(tmp_path / "pipe.akm")
    assert names(tmp_path) == ["a.akm"]
    with pytest.raises(SourceUnreadable, match="no regular file"):
        Source.read(tmp_path / "pipe.akm")


def test_a_folder_without_sources_is_told_and_does_not_hide_the_others(tmp_path: Path) -> None:
    touch(tmp_path, "full/a.akm", "empty/notes.txt")
    found = sources_under([str(tmp_path / "empty"), str(tmp_path / "full")])
    assert [Path(file).name for file in found.files] == ["a.akm"]
    assert [error.reason for error in found.unreadable] == ["no file under it is a source (.akm, .yaml, .yml, .md)"]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_searched_is_told(tmp_path: Path) -> None:
    touch(tmp_path, "a.akm", "locked/b.akm")
    (tmp_path / "locked").chmod(0)
    try:
        found = sources_under([str(tmp_path)])
    finally:
        (tmp_path / "locked").chmod(0o700)
    assert [Path(error.path).name for error in found.unreadable] == ["locked"]


def test_a_path_that_no_disk_takes_is_left_to_reading(tmp_path: Path) -> None:
    assert sources_under(["a\0b"]).files == ("a\0b",)
    with pytest.raises(SourceUnreadable):
        Source.read("a\0b")
