"""What an editor can ask about a place: what it is, where it comes from, what may stand there; and the layout."""

import re
from pathlib import Path
from typing import Any

import pytest

from akmc.fmt import formatted
from akmc.source import Source

SHIP = """\
# 😀 and 漢
workflow ship "Ship 📦" {
  param version: string = "1"
  limits { transitions 9 }

  step build: exec build {
    attempts 3
    with { v: params.version }
    output { file: string, parts: list of { size: int } }
    on passed -> review
  }

  step review: approval {
    by leads
    reads build.output
    timeout 1d
    on passed   -> completed
    on rejected -> mend max 2
    on expired  -> cancelled
  }

  step mend: agent coder {
    attempts 2
    prompt "Mend it"
    reads build.output.file
    on passed -> build max 2
  }
}
"""
DOOR = 'lifecycle door "A door" {\n  initial shut\n  final   gone\n  go: shut -> gone\n}\n'


@pytest.fixture(scope="module")
def ship(editor: Any) -> Any:
    """The editor, with a workflow open."""
    editor.open("ship.akm", SHIP)
    editor.open("door.akm", DOOR)
    return editor


def position(text: str, mark: str, inside: str = "") -> tuple[int, int]:
    """The line, and the UTF-16 unit in it, of where `inside` begins in the first `mark` of the text."""
    offset = text.index(mark) + mark.index(inside)
    line = text.count("\n", 0, offset)
    return line, len(text[text.rfind("\n", 0, offset) + 1 : offset].encode("utf-16-le")) // 2


def asked(editor: Any, what: str, text: str, mark: str, inside: str, name: str = "ship.akm", **more: object) -> Any:
    return editor.request(f"textDocument/{what}", {**editor.at(name, *position(text, mark, inside)), **more})


def applied(text: str, edits: list[dict[str, Any]]) -> str:
    """`text` after the edits of an answer, by the protocol's own rules."""
    lines = re.split(r"(?<=\n)", text)

    def offset(place: dict[str, int]) -> int:
        line = lines[place["line"]] if place["line"] < len(lines) else ""
        units = line.encode("utf-16-le")[: 2 * place["character"]].decode("utf-16-le")
        return sum(map(len, lines[: place["line"]])) + len(units)

    for edit in sorted(edits, key=lambda edit: -offset(edit["range"]["start"])):
        start, end = offset(edit["range"]["start"]), offset(edit["range"]["end"])
        text = text[:start] + edit["newText"] + text[end:]
    return text


# Hover


def test_over_a_step_stand_its_bounds_and_who_said_them(ship: Any) -> None:
    text = asked(ship, "hover", SHIP, "step build", "build")["contents"]["value"]
    assert "step build: exec build {" in text
    assert "| attempts | 3 | declared |" in text
    assert "| timeout | 5m | declared |" in text
    assert "| dispatch recoveries | 3 | defaulted |" in text


def test_over_a_mention_of_a_step_stands_the_same(ship: Any) -> None:
    there = asked(ship, "hover", SHIP, "-> build max 2", "build")
    assert there["contents"] == asked(ship, "hover", SHIP, "step build", "build")["contents"]
    line, character = position(SHIP, "-> build max 2", "build")
    assert there["range"]["start"] == {"line": line, "character": character}


def test_over_the_limits_stand_all_budgets_of_the_run(ship: Any) -> None:
    text = asked(ship, "hover", SHIP, "limits {", "mits")["contents"]["value"]
    assert "| transitions | 9 | declared |" in text
    assert "| duration | 30d | defaulted |" in text


@pytest.mark.parametrize(("mark", "inside"), [("attempts 3", "tempts"), ("attempts 3", "3"), ("timeout 1d", "out")])
def test_over_a_clause_that_bounds_a_step_stand_all_of_its_bounds(ship: Any, mark: str, inside: str) -> None:
    text = asked(ship, "hover", SHIP, mark, inside)["contents"]["value"]
    assert f"| {mark.replace(' ', ' | ')} | declared |" in text


def test_over_a_name_from_the_registry_stands_its_entry(ship: Any) -> None:
    text = asked(ship, "hover", SHIP, "by leads", "leads")["contents"]["value"]
    assert "group leads [alice, bob]" in text


def test_over_a_finding_stands_what_it_means(ship: Any) -> None:
    text = SHIP.replace("-> review", "-> revue")
    ship.open("wrong.akm", text)
    ship.findings("wrong.akm", ["AKM2003"])
    said = asked(ship, "hover", text, "-> revue", "vue", "wrong.akm")["contents"]["value"]
    assert said.startswith("### AKM2003:")
    assert "Right:" in said


def test_over_nothing_stands_nothing(ship: Any) -> None:
    assert asked(ship, "hover", SHIP, "# 😀 and", "and") is None


# Definition


@pytest.mark.parametrize(
    ("mark", "inside", "home", "target"),
    [
        ("-> review", "view", "ship.akm", "step review"),
        ("reads build.output\n", "build", "ship.akm", "step build"),
        ("params.version", "version", "ship.akm", "param version"),
        ("exec build", "build", "registry.akm", "tool build"),
        ("agent coder", "coder", "registry.akm", "agent coder"),
        ("by leads", "leads", "registry.akm", "group leads"),
    ],
)
def test_a_name_leads_to_where_it_is_defined(
    ship: Any, folder: Path, mark: str, inside: str, home: str, target: str
) -> None:
    found = asked(ship, "definition", SHIP, mark, inside)
    assert found["uri"] == ship.uri(home)
    text = SHIP if home == "ship.akm" else (folder / home).read_text(encoding="utf-8")
    line, character = position(text, target, target.split()[1])
    assert found["range"]["start"] == {"line": line, "character": character}


def test_a_state_leads_to_where_it_is_defined(ship: Any) -> None:
    assert asked(ship, "definition", DOOR, "-> gone", "gone", "door.akm")["range"]["start"]["line"] == 2


def test_a_terminal_a_person_and_an_outcome_lead_nowhere(ship: Any) -> None:
    assert asked(ship, "definition", SHIP, "-> completed", "completed") is None
    assert asked(ship, "definition", SHIP, "on passed", "passed") is None


def test_names_lead_on_while_the_text_is_half_written(ship: Any) -> None:
    text = SHIP[: SHIP.index("  step mend")] + "  step mend: agent coder {\n    prompt\n    on passed -> build ma\n"
    ship.open("half.akm", text)
    found = asked(ship, "definition", text, "-> review", "review", "half.akm")
    assert found["range"]["start"]["line"] == position(text, "step review")[0]


# Rename


def test_a_step_is_renamed_everywhere_and_nothing_else_is(ship: Any) -> None:
    edits = asked(ship, "rename", SHIP, "reads build.output\n", "build", newName="make")["changes"]
    assert list(edits) == [ship.uri("ship.akm")]
    expected = re.sub(r"(step |reads |-> )build\b", r"\1make", SHIP)
    assert applied(SHIP, edits[ship.uri("ship.akm")]) == expected
    assert "exec build" in expected


def test_places_of_a_rename_count_utf_16_units_and_lines_of_every_kind(ship: Any) -> None:
    text = 'workflow w "😀" { step a: wait 1s { on passed -> b }, step b: wait 1s { on passed -> completed } }\r\n'
    ship.open("oneline.akm", text)
    edits = asked(ship, "rename", text, "-> b", "b", "oneline.akm", newName="last-one")["changes"]
    assert applied(text, edits[ship.uri("oneline.akm")]) == text.replace("-> b ", "-> last-one ").replace(
        "step b", "step last-one"
    )


def test_a_parameter_and_a_state_are_renamed(ship: Any) -> None:
    edits = asked(ship, "rename", SHIP, "params.version", "version", newName="release")["changes"]
    assert applied(SHIP, edits[ship.uri("ship.akm")]) == SHIP.replace("version", "release")
    edits = asked(ship, "rename", DOOR, "shut", "shut", "door.akm", newName="closed")["changes"]
    assert applied(DOOR, edits[ship.uri("door.akm")]) == DOOR.replace("shut", "closed")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("review", "has a meaning here already"),
        ("completed", "has a meaning here already"),
        ("failed", "AKM2002"),
        ("params", "AKM"),
        ("two words", "AKM"),
        ("", "AKM"),
        ("a # b", "AKM"),
    ],
)
def test_a_name_that_would_change_the_meaning_is_refused(ship: Any, name: str, why: str) -> None:
    place = ship.at("ship.akm", *position(SHIP, "step build", "build"))
    assert why in ship.refusal("textDocument/rename", {**place, "newName": name})


@pytest.mark.parametrize(
    ("mark", "inside"), [("exec build", "build"), ("-> completed", "comp"), ("by leads", "lea")]
)
def test_what_is_not_defined_in_the_file_is_not_renamed(ship: Any, mark: str, inside: str) -> None:
    place = ship.at("ship.akm", *position(SHIP, mark, inside))
    assert re.search("renamed|not defined", ship.refusal("textDocument/prepareRename", place))


def test_nothing_is_renamed_in_a_text_that_cannot_be_read_whole(ship: Any) -> None:
    text = SHIP.replace("attempts 3", "attempts")
    ship.open("broken.akm", text)
    place = ship.at("broken.akm", *position(text, "step build", "build"))
    assert "line 7 has a syntax error" in ship.refusal("textDocument/rename", {**place, "newName": "make"})


def test_what_can_be_renamed_is_shown_before(ship: Any) -> None:
    line, character = position(SHIP, "step review", "review")
    assert asked(ship, "prepareRename", SHIP, "step review", "view") == {
        "start": {"line": line, "character": character},
        "end": {"line": line, "character": character + 6},
    }


# Completion


def completed(ship: Any, text: str) -> dict[str, str]:
    """The words offered where `|` stands, with what they are."""
    ship.open("complete.akm", text.replace("|", ""))
    items = ship.request("textDocument/completion", ship.at("complete.akm", *position(text, "|", "|")))
    return {item["label"]: item["detail"] for item in items}


def test_in_an_empty_file_the_documents_are_offered(ship: Any) -> None:
    assert {"workflow", "lifecycle", "tool", "agent", "group"} <= set(completed(ship, "|"))


def test_where_a_clause_begins_its_words_are_offered_and_no_others(ship: Any) -> None:
    offered = completed(ship, SHIP.replace("attempts 3", "att|"))
    assert {"attempts", "timeout", "with", "on", "exit"} <= set(offered)
    assert not {"by", "prompt", "step", "passed", "build"} & set(offered)
    assert completed(ship, SHIP.replace("  limits", "  |limits"))["step"] == "keyword"


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("-> review", "-> |", {"build": "step", "review": "step", "mend": "step", "completed": "terminal"}),
        ("-> review", "-> re|view", {"build": "step", "mend": "step", "cancelled": "terminal"}),
        ("exec build {", "exec | {", {"build": "tool", "model": "tool"}),
        ("exec build {", "exec |", {"build": "tool", "model": "tool"}),
        ("agent coder", "agent |", {"coder": "agent"}),
        ("by leads", "by [|]", {"leads": "group"}),
        ("on passed -> review", "on | -> review", {"passed": "outcome", "timed_out": "outcome"}),
        ("attempts 3", "retry 2 on |", {"failed": "reason", "timeout": "reason"}),
        ("attempts 3", "evidence file: |", {"artifact": "evidence"}),
        ("attempts 3", "isolation |", {"worktree": "isolation"}),
        ("reads build.output\n", "reads |\n", {"build": "step", "params": "param"}),
        ("reads build.output\n", "reads [build.output, |\n", {"build": "step", "params": "param"}),
        ("v: params.version", "v: |", {"build": "step", "params": "param"}),
        ("params.version", "params.|", {"version": "field"}),
        ("reads build.output\n", "reads build.|\n", {"output": "field"}),
        ("reads build.output\n", "reads build.output.|\n", {"file": "field", "parts": "field"}),
        ("reads build.output\n", "reads build.output.parts[0].s|\n", {"size": "field"}),
    ],
)
def test_names_are_offered_where_they_mean_something(ship: Any, old: str, new: str, names: dict[str, str]) -> None:
    offered = completed(ship, SHIP.replace(old, new, 1))
    assert names.items() <= offered.items()
    assert "attempts" not in offered


@pytest.mark.parametrize("new", ["# -> |", '"on |', '"""\n  step |', '"on |"'])
def test_nothing_is_offered_in_comments_and_texts(ship: Any, new: str) -> None:
    assert completed(ship, SHIP.replace("attempts 3", new)) == {}


def test_an_offer_replaces_the_word_that_is_being_written(ship: Any) -> None:
    text = SHIP.replace("-> review", "-> revue")
    ship.open("complete.akm", text)
    line, character = position(text, "-> revue", "revue")
    items = ship.request("textDocument/completion", ship.at("complete.akm", line, character + 3))
    assert items[0]["textEdit"]["range"] == {
        "start": {"line": line, "character": character},
        "end": {"line": line, "character": character + 5},
    }


# Formatting


def formatting(ship: Any, name: str) -> Any:
    options = {"tabSize": 8, "insertSpaces": False}
    document = {"uri": ship.uri(name)}
    return ship.request("textDocument/formatting", {"textDocument": document, "options": options})


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_a_text_is_laid_out_with_the_line_ends_it_has(ship: Any, line_end: str) -> None:
    text = SHIP.replace("    attempts 3\n", "attempts   3 # 😀\n\n\n").replace("\n", line_end)
    ship.open("layout.akm", text)
    edits = formatting(ship, "layout.akm")
    laid_out = applied(text, edits)
    assert laid_out == formatted(Source("layout.akm", text)).replace("\n", line_end)
    assert len("".join(edit["newText"] for edit in edits)) < len(text) / 4
    ship.open("layout.akm", laid_out)
    assert formatting(ship, "layout.akm") == []


def test_an_end_without_a_line_end_gets_one(ship: Any) -> None:
    ship.open("layout.akm", SHIP.rstrip("\n"))
    assert applied(SHIP.rstrip("\n"), formatting(ship, "layout.akm")) == SHIP


def test_a_text_with_a_syntax_error_is_not_laid_out(ship: Any) -> None:
    ship.open("layout.akm", SHIP.replace("attempts 3", "attempts"))
    assert formatting(ship, "layout.akm") is None
