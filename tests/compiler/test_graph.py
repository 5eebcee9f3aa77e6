"""The drawing of a plan."""

from collections.abc import Callable
from typing import Any, cast

from akm_specs.plan import Plan
from akmc.graph.drawing import plan_drawing
from akmc.graph.mermaid import mermaid

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
