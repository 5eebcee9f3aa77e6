"""The drawing of a plan."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import pytest

from akm_specs.plan import Plan
from akmc.cli import main
from akmc.graph.dot import dot
from akmc.graph.drawing import plan_drawing
from akmc.graph.mermaid import mermaid
from akmc.graph.svg import svg
from akmc.rules.rule import EXAMPLE_REGISTRY

PlanOf = Callable[..., Any]

LOOP = """workflow loop "Check and mend" {
  limits { transitions 5 }
  step check: gate check { attempts 2, on passed -> completed, on failed -> mend }
  step mend: agent coder { prompt "Mend it.", on passed -> check max 1 }
}"""


def test_steps_outcomes_bounds_and_terminals_are_drawn(plan_of: PlanOf) -> None:
    assert mermaid(plan_drawing(plan_of(LOOP))).splitlines() == [
        "flowchart TD",
        '  start(["start"]) --> s1',
        '  s1{{"check<br/>gate check"}}',
        '  s2(["mend<br/>agent coder"])',
        '  e1((("completed")))',
        '  e2((("failed")))',
        '  s1 -->|"failed"| s2',
        '  s1 -->|"passed"| e1',
        '  s2 -->|"passed, max 1"| s1',
        '  s2 -.->|"failed"| e2',
        '  s2 -.->|"timed_out"| e2',
    ]


def test_no_name_is_read_as_mermaid(plan_of: PlanOf) -> None:
    text = """workflow odd "Words of Mermaid" {
      param p: string
      step end: route params.p { when "x]\\" --> s1; %%<b>|" -> subgraph, otherwise -> cancelled }
      step subgraph: wait 1h30m { on passed -> completed }
    }"""
    drawn = mermaid(plan_drawing(cast(Plan, plan_of(text))))
    labels = [line.split('"')[1] for line in drawn.splitlines() if '|"' in line]
    assert labels[1] == "x#93;#34; --#62; s1#59; #37;#37;#60;b#62;#124;"
    assert 's2("subgraph<br/>wait 1h30m")' in drawn


ODD = """workflow odd "Quotes \\"and\\" <angles>" {
  step a: gate artifacts_exist ["made.txt"] { on passed -> b }
  step b: exec build { exit 3 -> again, attempts 2, on passed -> completed, on again -> b max 1 }
  limits { transitions 4 }
}"""


def test_dot_quotes_every_text_and_dots_what_is_only_a_default(plan_of: PlanOf) -> None:
    drawn = dot(plan_drawing(plan_of(ODD))).splitlines()
    assert drawn[:2] == ["digraph {", r'  label="Quotes \"and\" <angles>"']
    assert '  "a" [label="a\\ngate artifacts_exist", shape=hexagon]' in drawn
    assert '  "b" -> "b" [label="again, max 1", constraint=false]' in drawn
    assert '  "b" -> "failed" [label="failed", style=dotted]' in drawn
    assert drawn[-1] == "}"


def test_svg_is_well_formed_and_shows_every_node_and_outcome_within_its_bounds(plan_of: PlanOf) -> None:
    plan = plan_of(ODD)
    root = ElementTree.fromstring(svg(plan_drawing(plan)))
    space = "{http://www.w3.org/2000/svg}"
    assert root.findtext(f"{space}title") == plan["title"]
    texts = [found.text for found in root.iter(f"{space}text")]
    assert {"a", "b", "completed", "failed", "again, max 1", "passed"} <= set(texts)
    assert len(list(root.iter(f"{space}rect"))) == 4
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for found in root.iter(f"{space}text"):
        assert 0 < float(found.attrib["x"]) < width
        assert 0 < float(found.attrib["y"]) < height


@pytest.mark.parametrize(
    ("form", "sign"),
    [
        ("mermaid", '  s1 -->|"start"| s2'),
        ("dot", '  "open" -> "shut" [label="finish"]'),
        ("svg", "<title>A thing</title>"),
        ("promela", "  :: d_step { at == 0 -> at = 1 } /* start */"),
    ],
)
def test_a_lifecycle_is_drawn_in_every_form(
    form: str, sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = tmp_path / "thing.akm"
    source.write_text(
        'lifecycle thing "A thing" {\n'
        "  initial new\n  state open\n  final shut\n"
        "  start: new -> open\n  finish: open -> shut\n}\n"
    )
    assert main(["graph", str(source), "--to", form]) == 0
    assert sign in capsys.readouterr().out


def test_a_workflow_is_written_as_a_model_with_a_claim_for_each_property(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "registry.akm").write_text(EXAMPLE_REGISTRY)
    (tmp_path / "loop.akm").write_text(LOOP.removesuffix("}") + "  never check after mend\n}")
    assert main(["graph", str(tmp_path / "loop.akm"), "--to", "promela"]) == 0
    told = capsys.readouterr().out
    assert "ltl property_1 { [] !broken_1 } /* never check after mend */" in told
    assert "taken[" in told
