"""The release example's tools, as real processes: what the registry promises about them is true."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

RELEASE = Path(__file__).parents[2] / "specs" / "workflows" / "release"
REQUEST = {"prompt": "A test fails.\nMend it.", "inputs": {}, "outcomes": ["passed", "failed"]}
VERSION = {"version": "1.4.0"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A private copy of the example, as a person would make one."""
    leave_out = shutil.ignore_patterns("__pycache__", "dist", "index", ".akm")
    return Path(shutil.copytree(RELEASE, tmp_path / "release", ignore=leave_out))


def tool(workspace: Path, *argv: str, request: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *argv],
        cwd=workspace,
        input=json.dumps(request),
        capture_output=True,
        text=True,
        timeout=60,
    )


def answer(workspace: Path, *argv: str, request: object) -> Any:
    """The JSON on the last line of a tool that succeeds."""
    ended = tool(workspace, *argv, request=request)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


def run_tests(workspace: Path) -> int:
    argv = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run(argv, cwd=workspace / "package", capture_output=True, timeout=60).returncode


def files(root: Path) -> dict[str, str]:
    paths = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def published(workspace: Path) -> list[str]:
    page = workspace / "index" / "slugs" / "index.html"
    return [line for line in page.read_text().splitlines() if "#sha256=" in line] if page.exists() else []


def test_the_gate_fails_until_the_agent_has_mended_the_package(workspace: Path) -> None:
    assert run_tests(workspace) == 1
    answer(workspace, "tools/mend.py", "mend", request=REQUEST)
    assert run_tests(workspace) == 0


def test_the_gate_writes_nothing(workspace: Path) -> None:
    before = files(workspace)
    run_tests(workspace)
    assert files(workspace) == before


def test_the_agent_ends_with_a_declared_result_equal_to_its_receipt(workspace: Path) -> None:
    assert answer(workspace, "tools/mend.py", "find", request=REQUEST) == {"found": False}
    declared = answer(workspace, "tools/mend.py", "mend", request=REQUEST)
    assert declared.pop("outcome") == "passed"
    assert answer(workspace, "tools/mend.py", "find", request=REQUEST) == {"found": True, "receipt": declared}


def test_the_agent_says_failed_where_it_does_not_know_the_code(workspace: Path) -> None:
    (workspace / "package" / "src" / "slugs" / "__init__.py").write_text("pass\n")
    assert answer(workspace, "tools/mend.py", "mend", request=REQUEST)["outcome"] == "failed"


def test_the_same_sources_give_the_same_wheel_anywhere(workspace: Path, tmp_path: Path) -> None:
    elsewhere = Path(shutil.copytree(workspace, tmp_path / "elsewhere"))
    for path in elsewhere.rglob("*.py"):
        os.utime(path, (1, 1))
    first = answer(workspace, "tools/build_wheel.py", request=VERSION)
    assert first == answer(workspace, "tools/build_wheel.py", request=VERSION)
    assert first == answer(elsewhere, "tools/build_wheel.py", request=VERSION)
    assert first["sha256"] == files(workspace)[first["wheel"]]


def test_a_release_of_another_version_is_not_built(workspace: Path) -> None:
    ended = tool(workspace, "tools/build_wheel.py", request={"version": "1.5.0"})
    assert ended.returncode != 0
    assert "1.4.0" in ended.stderr
    assert not (workspace / "dist").exists()


def test_a_wheel_is_published_once_and_found_by_name_and_hash(workspace: Path) -> None:
    built = answer(workspace, "tools/build_wheel.py", request=VERSION)
    assert answer(workspace, "tools/publish.py", "find", request=built) == {"found": False}
    receipt = answer(workspace, "tools/publish.py", "upload", request=built)
    assert answer(workspace, "tools/publish.py", "find", request=built) == {"found": True, "receipt": receipt}
    assert tool(workspace, "tools/publish.py", "upload", request=built).returncode != 0
    assert len(published(workspace)) == 1


def test_a_wheel_that_was_not_signed_off_is_refused(workspace: Path) -> None:
    built = answer(workspace, "tools/build_wheel.py", request=VERSION)
    (workspace / built["wheel"]).write_bytes(b"another")
    assert tool(workspace, "tools/publish.py", "upload", request=built).returncode != 0
    assert published(workspace) == []


def test_another_content_under_the_name_is_no_answer(workspace: Path) -> None:
    built = answer(workspace, "tools/build_wheel.py", request=VERSION)
    answer(workspace, "tools/publish.py", "upload", request=built)
    assert tool(workspace, "tools/publish.py", "find", request={**built, "sha256": "0" * 64}).returncode != 0


def test_an_upload_killed_in_the_middle_is_not_published_and_can_be_repeated(workspace: Path) -> None:
    built = answer(workspace, "tools/build_wheel.py", request=VERSION)
    argv = [sys.executable, "tools/publish.py", "upload"]
    upload = subprocess.Popen(argv, cwd=workspace, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert upload.stdin is not None
    upload.stdin.write(json.dumps(built))
    upload.stdin.close()
    part = workspace / "index" / "slugs" / "slugs-1.4.0-py3-none-any.whl.part"
    deadline = time.monotonic() + 30
    while not part.exists():
        assert time.monotonic() < deadline, "the upload never began"
        time.sleep(0.01)
    upload.kill()
    with upload:
        upload.wait(timeout=30)
    assert answer(workspace, "tools/publish.py", "find", request=built) == {"found": False}
    answer(workspace, "tools/publish.py", "upload", request=built)
    assert len(published(workspace)) == 1


def test_of_two_uploads_at_once_one_is_refused(workspace: Path) -> None:
    built = answer(workspace, "tools/build_wheel.py", request=VERSION)
    argv = [sys.executable, "tools/publish.py", "upload"]
    pipe = subprocess.PIPE
    both = [subprocess.Popen(argv, cwd=workspace, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in "ab"]
    for upload in both:
        assert upload.stdin is not None
        upload.stdin.write(json.dumps(built))
        upload.stdin.close()
        upload.stdin = None  # so that communicate() does not flush it again
    for upload in both:
        upload.communicate(timeout=60)
    assert sorted(upload.returncode for upload in both) == [0, 1]
    assert len(published(workspace)) == 1
