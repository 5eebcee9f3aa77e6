"""The command akmc, as a process: what it prints, where, with which exit code, and what it leaves behind."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from akm_specs.canonical import unseal

Akmc = Callable[..., subprocess.CompletedProcess[str]]

REGISTRY = 'tool build { argv ["make"] }\n'
GOOD = 'workflow good "Build" { step build: exec build { on passed -> completed } }\n'
BAD = 'workflow bad "Build" {\n  step build: exec biuld { on passed -> nowhere }\n}\n'
DOOR = 'lifecycle door "A door" { initial open, final gone, go: open -> gone }\n'
WARNED = """workflow warned "Build" { param token: string, step build: exec build {
  with { given: params.token }, on passed -> completed
} }
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    (tmp_path / "good.akm").write_text(GOOD, encoding="utf-8")
    return tmp_path


@pytest.fixture
def akmc(folder: Path) -> Akmc:
    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "akmc", *arguments]
        return subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


def files_in(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_compile_writes_the_plan_beside_the_source_and_prints_its_hash(akmc: Akmc, folder: Path) -> None:
    ended = akmc("compile", "good.akm")
    assert (ended.returncode, ended.stderr) == (0, "")
    _, digest = unseal((folder / "good.plan.json").read_bytes())
    assert ended.stdout == f"good.plan.json  {digest}\n"
    assert files_in(folder) == {"registry.akm", "good.akm", "good.plan.json"}


def test_compile_writes_where_it_is_told_to_beside_the_registry_it_is_told(akmc: Akmc, folder: Path) -> None:
    (folder / "registry.akm").rename(folder / "tools.akm")
    assert akmc("compile", "good.akm", "--registry", "tools.akm", "-o", "out.json").returncode == 0
    assert "out.json" in files_in(folder)


def test_compile_as_json_is_one_document(akmc: Akmc, folder: Path) -> None:
    (folder / "warned.akm").write_text(WARNED, encoding="utf-8")
    ended = akmc("compile", "--json", "warned.akm")
    document = json.loads(ended.stdout)
    _, digest = unseal((folder / "warned.plan.json").read_bytes())
    (warning,) = document.pop("warnings")
    assert document == {"workflow": "warned", "plan": "warned.plan.json", "plan_hash": digest}
    assert (warning["code"], warning["severity"], warning["file"]) == ("AKM4012", "warning", "warned.akm")
    assert (warning["line"], warning["column"], warning["end_column"]) == (1, 33, 38)


def test_a_warning_does_not_stop_the_plan(akmc: Akmc, folder: Path) -> None:
    (folder / "warned.akm").write_text(WARNED, encoding="utf-8")
    ended = akmc("compile", "warned.akm")
    assert ended.returncode == 0
    assert "warning AKM4012" in ended.stderr


def test_findings_name_file_line_and_column_and_nothing_is_written(akmc: Akmc, folder: Path) -> None:
    (folder / "bad.akm").write_text(BAD, encoding="utf-8")
    ended = akmc("compile", "bad.akm")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "bad.akm:2:20: error AKM2011" in ended.stderr
    assert "did you mean `build`?" in ended.stderr
    assert "AKM2003" in ended.stderr
    assert "\033[" not in ended.stderr
    assert "bad.plan.json" not in files_in(folder)


def test_findings_as_json_are_one_document(akmc: Akmc, folder: Path) -> None:
    (folder / "bad.akm").write_text(BAD, encoding="utf-8")
    ended = akmc("compile", "--json", "bad.akm")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert [each["code"] for each in json.loads(ended.stdout)["diagnostics"]] == ["AKM2011", "AKM2003"]


def test_a_failed_compilation_leaves_the_earlier_plan_alone(akmc: Akmc, folder: Path) -> None:
    akmc("compile", "good.akm")
    before = (folder / "good.plan.json").read_bytes()
    (folder / "good.akm").write_text(BAD, encoding="utf-8")
    assert akmc("compile", "good.akm").returncode == 1
    assert (folder / "good.plan.json").read_bytes() == before


def test_errors_of_registry_and_workflow_are_reported_in_one_run(akmc: Akmc, folder: Path) -> None:
    (folder / "bad.akm").write_text(BAD, encoding="utf-8")
    (folder / "registry.akm").write_text(REGISTRY + 'tool build { argv ["again"] }\n', encoding="utf-8")
    ended = akmc("compile", "bad.akm")
    assert "registry.akm:2:6: error AKM5001" in ended.stderr
    assert "AKM2003" in ended.stderr


def test_a_missing_registry_is_told_with_the_place_where_it_was_looked_for(akmc: Akmc, folder: Path) -> None:
    (folder / "registry.akm").unlink()
    ended = akmc("compile", "good.akm")
    assert ended.returncode == 1
    assert "AKM9001" in ended.stderr
    assert "none at registry.akm" in ended.stderr


def test_a_registry_is_no_workflow_and_a_workflow_no_registry(akmc: Akmc) -> None:
    assert "AKM1006: a workflow is needed here" in akmc("compile", "registry.akm").stderr
    assert "AKM1006: a registry is needed here" in akmc("compile", "good.akm", "--registry", "good.akm").stderr


def test_a_lifecycle_compiles_to_its_table(akmc: Akmc, folder: Path) -> None:
    (folder / "door.akm").write_text(DOOR, encoding="utf-8")
    ended = akmc("compile", "--json", "door.akm")
    _, digest = unseal((folder / "door.json").read_bytes())
    assert json.loads(ended.stdout) == {
        "lifecycle": "door",
        "table": "door.json",
        "table_hash": digest,
        "warnings": [],
    }


class TestCheck:
    def test_passes_when_the_committed_plan_is_what_the_source_compiles_to(self, akmc: Akmc) -> None:
        akmc("compile", "good.akm")
        assert akmc("compile", "--check", "good.akm").returncode == 0

    def test_fails_when_there_is_no_plan_and_writes_none(self, akmc: Akmc, folder: Path) -> None:
        ended = akmc("compile", "--check", "good.akm")
        assert ended.returncode == 1
        assert "AKM9002" in ended.stderr
        assert "good.plan.json" not in files_in(folder)

    def test_of_a_folder_checks_the_sources_whose_compiled_file_is_committed(
        self, akmc: Akmc, folder: Path
    ) -> None:
        (folder / "deep").mkdir()
        (folder / "deep" / "door.akm").write_text(DOOR, encoding="utf-8")
        (folder / "uncommitted.akm").write_text(GOOD, encoding="utf-8")
        for name in ("good.akm", "deep/door.akm"):
            assert akmc("compile", name).returncode == 0
        ended = akmc("compile", "--check", ".")
        assert ended.returncode == 0
        assert [line.split("  ")[0] for line in ended.stdout.splitlines()] == ["good.plan.json", "deep/door.json"]
        document = json.loads(akmc("compile", "--check", "--json", "good.akm", "deep").stdout)
        assert [each.get("plan", each.get("table")) for each in document["checked"]] == [
            "good.plan.json",
            "deep/door.json",
        ]

    def test_of_several_tells_all_that_is_stale_in_one_run(self, akmc: Akmc, folder: Path) -> None:
        (folder / "other.akm").write_text(GOOD, encoding="utf-8")
        ended = akmc("compile", "--check", "good.akm", "other.akm")
        assert ended.returncode == 1
        assert ended.stderr.count("AKM9002") == 2

    def test_of_a_folder_without_compiled_files_is_no_success(self, akmc: Akmc, folder: Path) -> None:
        ended = akmc("compile", "--check", ".")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "has its compiled file beside it" in ended.stderr

    def test_alone_takes_several_sources(self, akmc: Akmc) -> None:
        assert akmc("compile", "good.akm", "registry.akm").returncode == 2
        assert akmc("compile", "--check", "good.akm", "good.akm", "-o", "out.json").returncode == 2

    @pytest.mark.parametrize("edited", ["good.akm", "registry.akm", "good.plan.json"])
    def test_fails_when_source_registry_or_plan_was_edited(self, akmc: Akmc, folder: Path, edited: str) -> None:
        akmc("compile", "good.akm")
        text = (folder / edited).read_text(encoding="utf-8")
        (folder / edited).write_text(text.replace("Build", "Build it").replace("make", "cmake"), encoding="utf-8")
        ended = akmc("compile", "--check", "good.akm")
        assert ended.returncode == 1
        assert "AKM9002" in ended.stderr


class TestLint:
    def test_reports_every_finding_of_every_file_in_one_run(self, akmc: Akmc, folder: Path) -> None:
        (folder / "deep").mkdir()
        (folder / "deep" / "bad.akm").write_text(BAD, encoding="utf-8")
        (folder / "deep" / "registry.akm").write_text(REGISTRY, encoding="utf-8")
        (folder / "torn.akm").write_text("workflow torn {\n", encoding="utf-8")
        (folder / "door.akm").write_text('lifecycle door "A door" { initial open, go: open -> gone }\n', "utf-8")
        ended = akmc("lint", ".", "--format", "json")
        assert ended.returncode == 1
        document = json.loads(ended.stdout)
        assert document["unreadable"] == []
        files = {each["file"] for each in document["diagnostics"]}
        assert files == {os.path.join("deep", "bad.akm"), "torn.akm", "door.akm"}

    def test_reports_a_registry_once_however_many_workflows_use_it(self, akmc: Akmc, folder: Path) -> None:
        (folder / "other.akm").write_text(GOOD, encoding="utf-8")
        (folder / "registry.akm").write_text(REGISTRY * 2, encoding="utf-8")
        document = json.loads(akmc("lint", ".", "--format", "json").stdout)
        assert [each["code"] for each in document["diagnostics"]] == ["AKM5001"]

    def test_says_nothing_about_what_is_right(self, akmc: Akmc) -> None:
        ended = akmc("lint", "good.akm", "registry.akm")
        assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")

    def test_a_warning_is_shown_and_is_no_failure(self, akmc: Akmc, folder: Path) -> None:
        (folder / "warned.akm").write_text(WARNED, encoding="utf-8")
        ended = akmc("lint", "warned.akm")
        assert ended.returncode == 0
        assert "AKM4012" in ended.stdout

    def test_an_unreadable_file_is_told_beside_the_findings_of_the_others(self, akmc: Akmc, folder: Path) -> None:
        (folder / "bad.akm").write_text(BAD, encoding="utf-8")
        (folder / "binary.akm").write_bytes(b"\x7fELF\x00\xff")
        ended = akmc("lint", ".")
        assert ended.returncode == 2
        assert "AKM2003" in ended.stdout
        assert "binary.akm" in ended.stderr

    def test_a_folder_without_sources_is_no_success(self, akmc: Akmc, folder: Path) -> None:
        (folder / "empty").mkdir()
        assert akmc("lint", "empty").returncode == 2


class TestExplain:
    def test_shows_a_wrong_and_a_right_example(self, akmc: Akmc) -> None:
        ended = akmc("explain", "AKM2003")
        assert ended.returncode == 0
        assert "Wrong:" in ended.stdout
        assert "Right:" in ended.stdout

    def test_an_unknown_code_is_wrong_usage_and_names_the_nearest(self, akmc: Akmc) -> None:
        ended = akmc("explain", "AKM20003")
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "AKM2003" in ended.stderr


class TestGraph:
    def test_source_and_plan_draw_the_same(self, akmc: Akmc) -> None:
        akmc("compile", "good.akm")
        of_source, of_plan = akmc("graph", "good.akm"), akmc("graph", "good.plan.json", "--to", "mermaid")
        assert of_source.stdout == of_plan.stdout
        assert of_source.stdout.startswith("flowchart TD\n")

    @pytest.mark.parametrize("content", ["{}", "[", '{"hash": "x"}', "[" * 100_000, "\udcff"])
    def test_what_is_no_plan_is_refused(self, akmc: Akmc, folder: Path, content: str) -> None:
        (folder / "odd.json").write_bytes(content.encode("utf-8", "surrogateescape"))
        ended = akmc("graph", "odd.json")
        assert ended.returncode == 2
        assert ended.stderr.startswith("akmc: odd.json: ")
        assert "Traceback" not in ended.stderr


def test_schema_prints_one_schema_or_all_of_them(akmc: Akmc) -> None:
    assert json.loads(akmc("schema", "plan").stdout)["$schema"].startswith("https://json-schema.org/")
    assert set(json.loads(akmc("schema").stdout)) == {"document", "registry", "plan"}
    assert akmc("schema", "nothing").returncode == 2


@pytest.mark.parametrize("command", [(), ("compile",), ("lint",), ("explain",), ("graph",), ("schema",)])
def test_every_command_has_help_with_an_example(akmc: Akmc, command: tuple[str, ...]) -> None:
    ended = akmc(*command, "--help")
    assert ended.returncode == 0
    assert "example: akmc" in ended.stdout


def test_the_version_is_printed_without_loading_the_compiler(folder: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "akmc", "--version"], cwd=folder, capture_output=True, text=True
    )
    assert ended.stdout.startswith("akmc ")
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert not loaded & {"lark", "pydantic", "jsonschema", "rfc8785", "akmc.parse"}


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\x7fELF\x02\x01\x01\x00" + bytes(range(256)), 2),
        (b"{" * 10_000_000, 2),
        (b"{" * 900_000, 1),
        (b'workflow w "never closed {\n', 1),
        (b'workflow w """', 1),
        (b"", 1),
        (b"\xff\xfe", 2),
        (b'workflow w "x" { step s: exec t { with { a: ' + b"[" * 5_000 + b" } }", 1),
    ],
    ids=["binary", "10 MB of braces", "braces", "open text", "open block", "empty", "not UTF-8", "deep"],
)
def test_bad_input_ends_with_a_finding_or_one_line_and_leaves_nothing(
    akmc: Akmc, folder: Path, content: bytes, code: int
) -> None:
    (folder / "odd.akm").write_bytes(content)
    begun = time.monotonic()
    ended = akmc("compile", "odd.akm")
    assert (ended.returncode, ended.stdout) == (code, "")
    assert ended.stderr
    assert "Traceback" not in ended.stderr
    assert "internal error" not in ended.stderr
    assert "odd.plan.json" not in files_in(folder)
    assert time.monotonic() - begun < 20


@pytest.mark.parametrize(
    "arguments",
    [
        ("compile", "absent.akm"),
        ("compile", "."),
        ("compile", "good.akm", "--registry", "absent.akm"),
        ("compile", "good.akm", "--registry", "."),
        ("compile", "good.akm", "-o", "absent/plan.json"),
        ("compile", "good.akm", "-o", "."),
        ("compile", "good.akm", "-o", "good.akm"),
        ("compile", "good.akm/under.akm"),
        ("compile", "x" * 5_000),
        ("lint", "absent"),
        ("graph", "absent.json"),
        ("graph", "absent.akm"),
    ],
    ids=lambda arguments: " ".join(arguments)[:40],
)
def test_a_file_that_cannot_be_had_is_told_in_one_line(
    akmc: Akmc, folder: Path, arguments: tuple[str, ...]
) -> None:
    ended = akmc(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("akmc: ")
    assert ended.stderr.count("\n") == 1
    assert files_in(folder) == {"registry.akm", "good.akm"}
    assert (folder / "good.akm").read_text(encoding="utf-8") == GOOD


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_file_without_permission_is_told_in_one_line(akmc: Akmc, folder: Path) -> None:
    (folder / "good.akm").chmod(0)
    assert "no permission" in akmc("compile", "good.akm").stderr


@pytest.mark.parametrize("arguments", [(), ("nothing",), ("compile",), ("compile", "a", "--nothing"), ("lint",)])
def test_wrong_usage_exits_2(akmc: Akmc, arguments: tuple[str, ...]) -> None:
    ended = akmc(*arguments)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "usage: akmc" in ended.stderr


def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    command = [sys.executable, "-m", "akmc", "schema"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(timeout=60) == 0


def test_an_output_that_cannot_be_written_is_told_in_one_line(folder: Path) -> None:
    full = Path("/dev/full")
    if not full.exists():
        pytest.skip("this system has no device that is always full")
    with full.open("wb") as device:
        command = [sys.executable, "-m", "akmc", "schema"]
        ended = subprocess.run(command, cwd=folder, stdout=device, stderr=subprocess.PIPE, text=True, timeout=60)
    assert ended.returncode == 2
    assert ended.stderr.startswith("akmc: the output cannot be written")
    assert ended.stderr.count("\n") == 1


def test_a_closed_standard_output_is_no_fault(folder: Path) -> None:
    command = [sys.executable, "-m", "akmc", "compile", "good.akm"]
    ended = subprocess.run(
        ["/bin/sh", "-c", 'exec "$@" >&-', "sh", *command], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert (ended.returncode, ended.stderr) == (0, "")
