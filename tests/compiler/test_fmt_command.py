"""The command `akmc fmt`, as a process: what it changes, what it prints, and its exit codes."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Fmt = Callable[..., subprocess.CompletedProcess[bytes]]

EVEN = 'tool t { argv ["a"] }\n'
UNEVEN = b'\xef\xbb\xbftool   t {argv ["a"]} # why\r\n'
EVENED = b'tool t { argv ["a"] }  # why\n'
BROKEN = b"tool t {\n  argv [\n}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "even.akm").write_text(EVEN, encoding="utf-8")
    (tmp_path / "uneven.akm").write_bytes(UNEVEN)
    return tmp_path


@pytest.fixture
def fmt(folder: Path) -> Fmt:
    def run(*arguments: str, read: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "akmc", "fmt", *arguments]
        return subprocess.run(command, cwd=folder, input=read, capture_output=True, timeout=60)

    return run


def test_files_that_differ_are_put_into_layout_and_named(fmt: Fmt, folder: Path) -> None:
    before = (folder / "even.akm").stat().st_ino
    ended = fmt(".")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"uneven.akm\n", b"")
    assert (folder / "uneven.akm").read_bytes() == EVENED
    assert (folder / "even.akm").stat().st_ino == before
    assert sorted(os.listdir(folder)) == ["even.akm", "uneven.akm"]
    assert fmt(".").stdout == b""


def test_check_names_what_differs_and_writes_nothing(fmt: Fmt, folder: Path) -> None:
    ended = fmt(".", "--check")
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"uneven.akm\n", b"")
    assert (folder / "uneven.akm").read_bytes() == UNEVEN
    assert fmt("even.akm", "--check").returncode == 0


def test_diff_shows_what_differs_and_writes_nothing(fmt: Fmt, folder: Path) -> None:
    (folder / "uneven.akm").write_bytes(UNEVEN.rstrip())
    ended = fmt(".", "--diff")
    assert ended.returncode == 1
    lines = ended.stdout.decode("utf-8").splitlines()
    assert lines[:2] == ["--- uneven.akm", "+++ uneven.akm"]
    assert lines[-2:] == ["\\ No newline at end of file", "+" + EVENED.decode().rstrip()]
    assert (folder / "uneven.akm").read_bytes() == UNEVEN.rstrip()
    assert fmt("even.akm", "--diff").returncode == 0


def test_a_file_with_a_syntax_error_is_left_as_it_is_and_the_others_are_not(fmt: Fmt, folder: Path) -> None:
    (folder / "broken.akm").write_bytes(BROKEN)
    ended = fmt(".")
    assert (ended.returncode, ended.stdout) == (1, b"uneven.akm\n")
    assert b"broken.akm:2:8: error AKM0003" in ended.stderr
    assert (folder / "broken.akm").read_bytes() == BROKEN
    assert (folder / "uneven.akm").read_bytes() == EVENED


def test_a_file_that_cannot_be_read_is_told_and_the_others_are_put_into_layout(fmt: Fmt, folder: Path) -> None:
    ended = fmt("absent.akm", "uneven.akm")
    assert (ended.returncode, ended.stderr) == (2, b"akmc: absent.akm: no such file\n")
    assert (folder / "uneven.akm").read_bytes() == EVENED


def test_the_mode_of_a_file_and_the_link_to_it_are_kept(fmt: Fmt, folder: Path) -> None:
    (folder / "uneven.akm").chmod(0o640)
    (folder / "link.akm").symlink_to("uneven.akm")
    assert fmt("link.akm").returncode == 0
    assert (folder / "link.akm").is_symlink()
    assert (folder / "uneven.akm").read_bytes() == EVENED
    assert stat.S_IMODE((folder / "uneven.akm").stat().st_mode) == 0o640


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_file_is_not_replaced(fmt: Fmt, folder: Path) -> None:
    (folder / "uneven.akm").chmod(0o440)
    ended = fmt("uneven.akm")
    assert ended.returncode == 2
    assert b"no permission to change it" in ended.stderr
    assert (folder / "uneven.akm").read_bytes() == UNEVEN


def test_standard_input_is_laid_out_on_standard_output(fmt: Fmt) -> None:
    ended = fmt("-", read=UNEVEN)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, EVENED, b"")
    assert fmt("-", "--check", read=UNEVEN).returncode == 1
    assert fmt("-", "--check", read=EVENED).returncode == 0


def test_nothing_is_put_out_for_an_input_with_a_syntax_error(fmt: Fmt) -> None:
    ended = fmt("-", read=BROKEN)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert b"<stdin>:2:8: error AKM0003" in ended.stderr
    assert fmt("-", read=b"\xff").returncode == 2


def test_standard_input_as_json_is_one_document(fmt: Fmt) -> None:
    ended = fmt("-", "--json", read=UNEVEN)
    assert (ended.returncode, json.loads(ended.stdout)) == (0, {"changed": True, "text": EVENED.decode()})
    ended = fmt("-", "--json", "--check", read=EVENED)
    assert (ended.returncode, json.loads(ended.stdout)["changed"]) == (0, False)
    ended = fmt("-", "--json", read=BROKEN)
    assert [found["code"] for found in json.loads(ended.stdout)["diagnostics"]] == ["AKM0003"]


def test_a_closed_standard_input_holds_no_document(folder: Path) -> None:
    command = f"exec {sys.executable} -m akmc fmt - <&-"
    ended = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "the file holds no document" in ended.stderr


def test_standard_input_stands_alone(fmt: Fmt, folder: Path) -> None:
    ended = fmt("-", "uneven.akm", read=EVENED)
    assert (ended.returncode, ended.stdout) == (2, b"")
    assert (folder / "uneven.akm").read_bytes() == UNEVEN


def test_as_json_it_is_one_document(fmt: Fmt, folder: Path) -> None:
    (folder / "broken.akm").write_bytes(BROKEN)
    ended = fmt(".", "absent.akm", "--check", "--json")
    document = json.loads(ended.stdout)
    assert ended.returncode == 2
    assert document["changed"] == ["uneven.akm"]
    assert [found["code"] for found in document["diagnostics"]] == ["AKM0003"]
    assert document["unreadable"] == ["absent.akm: no such file"]
