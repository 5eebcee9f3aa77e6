"""Steps that change nothing themselves: they look, wait, choose or ask, and let a run go on or not."""

from collections.abc import Iterator

from akm_specs.plan import Plan, Step

_ALWAYS = ("approval", "wait", "route")


def only_looks(step: Step, plan: Plan) -> bool:
    """Whether `step` has no effect of its own. A gate or a judge that starts a tool has that of the tool."""
    if step["kind"] in _ALWAYS:
        return True
    return step["kind"] in ("gate", "judge") and all(_is_harmless(tool, plan) for tool in tools_of(step))


def tools_of(step: Step) -> Iterator[str]:
    """The tools that `step` may start."""
    match step["kind"]:
        case "panel":
            yield from (seat["tool"] for seat in step["seats"])
        case "exec" | "agent" | "map" | "judge":
            yield step["tool"]
        case "gate" if step["check"] == "tool":
            yield step["tool"]
    if "gate" in step:
        yield step["gate"]["tool"]


def _is_harmless(tool: str, plan: Plan) -> bool:
    return tool in plan["tools"] and plan["tools"][tool]["effect"] == "read_only"


def tools_with_effects(plan: Plan) -> set[str]:
    """The tools that may do more than look."""
    return {tool for step in plan["steps"] for tool in tools_of(step) if not _is_harmless(tool, plan)}
