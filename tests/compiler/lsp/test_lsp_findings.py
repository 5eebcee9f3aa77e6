"""Findings as an author types: in buffers that were never saved, and across files."""

from pathlib import Path
from typing import Any

from akmc.cli import main

GOOD = """\
workflow ship "Ship 📦 it" {
  step build: exec build {
    on passed -> completed
  }
}
"""


def place(finding: dict[str, Any]) -> tuple[int, int, int, int]:
    start, end = finding["range"]["start"], finding["range"]["end"]
    return start["line"], start["character"], end["line"], end["character"]


def test_findings_come_and_go_with_the_text(editor: Any) -> None:
    editor.open("come.akm", GOOD.replace("-> completed", "-> complete"))
    (found,) = editor.findings("come.akm", ["AKM2003"])
    assert (found["severity"], found["source"]) == (1, "akmc")
    assert "did you mean `completed`?" in found["message"]
    assert place(found) == (2, 17, 2, 25)
    editor.edit("come.akm", GOOD)
    editor.findings("come.akm", [])
    editor.edit("come.akm", GOOD.replace("exec", "exce"))
    (found,) = editor.findings("come.akm", ["AKM0001"])
    assert place(found) == (1, 14, 1, 18)


def test_places_count_utf_16_units_whatever_ends_the_lines(editor: Any) -> None:
    text = 'workflow w "😀 漢" { step a: exec nothing { on passed -> completed } }'
    editor.open("wide.akm", "# 😀\r\n\r" + text + "\r\n")
    (found,) = editor.findings("wide.akm", ["AKM2011"])
    column = len(text[: text.index("nothing")].encode("utf-16-le")) // 2
    assert place(found) == (2, column, 2, column + 7)


def test_a_changed_registry_is_checked_before_it_is_saved(editor: Any, folder: Path) -> None:
    beside = folder / "beside"
    beside.mkdir()
    (beside / "registry.akm").write_text('tool build { argv ["make"] }\n', encoding="utf-8")
    editor.open("beside/a.akm", GOOD)
    editor.findings("beside/a.akm", [])
    editor.open("beside/registry.akm", 'tool other { argv ["make"] }\n')
    editor.findings("beside/a.akm", ["AKM2011"])
    editor.edit("beside/registry.akm", 'tool build { argv ["make"] }\n')
    editor.findings("beside/a.akm", [])
    editor.edit("beside/registry.akm", 'tool build { argv ["make" }\n')
    editor.findings("beside/registry.akm", ["AKM0003"])
    editor.close("beside/registry.akm")
    editor.findings("beside/a.akm", [])
    editor.findings("beside/registry.akm", [])


def test_a_registry_that_was_never_saved_counts_until_it_is_closed(editor: Any, folder: Path) -> None:
    (folder / "unsaved").mkdir()
    editor.open("unsaved/a.akm", GOOD)
    editor.findings("unsaved/a.akm", ["AKM9001"])
    editor.open("unsaved/registry.akm", 'tool build { argv ["make"] }\n')
    editor.findings("unsaved/a.akm", [])
    editor.close("unsaved/registry.akm")
    editor.findings("unsaved/a.akm", ["AKM9001"])


def test_a_registry_that_is_changed_on_disk_is_checked_too(editor: Any, folder: Path) -> None:
    beside = folder / "disk"
    beside.mkdir()
    editor.open("disk/a.akm", GOOD)
    editor.findings("disk/a.akm", ["AKM9001"])
    (beside / "registry.akm").write_text('tool build { argv ["make"] }\n', encoding="utf-8")
    changes = [{"uri": editor.uri("disk/registry.akm"), "type": 1}]
    editor.notify("workspace/didChangeWatchedFiles", {"changes": changes})
    editor.findings("disk/a.akm", [])
    assert any(each["method"] == "client/registerCapability" for each in editor.asked)


def test_an_edit_that_comes_too_late_is_left(editor: Any) -> None:
    editor.open("late.akm", GOOD)
    editor.findings("late.akm", [])
    editor.edit("late.akm", GOOD.replace("completed", "nowhere"), version=5_000_000)
    editor.findings("late.akm", ["AKM2003"])
    editor.published.clear()
    editor.edit("late.akm", GOOD, version=4_999_999)
    editor.edit("late.akm", GOOD.replace("completed", "nope").replace("passed", "past"), version=5_000_001)
    editor.findings("late.akm", ["AKM2004", "AKM2003"])
    assert [each["version"] for each in editor.published] == [5_000_001]


def test_what_could_not_be_read_from_a_file_is_said(editor: Any) -> None:
    editor.open("null.akm", 'workflow w "\0" {}')
    (found,) = editor.findings("null.akm", ["unreadable"])
    assert "NUL" in found["message"]
    editor.open("lone.akm", "# \ud800")
    editor.findings("lone.akm", ["unreadable"])


def test_a_buffer_that_is_no_file_has_no_registry_beside_it(editor: Any) -> None:
    document = {"uri": "untitled:Untitled-1", "languageId": "akm", "version": 1, "text": GOOD}
    editor.notify("textDocument/didOpen", {"textDocument": document})
    editor.wait(lambda: any(each["uri"] == document["uri"] for each in editor.published), lambda: "findings")
    (found,) = next(each["diagnostics"] for each in editor.published if each["uri"] == document["uri"])
    assert found["code"] == "AKM9001"


def test_findings_are_those_of_lint(editor: Any, folder: Path, capsys: Any) -> None:
    text = GOOD.replace("build {", "biuld {").replace("completed", "nowhere")
    (folder / "same.akm").write_text(text, encoding="utf-8")
    main(["lint", str(folder / "same.akm")])
    told = capsys.readouterr().out
    editor.open("same.akm", text)
    editor.wait(lambda: bool(editor.codes("same.akm")), lambda: "findings")
    findings = editor.findings("same.akm", editor.codes("same.akm"))
    for found in findings:
        assert f":{found['range']['start']['line'] + 1}:" in told
        assert found["code"] in told
