"""The start record: what it proves, and that nothing less than proof says "never started"."""

import os
from pathlib import Path

import pytest

from akm.dispatch.identity import boot_id, identify
from akm.dispatch.start import MaybeStarted, NeverStarted, Started, announce, read_start, record, withdraw


def test_absence_proves_only_to_the_boot_of_the_intent(tmp_path: Path) -> None:
    assert read_start(tmp_path, boot_id()) == NeverStarted()
    assert read_start(tmp_path, "an earlier boot") == MaybeStarted()
    assert read_start(tmp_path) == MaybeStarted()


def test_a_folder_that_is_gone_proves_nothing(tmp_path: Path) -> None:
    """It was made before the intent was recorded; somebody has removed it, and what it held."""
    assert read_start(tmp_path / "removed", boot_id()) == MaybeStarted()


def test_the_first_to_announce_starts_and_no_other(tmp_path: Path) -> None:
    announce(tmp_path)
    with pytest.raises(FileExistsError):
        announce(tmp_path)


def test_an_announced_start_may_have_happened_until_it_is_withdrawn_or_recorded(tmp_path: Path) -> None:
    announce(tmp_path)
    assert read_start(tmp_path, boot_id()) == MaybeStarted()
    withdraw(tmp_path)
    assert read_start(tmp_path, boot_id()) == NeverStarted()
    announce(tmp_path)
    identity = identify(os.getpid())
    assert identity is not None
    record(tmp_path, identity)
    assert read_start(tmp_path) == Started(identity)
    assert [path.name for path in tmp_path.iterdir()] == ["started"]


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b'{"pid":1}', b"null", b"\xff", b'{"pid":1,"extra":2}'])
def test_a_damaged_record_means_that_something_may_have_run(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "started").write_bytes(text)
    assert read_start(tmp_path, boot_id()) == MaybeStarted()


def test_a_record_that_cannot_be_read_means_that_something_may_have_run(tmp_path: Path) -> None:
    (tmp_path / "started").mkdir()
    assert read_start(tmp_path, boot_id()) == MaybeStarted()
