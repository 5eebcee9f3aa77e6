"""Finding things in a plan."""

from typing import cast

from akm_specs.plan import WITHOUT_OUTPUT, Evidence, Plan, ProcessStep, Step

_PROCESS_KINDS = frozenset({"exec", "agent", "panel", "map", "judge"})
#: Plans whose steps are remembered by name: more than run at once in one process.
_PLANS_REMEMBERED_MAX = 16
_steps_of: dict[int, tuple[Plan, dict[str, Step]]] = {}


def step_named(plan: Plan, name: str) -> Step:
    """The step `name`. Raises KeyError when the plan has none, which only an altered history asks for."""
    remembered = _steps_of.get(id(plan))
    if remembered is None or remembered[0] is not plan:
        while len(_steps_of) >= _PLANS_REMEMBERED_MAX:
            _steps_of.pop(next(iter(_steps_of)), None)
        remembered = _steps_of[id(plan)] = plan, {step["name"]: step for step in plan["steps"]}
    return remembered[1][name]


def process_step(step: Step) -> ProcessStep | None:
    """`step` as one whose work is done by processes, or None."""
    if step["kind"] in _PROCESS_KINDS or (step["kind"] == "gate" and step["check"] == "tool"):
        return cast(ProcessStep, step)
    return None


def success(step: Step) -> str:
    """The outcome of `step` that its gate, its pins and its evidence stand before."""
    return "completed" if step["kind"] == "workflow" else "passed"


def passes(step: Step, outcome: str) -> bool:
    """Whether `step` has passed, as `require … before …` means it (docs/reference/verification.md).

    A step that has no outcome `passed` passes by any that carries an output.
    """
    return outcome == "passed" if "passed" in step["transitions"] else outcome not in WITHOUT_OUTPUT


def parallel(step: Step) -> int:
    """How many assignments of `step` may be at work at once, as the plan says."""
    if step["kind"] == "deliver":
        return len(step["repositories"])
    return step["parallel"]["value"] if step["kind"] == "panel" or step["kind"] == "map" else 1


def reply_outcomes(step: Step) -> frozenset[str]:
    """The outcomes that an agent may declare: those with an `on` line, but for what only the run itself finds."""
    declared = {outcome for outcome, edge in step["transitions"].items() if edge["origin"] == "declared"}
    return frozenset(declared - {"timed_out", "skipped", "quorum_not_met"})


def evidence_of(step: Step) -> dict[str, Evidence]:
    """What `step` must leave behind, by name."""
    return step.get("evidence", {})
