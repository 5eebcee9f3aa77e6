"""What each omitted word means: one test for each row of the table of defaults, and its declared opposite."""

from collections.abc import Callable
from typing import Any

import pytest

from akm_specs.plan import Plan

PlanOf = Callable[..., Any]
FindingsOf = Callable[..., Any]

DAY_MS = 24 * 60 * 60 * 1000


def workflow(*clauses: str, kind: str = "exec build", head: str = "") -> str:
    lines = "\n    ".join(("on passed -> completed", *clauses))
    return f'workflow one "One step" {{\n  {head}\n  step only: {kind} {{\n    {lines}\n  }}\n}}\n'


def only(plan: Plan) -> Any:
    (step,) = plan["steps"]
    return step


def defaulted(value: int) -> dict[str, object]:
    return {"value": value, "origin": "defaulted"}


def declared(value: int) -> dict[str, object]:
    return {"value": value, "origin": "declared"}


@pytest.mark.parametrize(
    ("clause", "member", "omitted", "written"),
    [
        ("attempts 4", "attempts", defaulted(1), declared(4)),
        ("timeout 2m", "timeout_ms", defaulted(600_000), declared(120_000)),
    ],
)
def test_a_bound_of_a_step_is_marked_as_defaulted_or_declared(
    plan_of: PlanOf, clause: str, member: str, omitted: object, written: object
) -> None:
    assert only(plan_of(workflow()))[member] == omitted
    assert only(plan_of(workflow(clause)))[member] == written


@pytest.mark.parametrize("kind", ["exec", "gate"])
def test_a_step_without_timeout_has_the_one_that_its_tool_declares(plan_of: PlanOf, kind: str) -> None:
    assert only(plan_of(workflow(kind=f"{kind} check")))["timeout_ms"] == declared(600_000)


def test_an_agent_without_timeout_has_the_default_of_its_tool(plan_of: PlanOf) -> None:
    step = only(plan_of(workflow('prompt "Do it."', kind="agent coder")))
    assert step["timeout_ms"] == defaulted(600_000)
    assert step["tool"] == "model"


@pytest.mark.parametrize(
    ("clause", "member", "omitted", "written"),
    [
        ("transitions 7", "transitions", defaulted(1), declared(7)),
        ("duration 2d", "duration_ms", defaulted(30 * DAY_MS), declared(2 * DAY_MS)),
        ("units 9", "units", defaulted(1), declared(9)),
        ("tokens 1000", "tokens", None, declared(1000)),
        ("cost 0.50 USD", "cost_microdollars", None, declared(500_000)),
    ],
)
def test_a_limit_of_the_run_is_marked_as_defaulted_or_declared(
    plan_of: PlanOf, clause: str, member: str, omitted: object, written: object
) -> None:
    assert plan_of(workflow())["limits"].get(member) == omitted
    assert plan_of(workflow(head=f"limits {{ {clause} }}"))["limits"][member] == written


def test_transitions_without_a_way_back_are_as_many_as_there_are_steps(plan_of: PlanOf) -> None:
    chain = """workflow chain "Three" {
      step a: exec build { on passed -> b }
      step b: exec build { on passed -> c }
      step c: exec build { on passed -> completed }
    }"""
    assert plan_of(chain)["limits"]["transitions"] == defaulted(3)


def test_units_are_the_attempts_of_every_step_that_starts_a_process(plan_of: PlanOf) -> None:
    mixed = """workflow mixed "Some with a process, some without" {
      step a: exec build { attempts 4, on passed -> b }
      step b: wait 1m { attempts 5, on passed -> c }
      step c: gate check { attempts 2, on passed -> d }
      step d: gate artifacts_exist ["x"] { attempts 3, on passed -> completed }
    }"""
    assert plan_of(mixed)["limits"]["units"] == defaulted(6)


def test_an_assignment_has_one_physical_attempt_unless_retries_are_declared(plan_of: PlanOf) -> None:
    assert only(plan_of(workflow()))["dispatch"]["attempts"] == defaulted(1)
    retried = only(plan_of(workflow("retry 2 on timeout, failed", kind="exec check")))["dispatch"]
    assert retried["attempts"] == declared(3)
    assert retried["retry_on"] == ["failed", "timeout"]


@pytest.mark.parametrize(
    ("effect", "recoveries"),
    [
        ("read_only", 3),
        ("workspace_mutation", 3),
        ("external_idempotent", 3),
        ("receipt_queryable", 3),
        ("unknown", 0),
        ("external_non_idempotent", 0),
        (None, 0),
    ],
)
def test_lost_attempts_are_replaced_by_default_only_where_that_is_safe(
    plan_of: PlanOf, effect: str | None, recoveries: int
) -> None:
    receipt = ', receipt ["ask"]' if effect == "receipt_queryable" else ""
    registry = f'tool t {{ argv ["t"]{"" if effect is None else f", effect {effect}"}{receipt} }}'
    assert only(plan_of(workflow(kind="exec t"), registry))["dispatch"]["recoveries"] == defaulted(recoveries)


def test_a_written_recover_is_declared(plan_of: PlanOf) -> None:
    assert only(plan_of(workflow("recover 0", kind="exec check")))["dispatch"]["recoveries"] == declared(0)


@pytest.mark.parametrize(
    ("kind", "outcomes"), [("exec build", {"failed", "timed_out"}), ("gate check", {"failed"})]
)
def test_failures_without_a_line_end_the_run_failed(plan_of: PlanOf, kind: str, outcomes: set[str]) -> None:
    transitions = only(plan_of(workflow(kind=kind)))["transitions"]
    ending = {"target": "failed", "maximum": None, "back": False, "origin": "defaulted"}
    assert {name for name, each in transitions.items() if each == ending} == outcomes
    handled = only(plan_of(workflow("on failed -> cancelled", kind=kind)))["transitions"]["failed"]
    assert handled == {**ending, "target": "cancelled", "origin": "declared"}


@pytest.mark.parametrize(("kind", "by"), [("approval", "by alice"), ("wait signal go", "")])
def test_waiting_for_the_world_needs_a_written_timeout(
    findings: FindingsOf, plan_of: PlanOf, kind: str, by: str
) -> None:
    rejected = "on rejected -> failed" if by else ""
    clauses = [clause for clause in (by, rejected, "on expired -> cancelled") if clause]
    assert [found.code for found in findings(workflow(*clauses, kind=kind))] == ["AKM3005"]
    assert only(plan_of(workflow(*clauses, "timeout 1h", kind=kind)))["timeout_ms"] == declared(3_600_000)


def test_a_tool_that_says_nothing_gets_the_narrowest_meaning(plan_of: PlanOf) -> None:
    assert plan_of(workflow())["tools"]["build"] == {
        "argv": ["make", "build"],
        "effect": "unknown",
        "timeout_ms": defaulted(600_000),
        "output_bytes_max": defaulted(8 * 1024 * 1024),
        "receipt": None,
        "env": [],
        "directory": ".",
        "scripts": [],
    }


def test_a_tool_keeps_what_it_declares(plan_of: PlanOf) -> None:
    registry = """tool build {
      argv ["make"], effect external_idempotent, receipt ["made"], timeout 1m, env [B, A],
      directory "sub", output_max 1KiB
    }"""
    assert plan_of(workflow(), registry)["tools"]["build"] == {
        "argv": ["make"],
        "effect": "external_idempotent",
        "timeout_ms": declared(60_000),
        "output_bytes_max": declared(1024),
        "receipt": ["made"],
        "env": ["A", "B"],
        "directory": "sub",
        "scripts": [],
    }


def test_a_gate_expects_a_pass_unless_it_says_otherwise(plan_of: PlanOf) -> None:
    assert only(plan_of(workflow(kind="gate check")))["expect"] == "pass"
    assert only(plan_of(workflow("expect fail", kind="gate check")))["expect"] == "fail"


def test_a_list_without_max_holds_at_most_ten_thousand_items(plan_of: PlanOf) -> None:
    (free,) = plan_of(workflow(head="param p: list of int"))["parameters"]
    (bounded,) = plan_of(workflow(head="param p: list max 5 of int"))["parameters"]
    assert (free["type"]["maxItems"], bounded["type"]["maxItems"]) == (10_000, 5)
