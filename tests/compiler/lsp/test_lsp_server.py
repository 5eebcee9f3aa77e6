"""The server as a process: it answers whatever is sent, stops when it is told to, and dies of no text."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akmc.rules import all_rules

TEXTS = [text for rule in all_rules() if rule.language == "akm" for text in (rule.wrong, rule.right)]
SLIPS = [
    "",
    "{",
    "}",
    "[",
    '"',
    '"""',
    "#",
    "\n",
    "\r\n",
    "\r",
    "->",
    ".",
    "step",
    "on",
    "😀",
    "漢",
    "\u2028",
    "\x0c",
]
REQUEST_FAILED, CANCELLED = -32803, -32800

gently = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def ask_everything(editor: Any, text: str, line: int, character: int) -> None:
    """Each question is answered, or refused in words that are meant for the author."""
    editor.open("any.akm", text)
    for method in ("hover", "definition", "completion", "formatting", "prepareRename", "rename"):
        options = {"options": {"tabSize": 2, "insertSpaces": True}, "newName": "other"}
        number = editor.ask(f"textDocument/{method}", {**editor.at("any.akm", line, character), **options})
        error = editor.reply(number).get("error")
        assert error is None or error["code"] == REQUEST_FAILED, error


@gently
@given(st.text(max_size=200), st.integers(0, 20), st.integers(0, 50))
def test_any_text_is_answered(editor: Any, text: str, line: int, character: int) -> None:
    ask_everything(editor, text, line, character)


@gently
@given(st.sampled_from(TEXTS), st.integers(0, 500), st.integers(0, 10), st.sampled_from(SLIPS), st.data())
def test_any_source_with_a_slip_is_answered(
    editor: Any, text: str, at: int, dropped: int, inserted: str, data: st.DataObject
) -> None:
    text = text[:at] + inserted + text[at + dropped :]
    ask_everything(editor, text, data.draw(st.integers(0, 25)), data.draw(st.integers(0, 60)))


@gently
@given(st.sampled_from(TEXTS), st.integers(0, 500))
def test_any_source_is_answered_while_it_is_typed(editor: Any, text: str, end: int) -> None:
    typed = text[:end]
    line = typed.count("\n")
    ask_everything(editor, typed, line, len(typed) - typed.rfind("\n") - 1)


def test_nothing_of_that_was_a_fault_of_the_server(editor: Any) -> None:
    editor.open("last.akm", "tool t {}\n")
    editor.wait(lambda: editor.codes("last.akm") is not None, lambda: "findings")
    assert not [each for each in editor.asked if each["method"] == "window/showMessage"]


def test_a_long_text_is_answered_soon(editor: Any) -> None:
    """Nothing looks through a text again and again: each answer comes before the editor gives up waiting."""
    for long in ("a" * 100_000, "a-" * 50_000, '"' * 100_000, "a." * 50_000, "{" * 100_000, "\n" * 100_000):
        ask_everything(editor, long, 0, len(long))


def test_a_file_that_is_not_open_is_read(editor: Any, folder: Path) -> None:
    (folder / "saved.akm").write_text('lifecycle a "t" { initial b, final c, go: b -> c }', encoding="utf-8")
    found = editor.request("textDocument/definition", editor.at("saved.akm", 0, 48))
    assert found["range"]["start"] == {"line": 0, "character": 35}


def test_a_file_that_is_not_there_is_told(editor: Any) -> None:
    assert "no such file" in editor.refusal("textDocument/hover", editor.at("absent.akm", 0, 0))


def test_each_request_has_one_answer_even_when_it_is_cancelled(editor: Any) -> None:
    editor.open("cancel.akm", TEXTS[-1])
    numbers = []
    for line in range(20):
        numbers.append(editor.ask("textDocument/hover", editor.at("cancel.akm", line, 8)))
        editor.notify("$/cancelRequest", {"id": numbers[-1]})
    editor.notify("$/cancelRequest", {"id": 999_999})
    for number in numbers:
        reply = editor.reply(number)
        assert "result" in reply or reply["error"]["code"] == CANCELLED
    assert editor.request("textDocument/hover", editor.at("cancel.akm", 500, 500)) is None


def test_what_it_does_not_know_it_refuses_and_goes_on(editor: Any) -> None:
    assert "textDocument/unheardOf" in editor.refusal("textDocument/unheardOf", {})
    editor.notify("textDocument/neverHeardOf", {"x": 1})
    editor.notify("textDocument/didChange", {"nonsense": True})
    editor.edit("never-opened.akm", "tool t {}")
    assert editor.request("textDocument/completion", editor.at("cancel.akm", 0, 0))


def test_places_are_counted_as_the_editor_wants_them(folder: Path, start: Any) -> None:
    text = 'workflow w "😀" { step a: wait 1s { on passed -> nowhere } }'
    for encoding, units in (("utf-8", 1), ("utf-32", 4)):
        editor = start(folder, [encoding])
        assert editor.capabilities["positionEncoding"] == encoding
        editor.open("units.akm", text)
        (found,) = editor.findings("units.akm", ["AKM2003"])
        column = len(text[: text.index("nowhere")].encode(encoding.replace("32", "32-le"))) // units
        assert found["range"]["start"] == {"line": 0, "character": column}
        assert editor.leave() == 0


def test_it_ends_when_its_input_ends(folder: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "akmc", "lsp"], cwd=folder, input=b"", capture_output=True, timeout=60
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")


def test_leaving_without_a_goodbye_is_told_by_the_exit_code(folder: Path, start: Any) -> None:
    editor = start(folder)
    editor.notify("exit", None)
    assert editor.process.wait(timeout=60) == 1


def test_without_both_ends_of_a_conversation_it_says_so(folder: Path) -> None:
    for closed in ("<&-", ">&-"):
        command = f"exec {sys.executable} -m akmc lsp {closed}"
        ended = subprocess.run(["sh", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60)
        assert (ended.returncode, ended.stdout) == (2, "")
        assert "one of them is closed" in ended.stderr


def test_without_the_extra_it_says_what_to_install() -> None:
    program = "import sys; sys.modules['pygls'] = None; from akmc.cli import main; sys.exit(main(['lsp']))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == "akmc: the language server needs pygls: install `akm[lsp]`, not `akm` alone\n"
