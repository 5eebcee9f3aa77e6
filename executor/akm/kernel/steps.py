"""Finding things in a plan."""

from typing import TYPE_CHECKING, cast

from akm_specs.plan import WITHOUT_OUTPUT, Evidence, Plan, ProcessStep, Step

if TYPE_CHECKING:
    from akm.kernel.units import Unit

_PROCESS_KINDS = frozenset({"exec", "agent", "panel", "map", "judge"})
#: Plans that are remembered with their index: more than run at once in one process.
_PLANS_REMEMBERED_MAX = 128


class PlanIndex:
    """What is found in one plan again and again: its steps by name, and the units that were made of them."""

    __slots__ = ("plan", "steps", "units")

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.steps = {step["name"]: step for step in plan["steps"]}
        self.units: dict[str, Unit] = {}


_indexes: dict[int, PlanIndex] = {}


def index_of(plan: Plan) -> PlanIndex:
    """The index of `plan`, which is made once."""
    found = _indexes.get(id(plan))
    if found is None or found.plan is not plan:
        if len(_indexes) >= _PLANS_REMEMBERED_MAX:
            _indexes.clear()
        found = _indexes[id(plan)] = PlanIndex(plan)
    return found


def step_named(plan: Plan, name: str) -> Step:
    """The step `name`. Raises KeyError when the plan has none, which only an altered history asks for."""
    return index_of(plan).steps[name]


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
