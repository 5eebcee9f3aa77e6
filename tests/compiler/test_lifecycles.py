"""Lifecycle tables: refused when anything about them is in doubt, and shipped exactly as their sources say."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from akm_specs.canonical import unseal
from akm_specs.lifecycle import NAMES, SCHEMA, load
from akmc.diagnostic import CompileFailed
from akmc.lifecycle import compile_lifecycle
from akmc.lifecycle_tables import page
from akmc.source import Source

DOOR = """
lifecycle door "A door" {
  initial open "one can walk through"
  state   shut
  final   gone, burnt

  shut: open -> shut
  open: shut -> open
  remove: open, shut -> gone
  burn: shut, open -> burnt
}
"""


def findings(text: str) -> list[tuple[str, int, str]]:
    """Code, line and marked text of each finding."""
    with pytest.raises(CompileFailed) as refused:
        compile_lifecycle(Source("a.akm", text))
    return [
        (
            found.code,
            found.source.position(found.span.start).line,
            found.source.text[found.span.start : found.span.end],
        )
        for found in refused.value.diagnostics
    ]


def test_a_table_is_sealed_with_its_moves_in_canonical_order() -> None:
    body, _ = unseal(compile_lifecycle(Source("a.akm", DOOR)))
    assert body == {
        "schema": SCHEMA,
        "name": "door",
        "title": "A door",
        "states": [
            {"name": "open", "kind": "initial", "meaning": "one can walk through"},
            {"name": "shut", "kind": "state", "meaning": ""},
            {"name": "gone", "kind": "final", "meaning": ""},
            {"name": "burnt", "kind": "final", "meaning": ""},
        ],
        "moves": [
            {"trigger": "burn", "source": "open", "target": "burnt"},
            {"trigger": "burn", "source": "shut", "target": "burnt"},
            {"trigger": "open", "source": "shut", "target": "open"},
            {"trigger": "remove", "source": "open", "target": "gone"},
            {"trigger": "remove", "source": "shut", "target": "gone"},
            {"trigger": "shut", "source": "open", "target": "shut"},
        ],
    }


def test_the_order_of_moves_and_the_line_ends_change_no_byte() -> None:
    lines = DOOR.splitlines()
    swapped = "\r\n".join([*lines[:6], *reversed(lines[6:10]), *lines[10:]])
    assert compile_lifecycle(Source("b.akm", swapped)) == compile_lifecycle(Source("a.akm", DOOR))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("state   shut", "initial shut", [("AKM6001", 4, "shut")]),
        ("initial open", "state open", [("AKM6001", 2, "door")]),
        ("gone, burnt", "gone, burnt, gone", [("AKM6002", 5, "gone")]),
        ("open -> shut", "opn -> shut", [("AKM6003", 7, "opn")]),
        ("open -> shut", "open -> shutt", [("AKM6003", 7, "shutt")]),
        ("open: shut -> open", "shut: open -> gone", [("AKM6004", 8, "open")]),
        ("open: shut -> open", "shut: open -> shut", [("AKM6004", 8, "open")]),
        ("open: shut -> open", "open: gone -> open", [("AKM6005", 8, "gone")]),
        ("shut: open -> shut\n", "", [("AKM6006", 4, "shut")]),
        ("gone, burnt", "gone, burnt, lost", [("AKM6006", 5, "lost")]),
        (
            "state   shut",
            "state shut, state stuck, state jammed, lock: open -> stuck, jam: stuck -> jammed, f: jammed -> stuck",
            [("AKM6007", 4, "stuck"), ("AKM6007", 4, "jammed")],
        ),
    ],
)
def test_a_doubtful_table_is_refused(before: str, after: str, expected: list[tuple[str, int, str]]) -> None:
    assert before in DOOR
    assert findings(DOOR.replace(before, after, 1)) == expected


def test_independent_faults_are_found_in_one_run() -> None:
    text = DOOR.replace("state   shut", "initial shut").replace("open: shut -> open", "open: gone -> lost")
    assert [code for code, _, _ in findings(text)] == ["AKM6001", "AKM6005", "AKM6003"]


def test_every_shipped_source_has_its_table_and_its_own_name() -> None:
    folder = files("akm_specs").joinpath("lifecycles")
    sources = {entry.name.removesuffix(".akm") for entry in folder.iterdir() if entry.name.endswith(".akm")}
    assert sources == set(NAMES)
    assert {name: load(name)["name"] for name in NAMES} == {name: name for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_table_is_what_its_source_compiles_to(name: str) -> None:
    folder = files("akm_specs").joinpath("lifecycles")
    source = Source.decode(f"{name}.akm", folder.joinpath(f"{name}.akm").read_bytes())
    compiled = compile_lifecycle(source)
    assert folder.joinpath(f"{name}.json").read_bytes() == compiled, f"run: akmc compile {name}.akm"
    assert json.loads(compiled)["schema"] == SCHEMA


@pytest.mark.parametrize("name", NAMES)
def test_every_state_of_a_shipped_table_says_what_it_means(name: str) -> None:
    assert [state["name"] for state in load(name)["states"] if not state["meaning"]] == []


def test_the_reference_page_is_made_from_the_tables() -> None:
    written = (Path(__file__).parents[2] / "docs" / "reference" / "lifecycles.md").read_text(encoding="utf-8")
    made = page(load(name) for name in NAMES)
    assert written == made, "run: python -m akmc.lifecycle_tables > docs/reference/lifecycles.md"
