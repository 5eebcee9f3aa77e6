"""What holds for every workflow that compiles, and for every text that is nearly one."""

from typing import Any

import jsonschema
from hypothesis import given, settings
from hypothesis import strategies as st

from akm_specs.canonical import unseal
from akm_specs.plan import TERMINALS, Plan
from akm_specs.published import published_schema
from akmc.lint import findings_of
from akmc.pipeline import compile_workflow
from akmc.source import Source

Texts = st.SearchStrategy[str]


#: What is promised here is not time, which a busy machine has less of.
unhurried = settings(deadline=None)


@unhurried
@given(data=st.data())
def test_every_plan_has_the_published_form(data: st.DataObject, generated_plans: st.SearchStrategy[Plan]) -> None:
    jsonschema.Draft202012Validator(published_schema("plan")).validate(data.draw(generated_plans))


@unhurried
@given(data=st.data())
def test_every_bound_is_there_and_every_way_leads_somewhere(
    data: st.DataObject, generated_plans: st.SearchStrategy[Plan]
) -> None:
    plan = data.draw(generated_plans)
    names = {step["name"] for step in plan["steps"]}
    order = [step["name"] for step in plan["steps"]]
    for step in plan["steps"]:
        assert step["attempts"]["value"] >= 1
        for edge in step["transitions"].values():
            assert edge["target"] in names | set(TERMINALS)
            back = edge["target"] in names and order.index(edge["target"]) <= order.index(step["name"])
            assert edge["back"] == back
            assert not back or edge["maximum"] is not None
        found: Any = step
        if "dispatch" in found:
            workers = found.get("seats", [found])
            assert all(worker["timeout_ms"]["value"] >= 1 for worker in workers)
            assert found["dispatch"]["attempts"]["value"] >= 1
            effects = {plan["tools"][worker["tool"]]["effect"] for worker in workers}
            unsafe = bool(effects & {"unknown", "external_non_idempotent"})
            assert not (unsafe and found["dispatch"]["recoveries"]["value"])


@unhurried
@given(data=st.data())
def test_compiling_again_gives_the_same_bytes(
    data: st.DataObject, generated_workflows: Texts, generated_registry: str
) -> None:
    text = data.draw(generated_workflows)
    first = compile_workflow(Source("a.akm", text), Source("absent/registry.akm", generated_registry))
    again = compile_workflow(Source("b.akm", text), Source("absent/registry.akm", generated_registry))
    assert first.data == again.data
    assert unseal(first.data) == (first.plan, first.plan_hash)


@unhurried
@given(data=st.data())
def test_a_workflow_with_lines_left_out_or_said_twice_compiles_or_is_refused_by_findings(
    data: st.DataObject, generated_workflows: Texts, generated_registry: str
) -> None:
    """A broken workflow is never a fault of the compiler's own, whatever is missing from it."""
    lines = data.draw(generated_workflows).splitlines()
    kept = data.draw(st.lists(st.integers(0, 2), min_size=len(lines), max_size=len(lines)))
    text = "\n".join("\n".join([line] * min(times, 2)) for line, times in zip(lines, kept, strict=True))
    for found in findings_of(Source("a.akm", text), Source("absent/registry.akm", generated_registry)):
        assert found.span.end <= len(found.source.text)
