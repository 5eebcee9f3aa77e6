"""The log of calls: what it proves never began, and what it can't."""

from pathlib import Path

import pytest

from akm.dispatch.call_log import NAME, CallLog


def test_what_was_intended_and_is_not_in_the_log_never_began(tmp_path: Path) -> None:
    first = CallLog(tmp_path)
    first.open()
    assert first.begin("a#1/1")
    first.close()
    next_one = CallLog(tmp_path)
    assert next_one.never_began("b#1/1")
    assert next_one.begin("b#1/1")
    next_one.close()


def test_what_has_begun_is_not_begun_again(tmp_path: Path) -> None:
    first = CallLog(tmp_path)
    assert first.begin("a#1/1")
    assert not first.begin("a#1/1")
    first.close()
    next_one = CallLog(tmp_path)
    assert not next_one.never_began("a#1/1")
    assert not next_one.begin("a#1/1")
    next_one.close()


def test_a_log_that_is_missing_proves_nothing_nor_does_the_one_that_is_made_for_it(tmp_path: Path) -> None:
    second = CallLog(tmp_path)
    assert not second.never_began("a#1/1")
    second.open()
    second.close()
    third = CallLog(tmp_path)
    assert not third.never_began("a#1/1")
    assert third.never_began("b#1/1")
    third.close()


def test_nothing_is_proven_while_another_engine_may_add_to_the_log(tmp_path: Path) -> None:
    first, second = CallLog(tmp_path), CallLog(tmp_path)
    first.open()
    assert not second.never_began("a#1/1")
    assert second.begin("b#1/1")  # what it has recorded itself nobody else begins
    first.close()
    second.close()


def test_a_line_that_was_cut_off_takes_no_other_with_it(tmp_path: Path) -> None:
    first = CallLog(tmp_path)
    assert first.begin("a#1/1")
    first.close()
    with (tmp_path / NAME).open("ab") as file:
        file.write(b"\nb#")
    log = CallLog(tmp_path)
    assert log.never_began("b#1/1")
    assert log.begin("b#1/1")
    log.close()
    assert (tmp_path / NAME).read_bytes().split(b"\n")[1:] == [b"a#1/1", b"b#", b"b#1/1"]


def test_a_log_of_an_earlier_boot_proves_nothing_nor_does_the_one_that_takes_its_place(tmp_path: Path) -> None:
    """What was added last may never have come to the disk."""
    earlier = CallLog(tmp_path)
    assert earlier.begin("a#1/1")
    earlier.close()
    text = (tmp_path / NAME).read_text()
    (tmp_path / NAME).write_text("boot of yesterday\n" + text.partition("\n")[2])
    second = CallLog(tmp_path)
    assert not second.never_began("b#1/1")
    second.open()
    assert second.begin("c#1/1")
    second.close()
    third = CallLog(tmp_path)
    assert not third.never_began("b#1/1")
    assert not third.never_began("c#1/1")
    assert third.never_began("d#1/1")
    third.close()


def test_a_folder_that_cannot_be_written_keeps_calls_from_beginning(tmp_path: Path) -> None:
    log = CallLog(tmp_path / "missing")
    with pytest.raises(FileNotFoundError):
        log.begin("a#1/1")
    log.close()
