"""Child runs, as the plan of their parent knows them: whose child a run is, and what it is given.

A step of kind `workflow` has one assignment, which a run of its own does: no process, no attempt and no effect is
its parent's. Everything here is a pure function of the plan, the parameters and the recorded outputs.
"""

from dataclasses import dataclass

from akm.kernel.identity import read_id
from akm.kernel.state import RunState
from akm.kernel.steps import step_named
from akm.kernel.values import resolve
from akm_specs.canonical import JsonObject, NotCanonical, canonical, hash_json
from akm_specs.plan import ChildStep, Parameter, Plan
from akm_specs.types import violation

#: Characters of the step's name, and hex digits, that stand in the id of a child run: readable, and its own.
_NAME_LENGTH_MAX = 32
_ID_DIGITS = 16


def child_step(plan: Plan, assignment: str) -> ChildStep | None:
    """The step whose child run does `assignment`; None where something else does, as for the judge of its gate.

    Raises KeyError for an id that the plan does not allow.
    """
    found = read_id(assignment)
    step = step_named(plan, found.step)
    return step if step["kind"] == "workflow" and not found.judge else None


def child_run(parent: str, assignment: str) -> str:
    """The id of the run that does `assignment` of run `parent`: always the same one, so that it is made once."""
    found = read_id(assignment)
    own = hash_json({"parent": parent, "assignment": assignment})[:_ID_DIGITS]
    return f"{found.step[:_NAME_LENGTH_MAX]}-{found.number}-{own}"


@dataclass(frozen=True, slots=True)
class Unfit:
    """Why a child cannot be given what its step says."""

    message: str


def child_parameters(plan: Plan, state: RunState, step: ChildStep) -> JsonObject | Unfit:
    """The parameters of the child that an entry of `step` would start now, its own defaults among them."""
    given = {name: resolve(state, value) for name, value in step["input"].items()}
    values: JsonObject = {}
    for parameter in plan.get("children", {})[step["plan"]]["parameters"]:
        name = parameter["name"]
        if name not in given and "default" not in parameter:
            return Unfit(f"its child is not given {name!r}, which it requires")
        values[name] = given.get(name, parameter.get("default"))
        problem = _problem(parameter, values)
        if problem is not None:
            return Unfit(f"what its child is given as {name!r} does not fit: {problem}")
    unknown = given.keys() - values.keys()
    return Unfit(f"its child has no parameter {min(unknown)!r}") if unknown else values


def _problem(parameter: Parameter, values: JsonObject) -> str | None:
    value = values[parameter["name"]]
    try:
        canonical(value)
    except NotCanonical as error:
        return str(error)
    return violation(parameter["type"], value)
