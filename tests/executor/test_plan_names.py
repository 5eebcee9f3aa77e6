"""Plans that are sealed, and that no compiler made: what would stop a run in its middle is refused by name."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from akm.engine.plans import FrozenPlan, PlanUnreadable, from_bytes
from akm.simulation.run import SimulatedRun
from akm.simulation.world import World
from akm_specs.canonical import seal

STEPS = """
  step one: exec read { output { words: int }, skip when params.value is "y", on skipped -> two, on passed -> two }
  step two: agent coder { prompt "Do it.", gate { rubric "Good?", max_loops 2 }
    on passed -> three, on failed -> three }
  step three: panel { assign 2 of [ada, ben], prompt "Look.", on passed -> four, on failed -> four
    on quorum_not_met -> four }
  step four: approval { by alice, timeout 1h, on passed -> five, on rejected -> failed, on expired -> failed }
  step five: wait 1s { on passed -> six }
  step six: route params.value { when "x" -> completed, otherwise -> failed }
  require six at most 1
"""
Alter = Callable[[dict[str, Any]], object]
ASTRAY: dict[str, tuple[Alter, str]] = {
    "no step": (lambda body: body["steps"].clear(), "it has no step"),
    "twice": (lambda body: body["steps"].append(body["steps"][0]), "it has two steps `one`"),
    "name": (lambda body: body["steps"][0].update(name="o#ne"), "no step can be called `o#ne`"),
    "target": (
        lambda body: body["steps"][0]["transitions"]["passed"].update(target="nowhere"),
        "step `one` leads to `nowhere` on passed, which is neither a step nor an end",
    ),
    "failed": (lambda body: body["steps"][0]["transitions"].pop("failed"), "step `one` leads nowhere on failed"),
    "skipped": (lambda body: body["steps"][0]["transitions"].pop("skipped"), "step `one` leads nowhere on skipped"),
    "expired": (
        lambda body: body["steps"][3]["transitions"].pop("expired"),
        "step `four` leads nowhere on expired",
    ),
    "passed": (lambda body: body["steps"][4]["transitions"].pop("passed"), "step `five` leads nowhere on passed"),
    "route": (
        lambda body: body["steps"][5]["transitions"].pop("otherwise"),
        "step `six` leads nowhere on otherwise",
    ),
    "tool": (lambda body: body["steps"][0].update(tool="gone"), "step `one` names the tool `gone`"),
    "agent": (lambda body: body["steps"][1].update(agent="gone"), "step `two` names the agent `gone`"),
    "judge": (
        lambda body: body["steps"][1]["gate"].update(judge="gone"),
        "the gate of step `two` names the agent `gone`",
    ),
    "seat": (lambda body: body["steps"][2]["seats"][1].update(agent="gone"), "step `three` names the agent `gone`"),
    "seats": (lambda body: body["steps"][2]["seats"].pop(), "step `three` has 1 seats for 2 assignments"),
    "parallel": (lambda body: body["steps"][2]["parallel"].update(value=0), "step `three` allows no work at once"),
    "agent's tool": (lambda body: body["agents"]["ada"].update(tool="gone"), "agent `ada` names the tool `gone`"),
    "property": (lambda body: body["properties"][0].update(step="gone"), "a property names the step `gone`"),
}


def body_of(plan: FrozenPlan) -> dict[str, Any]:
    body = json.loads(plan.data)
    assert isinstance(body, dict)
    del body["hash"]
    return body


def test_a_plan_that_is_sealed_again_unaltered_is_the_same(frozen_of: Callable[..., FrozenPlan]) -> None:
    plan = frozen_of(STEPS)
    assert from_bytes(seal(body_of(plan))[0], "same").hash == plan.hash


@pytest.mark.parametrize("what", ASTRAY)
def test_a_name_that_leads_nowhere_is_refused(what: str, frozen_of: Callable[..., FrozenPlan]) -> None:
    alter, message = ASTRAY[what]
    body = body_of(frozen_of(STEPS))
    alter(body)
    with pytest.raises(PlanUnreadable) as refused:
        from_bytes(seal(body)[0], "altered")
    assert str(refused.value).startswith(f"altered is no plan that akmc makes: {message}")


@pytest.mark.parametrize("schema", [True, False])
def test_a_member_of_any_type_or_of_none_stops_no_run(schema: bool, frozen_of: Callable[..., FrozenPlan]) -> None:
    body = body_of(frozen_of(STEPS))
    body["steps"][0]["output"]["properties"]["words"] = schema
    plan = from_bytes(seal(body)[0], "altered")
    run = SimulatedRun(plan.plan, plan.hash, {"value": "x", "items": []}, World(plan.plan, "1"), 0).drive()
    assert run.state.status in ("completed", "failed", "cancelled")
