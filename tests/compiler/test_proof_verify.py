"""`akmc verify`: what it proves, refutes and prints."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from akm_specs.canonical import seal
from akm_specs.plan import Plan
from akmc.cli import main
from akmc.proof.answers import proof_of
from akmc.proof.traces import trace_of, trace_text
from akmc.proof.verification import verify
from akmc.rules.rule import EXAMPLE_REGISTRY

PlanOf = Callable[..., Plan]
Verified = Callable[..., tuple[int, Any]]

LOOP = """workflow loop "Check and mend" {{
  limits {{ transitions 9 }}
  step check: gate check {{ attempts 4, on passed -> ship, on failed -> mend max 3 }}
  step mend: agent coder {{ attempts 3, prompt "Mend it.", on passed -> check max 3 }}
  step ship: exec upload {{ on passed -> completed }}
  {property}
}}"""


@pytest.fixture
def verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Verified:
    """The exit code and the document of `akmc verify --json`, beside the rules' registry."""

    def run(text: str) -> tuple[int, Any]:
        (tmp_path / "registry.akm").write_text(EXAMPLE_REGISTRY)
        (tmp_path / "work.akm").write_text(text)
        code = main(["verify", "--json", str(tmp_path / "work.akm")])
        return code, json.loads(capsys.readouterr().out)

    return run


@pytest.mark.parametrize(
    "stated",
    [
        "require check before ship",
        "require check at most 4",
        "require mend reaches completed only through check",
        "never check after ship",
    ],
)
def test_a_property_that_every_run_keeps_is_proved(stated: str, verified: Verified) -> None:
    code, found = verified(LOOP.format(property=stated))
    assert (code, found["verdict"]) == (0, "proved")
    assert [(each["property"], each["verdict"]) for each in found["properties"]] == [(stated, "proved")]


@pytest.mark.parametrize(
    ("stated", "shortest"),
    [
        ("require mend before ship", "check (passed) -> ship"),
        ("require check at most 2", "check (failed) -> mend (passed) -> check (failed) -> mend (passed) -> check"),
        ("require check reaches completed only through mend", "check (passed) -> ship (passed) -> completed"),
        ("never check after mend", "check (failed) -> mend (passed) -> check"),
    ],
)
def test_a_property_that_a_run_breaks_is_refuted_by_a_shortest_one(
    stated: str, shortest: str, verified: Verified
) -> None:
    code, found = verified(LOOP.format(property=stated))
    assert (code, found["verdict"]) == (1, "refuted")
    refuted = found["properties"][0]
    trace = refuted["trace"]
    told = " -> ".join([*(f"{visit['step']} ({visit['outcome']})" for visit in trace["visits"]), trace["end"]])
    assert told == shortest
    assert refuted["mermaid"].startswith("sequenceDiagram\n")
    assert refuted["broken"] in refuted["mermaid"]


def test_a_budget_can_be_what_keeps_a_property(verified: Verified) -> None:
    """The third repair is entered by the fifth transition."""
    text = LOOP.format(property="require mend at most 2")
    assert verified(text.replace("transitions 9", "transitions 4"))[1]["verdict"] == "proved"
    assert verified(text.replace("transitions 9", "transitions 5"))[1]["verdict"] == "refuted"


def test_a_longer_way_is_followed_too_where_it_saves_what_is_needed_later(verified: Verified) -> None:
    """The short way to `merge` takes the only entry of `check`, without which `undo` is out of reach."""
    text = """workflow w "Merge, then check" {
      limits { transitions 12 }
      step begin: exec build { exit 3 -> risky, on passed -> check, on risky -> review }
      step review: wait signal looked { timeout 1h, on passed -> merge, on expired -> failed }
      step merge: exec build { attempts 2, on passed -> check, on failed -> failed }
      step check: gate check { on passed -> merge max 1, on failed -> undo }
      step undo: exec build { on passed -> completed }
      never undo after merge
    }"""
    code, found = verified(text)
    assert code == 1
    visited = [visit["step"] for visit in found["properties"][0]["trace"]["visits"]]
    assert visited == ["begin", "review", "merge", "check"]


def test_a_step_passes_by_an_outcome_with_output_where_it_has_no_outcome_passed(plan_of: PlanOf) -> None:
    text = """workflow w "Choose, then ship" {
      param fast: boolean = true
      step choose: route params.fast { when true -> ship, when false -> failed, otherwise -> failed }
      step ship: exec upload { on passed -> completed }
      require choose before ship
    }"""
    (_, answer), *_ = proof_of(plan_of(text)).answers
    assert answer.verdict == "proved"


def test_the_worst_case_is_what_the_budgets_allow_and_has_the_run_that_reaches_it(verified: Verified) -> None:
    _, found = verified(LOOP.format(property=""))
    worst = {name: each["most"] for name, each in found["worst"].items()}
    assert worst["transitions"] == found["longest_path"] == 8
    assert worst["entries"] == worst["assignments"] == 8
    # Four checks and three repairs, each with three replacements of a lost attempt, and an upload with as many.
    assert worst["attempts"] == 8 * 4
    assert worst["agent_attempts"] == 3 * 4
    # Ten minutes for each attempt, and as long to ask after the receipt of each upload.
    assert worst["wall_ms"] == (8 * 4 + 4) * 600_000
    outcomes = [visit["outcome"] for visit in found["worst"]["transitions"]["path"]["visits"]]
    assert outcomes[:7] == ["failed", "passed"] * 3 + ["passed"]
    assert all(each["exact"] for each in found["worst"].values())


def test_where_a_budget_can_end_a_run_is_told(verified: Verified) -> None:
    _, found = verified(LOOP.format(property="").replace("attempts 4", "attempts 3"))
    assert found["budget_ends"] == [{"step": "mend", "outcome": "passed", "budgets": ["the attempts of check"]}]


def test_a_refused_budget_is_no_dead_end_but_a_circle_without_a_way_out_is_one(plan_of: PlanOf) -> None:
    plan = plan_of(LOOP.format(property=""))
    for step in plan["steps"][:2]:
        for transition in step["transitions"].values():
            transition["target"] = {"ship": "check", "failed": "mend"}.get(
                transition["target"], transition["target"]
            )
    found = verify(plan, "0" * 64)
    assert found.dead_ends == ("check", "mend")
    assert found.verdict == "refuted"


def test_a_plan_that_pins_another_worst_case_is_refuted(plan_of: PlanOf) -> None:
    plan = plan_of(LOOP.format(property=""))
    assert verify(plan, "0" * 64).verdict == "proved"
    plan["worst"]["attempts"] += 1
    assert verify(plan, "0" * 64).verdict == "refuted"


def test_a_plan_is_verified_as_its_source_is(
    plan_of: PlanOf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of(LOOP.format(property="require check before ship"))
    data, plan_hash = seal(plan)
    (tmp_path / "work.plan.json").write_bytes(data)
    assert main(["verify", str(tmp_path / "work.plan.json")]) == 0
    told = capsys.readouterr().out
    assert told.startswith(f"loop: proved  {plan_hash}\n")
    assert "  proved: require check before ship\n" in told


def test_a_refuted_property_is_told_with_its_run_and_a_sequence_diagram(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "registry.akm").write_text(EXAMPLE_REGISTRY)
    (tmp_path / "work.akm").write_text(LOOP.format(property="never check after mend"))
    assert main(["verify", str(tmp_path / "work.akm")]) == 1
    told = capsys.readouterr().out
    assert "refuted: never check after mend" in told
    assert "      check (failed) -> mend (passed) -> check\n" in told
    assert "\n    sequenceDiagram\n" in told
    assert "enter check#35;2" not in told
    assert "enter check#35;1" in told


def test_a_plan_whose_outcome_leads_nowhere_is_no_traceback(
    plan_of: PlanOf, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = plan_of(LOOP.format(property=""))
    plan["steps"][0]["transitions"]["passed"]["target"] = "nowhere"
    (tmp_path / "work.plan.json").write_bytes(seal(plan)[0])
    assert main(["verify", str(tmp_path / "work.plan.json")]) == 2
    assert "step 'check' leads to 'nowhere', which is not there" in capsys.readouterr().err


def test_a_workflow_of_thirteen_steps_is_looked_at_whole(fix_plan: Plan) -> None:
    found = verify(fix_plan, "0" * 64)
    assert found.verdict == "proved"
    assert found.explorer.explored is not None
    assert found.most["transitions"].most == 28
    path = found.most["transitions"].path
    assert path is not None
    assert trace_text(trace_of(found.model, path)).startswith(
        "intake (passed) -> explore (passed) -> write (failed)"
    )


def test_a_child_is_verified_too_and_what_it_comes_to_counts_for_its_parent(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "registry.akm").write_text(EXAMPLE_REGISTRY)
    (tmp_path / "child.akm").write_text(LOOP.format(property="require check before ship"))
    (tmp_path / "work.akm").write_text("""workflow outer "Runs another" {
      limits { transitions 4 }
      step first: workflow "child.akm" {
        attempts 2, on completed -> completed, on cancelled -> failed, on failed -> first max 1
      }
    }""")
    assert main(["verify", "--json", str(tmp_path / "work.akm")]) == 0
    found = json.loads(capsys.readouterr().out)
    (child,) = found["children"]
    assert child["properties"][0]["verdict"] == "proved"
    assert found["worst"]["entries"]["most"] == 2
    assert found["nested"]["entries"]["most"] == 2 + 2 * child["worst"]["entries"]["most"]
    assert found["worst"]["wall_ms"]["most"] == 2 * child["worst"]["wall_ms"]["most"]
