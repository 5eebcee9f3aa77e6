"""Finding things in a plan."""

from typing import TypeAlias, cast

from akm_specs.plan import AgentStep, Evidence, ExecStep, Plan, Step, Tool, ToolGateStep

#: A step whose work is one process.
ProcessStep: TypeAlias = ExecStep | ToolGateStep | AgentStep

PROCESS_KINDS = frozenset({"exec", "agent"})


def step_named(plan: Plan, name: str) -> Step:
    """The step `name`. Raises KeyError when the plan has none, which only an altered history asks for."""
    for step in plan["steps"]:
        if step["name"] == name:
            return step
    raise KeyError(name)


def process_step(step: Step) -> ProcessStep | None:
    """`step` as one whose work is a process, or None."""
    if step["kind"] in PROCESS_KINDS or (step["kind"] == "gate" and step["check"] == "tool"):
        return cast(ProcessStep, step)
    return None


def tool_of(plan: Plan, step: ProcessStep) -> Tool:
    """The tool that does the work of `step`."""
    return plan["tools"][step["tool"]]


def reply_outcomes(step: Step) -> frozenset[str]:
    """The outcomes that an agent may declare: those with an `on` line, but for the clock's own."""
    declared = {outcome for outcome, edge in step["transitions"].items() if edge["origin"] == "declared"}
    return frozenset(declared - {"timed_out", "skipped"})


def evidence_of(step: Step) -> dict[str, Evidence]:
    """What `step` must leave behind, by name."""
    return step.get("evidence", {})
