"""Finding things in a plan."""

from typing import cast

from akm_specs.plan import Plan, ProcessStep, Step, Tool

PROCESS_KINDS = frozenset({"exec", "agent"})


def step_named(plan: Plan, name: str) -> Step:
    """The step `name`, which the plan has."""
    return next(step for step in plan["steps"] if step["name"] == name)


def process_step(step: Step) -> ProcessStep | None:
    """`step` as one whose work is a process, or None."""
    if step["kind"] in PROCESS_KINDS or (step["kind"] == "gate" and step["check"] == "tool"):
        return cast(ProcessStep, step)
    return None


def tool_of(plan: Plan, step: ProcessStep) -> Tool:
    return plan["tools"][step["tool"]]


def declared_outcomes(step: Step) -> frozenset[str]:
    """The outcomes for which the author wrote an `on` line."""
    return frozenset(outcome for outcome, edge in step["transitions"].items() if edge["origin"] == "declared")
