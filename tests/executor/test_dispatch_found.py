"""The record of an attempt's process and the marks beside it: what they prove, and to whom."""

import os
import shutil
from pathlib import Path

import pytest

from akm.dispatch import record
from akm.dispatch.found import (
    MaybeStarted,
    NeverStarted,
    Supervised,
    ask_stop,
    forget,
    intend,
    look,
    owner,
    revoke,
    take,
)
from akm.dispatch.host import another_host, host_table
from akm.dispatch.identity import ProcessIdentity, identify


def ourselves() -> ProcessIdentity:
    found = identify(os.getpid())
    assert found is not None
    return found


def claimed(folder: Path, fence: int = 1, **other: object) -> int:
    """The open record of a process whose supervisor we are."""
    claim = {
        "generation": record.GENERATION,
        "work": "r a#1/1",
        "token": "t",
        "fence": fence,
        "supervisor": ourselves()._asdict(),
    }
    handle = os.open(folder, os.O_RDONLY)
    try:
        return record.claim(handle, "starting", {**claim, **other})
    finally:
        os.close(handle)


def supervised(folder: Path) -> Supervised:
    found = look(folder)
    assert isinstance(found, Supervised)
    return found


class AfterPowerLoss(type(host_table())):  # type: ignore[misc]  # whichever this host has
    """This host, in another boot."""

    def boot_id(self) -> str:
        return "another boot"


def test_absence_proves_only_in_the_boot_of_the_intent(tmp_path: Path) -> None:
    assert look(tmp_path) == MaybeStarted()
    intend(tmp_path)
    assert look(tmp_path) == NeverStarted()
    with another_host(AfterPowerLoss()):
        assert look(tmp_path) == MaybeStarted()


def test_a_folder_that_is_gone_proves_nothing(tmp_path: Path) -> None:
    """It was made before the intent was recorded; somebody has removed it, and what it held."""
    intend(tmp_path / "removed")
    shutil.rmtree(tmp_path / "removed")
    assert look(tmp_path / "removed") == MaybeStarted()


def test_the_first_to_claim_starts_and_no_other(tmp_path: Path) -> None:
    os.close(claimed(tmp_path))
    with pytest.raises(FileExistsError):
        claimed(tmp_path)
    assert not revoke(tmp_path, 2)


def test_what_is_revoked_is_never_started(tmp_path: Path) -> None:
    assert revoke(tmp_path, 2)
    assert revoke(tmp_path, 3)
    assert look(tmp_path) == NeverStarted("not_started")
    with pytest.raises(FileExistsError):
        claimed(tmp_path)


def test_a_claim_names_its_supervisor_and_then_the_process(tmp_path: Path) -> None:
    file = claimed(tmp_path)
    found = supervised(tmp_path)
    assert (found.supervisor, found.process, found.end) == (ourselves(), None, None)
    record.append(file, "running", ourselves()._asdict())
    os.close(file)
    assert supervised(tmp_path).process == ourselves()


def test_only_the_very_supervisor_of_this_work_and_store_and_generation_lives_for_it(tmp_path: Path) -> None:
    os.close(claimed(tmp_path))
    assert supervised(tmp_path).lives_for("r a#1/1", "t")
    assert not supervised(tmp_path).lives_for("r a#1/2", "t")
    assert not supervised(tmp_path).lives_for("r a#1/1", "another store's")
    us = ourselves()
    for other in (
        {"generation": record.GENERATION + 1},
        {"supervisor": us._replace(start_time=us.start_time - 1)._asdict()},
        {"supervisor": us._replace(boot_id="another boot")._asdict()},
        {"supervisor": us._replace(pid_namespace="another container")._asdict()},
    ):
        forget(tmp_path)
        os.close(claimed(tmp_path, **other))
        assert not supervised(tmp_path).lives_for("r a#1/1", "t"), other


def test_a_stop_counts_only_from_the_last_owner(tmp_path: Path) -> None:
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        os.close(claimed(tmp_path, fence=3))
        for fence, asked in ((2, False), (3, True)):
            ask_stop(tmp_path, fence)
            assert record.stop_is_asked(handle, 3) is asked
        take(tmp_path, 10)
        take(tmp_path, 9)  # late, by an engine that lost its lease meanwhile
        assert owner(tmp_path, supervised(tmp_path)) == 10
        for fence, asked in ((3, False), (9, False), (10, True)):
            ask_stop(tmp_path, fence)
            assert record.stop_is_asked(handle, 3) is asked
    finally:
        os.close(handle)


def test_what_is_forgotten_can_be_started_again_and_keeps_its_output(tmp_path: Path) -> None:
    (tmp_path / "stdout").write_text("text")
    os.close(claimed(tmp_path))
    take(tmp_path, 2)
    ask_stop(tmp_path, 2)
    forget(tmp_path)
    forget(tmp_path / "never made")
    assert [path.name for path in tmp_path.iterdir()] == ["stdout"]


DAMAGED = (
    *(b"", b"{", b"[]\n", b"null\n", b"\xff\n", b"\0\0\n"),
    *(b'{"starting":{}}\n', b'{"starting":null}\n', b'{"a":1,"b":2}\n'),
)


@pytest.mark.parametrize("text", DAMAGED)
def test_a_damaged_record_means_that_something_may_have_run(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "process").write_bytes(text)
    assert look(tmp_path) == MaybeStarted()


@pytest.mark.parametrize("end", ["{}", "null", "7", '{"exit_code":"0"}', '{"exit_code":0,"signal":null}'])
def test_a_damaged_end_means_that_something_may_have_run(tmp_path: Path, end: str) -> None:
    os.close(claimed(tmp_path))
    with (tmp_path / "process").open("a") as file:
        file.write(f'{{"ended":{end}}}\n')
    assert look(tmp_path) == MaybeStarted()


def test_a_record_that_cannot_be_read_means_that_something_may_have_run(tmp_path: Path) -> None:
    (tmp_path / "process").mkdir()
    assert look(tmp_path) == MaybeStarted()
