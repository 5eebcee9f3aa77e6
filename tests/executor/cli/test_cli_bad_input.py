"""Whatever is handed to `akm run`: a clear refusal, no traceback, nothing written."""

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.executor.cli.conftest import Person

GOOD = 'workflow work "Work" { step a: exec good { on passed -> completed } }\n'
CONTENTS = {
    "binary.akm": os.urandom(4096),
    "binary.json": bytes(range(256)),
    "nul.akm": b"workflow w \x00",
    "empty.akm": b"",
    "empty.json": b"",
    "latin.akm": 'workflow w "f\xfcr" {}'.encode("latin-1"),
    "unterminated.akm": b'workflow w "never ends',
    "unterminated.json": b'{"schema": "never ends',
    "block.akm": b'workflow w "x" { step a: agent b { prompt """never ends',
    "braces.akm": b"{" * 10_000_000,
    "braces.json": b"{" * 10_000_000,
    "brackets.json": b"[" * 1_000_000,
    "object.json": b"{}",
    "list.json": b"[]",
    "number.json": b"1" * 10_000,
    "lifecycle.akm": b'lifecycle door "A door" { initial open, final gone, go: open -> gone }',
    "deep.akm": b'workflow w "x" { step a: exec good { with ' + b"[" * 5_000,
    "surrogate.json": b'{"schema": "\\ud800"}',
}


@pytest.mark.parametrize("name", CONTENTS)
def test_a_file_that_is_no_workflow_is_refused(person: "Person", name: str) -> None:
    (person.here / name).write_bytes(CONTENTS[name])
    before = sorted(person.here.iterdir())
    refused = person.akm("run", name, "--id", "r", "--json")
    assert refused.code in (1, 2), refused
    assert refused.document["error"]["message"]
    assert len(refused.err) < 20_000
    assert "internal error" not in refused.err
    assert sorted(person.here.iterdir()) == before


@pytest.mark.parametrize(
    "name", ["absent.akm", "absent.json", "absent/deep.akm", ".", "folder.akm", "folder.json", "/dev/null"]
)
def test_what_is_no_file_is_refused(person: "Person", name: str) -> None:
    for folder in ("folder.akm", "folder.json"):
        (person.here / folder).mkdir()
    refused = person.does("run", name, code=2)
    assert name.rpartition("/")[2] in refused.err
    assert "internal error" not in refused.err
    assert not (person.here / ".akm").exists()


def test_a_name_that_is_neither_a_file_nor_a_run_is_refused(person: "Person") -> None:
    assert "no store" in person.does("run", "absent", code=2).err
    assert not (person.here / ".akm").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(person: "Person") -> None:
    person.write("work.akm", GOOD).chmod(0)
    assert "work.akm" in person.does("run", "work.akm", code=2).err
    assert not (person.here / ".akm").exists()


def test_a_file_that_fails_to_be_read_is_refused(person: "Person") -> None:
    for name in ("work.akm", "work.json"):
        (person.here / name).symlink_to("/proc/self/mem")  # whoever reads its first byte, gets an error
        refused = person.does("run", name, code=2)
        assert name in refused.err
        assert "internal error" not in refused.err
    assert not (person.here / ".akm").exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_no_place_for_a_store(person: "Person") -> None:
    plan = person.plan("step a: exec good { on passed -> completed }")
    person.here.chmod(0o500)
    try:
        assert ".akm" in person.does("run", plan, code=2).err
    finally:
        person.here.chmod(0o700)


def test_a_place_that_cannot_hold_a_store_is_refused(person: "Person") -> None:
    plan = person.plan("step a: exec good { on passed -> completed }")
    assert "/proc/store" in person.does("run", plan, "--store", "/proc/store", code=2).err


def test_a_store_that_is_a_file_is_refused(person: "Person") -> None:
    plan = person.plan("step a: exec good { on passed -> completed }")
    person.write("store", "")
    assert "store" in person.does("run", plan, "--store", "store", code=2).err


def test_a_source_with_errors_is_shown_as_the_compiler_shows_it(person: "Person") -> None:
    person.write("work.akm", GOOD.replace("good", "goof"))
    person.write("registry.akm", 'tool good { argv ["true"] }\n')
    refused = person.does("run", "work.akm", code=2)
    assert "work.akm:1" in refused.err
    assert "AKM" in refused.err
    told = person.told("run", "work.akm", code=2)
    assert told["error"]["name"] == "SourceRefused"
    assert told["diagnostics"][0]["code"].startswith("AKM")
    assert not (person.here / ".akm").exists()


def test_a_missing_registry_is_told(person: "Person") -> None:
    person.write("work.akm", GOOD)
    assert "registry" in person.does("run", "work.akm", code=2).err
    assert not (person.here / ".akm").exists()


def test_a_missing_program_fails_the_run_and_is_named(person: "Person") -> None:
    registry = 'tool gone { argv ["no-such-program"] }\n'
    ended = person.does("run", person.plan("step a: exec gone { on passed -> completed }", registry), code=1)
    assert "no-such-program" in ended.out + ended.err


@pytest.mark.parametrize("words", [("run",), ("nothing",), ("list", "--nothing"), ("gc", "--yes", "--dry-run")])
def test_wrong_usage_is_one_document_too(person: "Person", words: tuple[str, ...]) -> None:
    error = person.told(*words, code=2)["error"]
    assert (error["name"], error["exit"]) == ("UsageFault", 2)
    assert "usage: akm" in person.does(*words, code=2).err


def test_what_has_no_end_is_read_to_a_bound(person: "Person") -> None:
    plan = person.plan("step a: exec good { on passed -> completed }")
    assert "is larger than" in person.does("run", plan, "--params", "/dev/zero", code=2).err
    (person.here / "endless.json").symlink_to("/dev/zero")
    assert "is larger than" in person.does("run", "./endless.json", code=2).err
