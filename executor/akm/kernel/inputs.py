"""What an assignment is given, and the hash that says when two are the same work.

Both are pure functions of the plan, the parameters and the recorded outputs.
"""

from akm.kernel import pushes
from akm.kernel.children import Unfit, child_parameters, child_step
from akm.kernel.state import Assignment, RunState
from akm.kernel.steps import process_step, reply_outcomes
from akm.kernel.units import Unit, item_of, unit_of
from akm.kernel.values import dereference, read, resolve
from akm_specs.canonical import Json, JsonObject, canonical, hash_bytes, hash_json
from akm_specs.plan import ChildStep, Plan

HASH_VERSION = 1
#: Characters of an artifact's JSON that a judge is shown.
ARTIFACT_LENGTH_MAX = 4_000


def item_given(state: RunState, assignment: Assignment) -> Json:
    """The item that a map's assignment works on, which a judge of the step's gate does not get."""
    return None if assignment.id.partition("#")[0].endswith(".gate") else item_of(state, assignment)


def tool_input(state: RunState, unit: Unit, item: Json = None) -> Json:
    """The JSON that the tool gets on standard input; None closes it."""
    if unit.reply == "push":
        return None
    if unit.reply == "exit":
        return _declared(state, unit, item)
    given: JsonObject = {
        "prompt": unit.instruction,
        "inputs": _inputs(state, unit, item),
        "outcomes": sorted(reply_outcomes(unit.step)) if unit.reply == "outcome" else [],
        "output": unit.output,
    }
    if item is not None:
        given["item"] = item
    if unit.scope is not None:
        given["scope"] = unit.scope
    feedback = _feedback(state, unit)
    return given if feedback is None else {**given, "feedback": feedback}


def next_hash(plan: Plan, state: RunState, assignment: str) -> str:
    """The hash of what `assignment` is given, which is to be made next. Raises KeyError, as `unit_of`."""
    child = child_step(plan, assignment)
    if child is not None:
        return child_hash(plan, state, child)
    unit, active = unit_of(plan, assignment), state.active
    assert active is not None, "no step attempt is active"
    item = None if unit.id.judge or not active.work.items else active.work.items[active.made]
    return input_hash(plan, state, unit, item)


def child_hash(plan: Plan, state: RunState, step: ChildStep) -> str:
    """The same as `input_hash` for the assignment of a child run: its plan, and what it is given."""
    given = child_parameters(plan, state, step)
    assert not isinstance(given, Unfit), "a step whose child cannot be given its parameters has no assignment"
    content: JsonObject = {"version": HASH_VERSION, "target": {"workflow": step["plan"]}, "bindings": given}
    if step["output"] is not None:
        content["output"] = step["output"]
    return _hash(content, _parameters(state.parameters))


def input_hash(plan: Plan, state: RunState, unit: Unit, item: Json = None) -> str:
    """SHA-256 over everything that changes what is dispatched.

    Left out on purpose: retry policy, the values behind environment names, times and machine names.
    """
    tool = unit.tool
    target: JsonObject = {"argv": tool["argv"], "scripts": tool["scripts"], "directory": tool["directory"]}
    content: JsonObject = {
        "version": HASH_VERSION,
        "target": target,
        "timeout_ms": unit.timeout_ms,
        "env": sorted(tool["env"]),
    }
    if "python" in tool:
        target["python"] = tool["python"]
    if unit.agent is not None:
        agent = plan["agents"][unit.agent]
        target |= {"agent": unit.agent, "model": agent["model"], "provider": agent["provider"]}
        content["instruction"] = unit.instruction
        content["inputs"] = _inputs(state, unit, item)
    elif unit.reply != "push" and (given := _declared(state, unit, item)) is not None:
        content["inputs"] = given
    if unit.reply == "push":
        content["commit"] = pushes.delivery_of(state, unit.id).commits[unit.id.part]
    optional = {
        "item": item,
        "output": unit.output,
        "scope": unit.scope,
        "isolation": unit.isolation if unit.isolation != "none" else None,
        "feedback": _feedback(state, unit),
    }
    content |= {name: value for name, value in optional.items() if value is not None}
    return _hash(content, _parameters(state.parameters))


def _declared(state: RunState, unit: Unit, item: Json) -> Json:
    """The input of a tool: what `with` says, or the item alone."""
    step = process_step(unit.step)
    assert step is not None, unit.id
    if step["kind"] != "exec" and step["kind"] != "gate" and step["kind"] != "map":
        return None
    if step["input"] is not None:
        return resolve(state, step["input"], item)
    return {"item": item} if step["kind"] == "map" else None


def _inputs(state: RunState, unit: Unit, item: Json) -> JsonObject:
    """What an agent reads, or a judge judges."""
    step = unit.step
    if unit.id.judge:
        assert state.active is not None
        assert state.active.proposed is not None, "the artifact is there before its judge"
        return {"artifact": artifact(state.active.proposed.data.get("output"))}
    if step["kind"] == "judge":
        return {"artifact": artifact(dereference(state, step["of"]))}
    assert step["kind"] in ("agent", "panel", "map"), step["kind"]
    return read(state, step["reads"], item)


def argv(plan: Plan, state: RunState, unit: Unit) -> tuple[str, ...]:
    """The command that does the work."""
    return pushes.push(plan, state, unit.id) if unit.reply == "push" else tuple(unit.tool["argv"])


def receipt_query(plan: Plan, state: RunState, unit: Unit) -> list[str] | None:
    """The command that asks for the receipt, where there is one."""
    return list(pushes.query(plan, state, unit.id)) if unit.reply == "push" else unit.tool["receipt"]


def artifact(value: Json) -> str:
    """What a judge is shown of a value: how many units it has, then its canonical JSON, clipped."""
    units = len(value) if isinstance(value, list) else 1
    text = canonical(value).decode()
    return f"{units} {'unit' if units == 1 else 'units'}\n{text[:ARTIFACT_LENGTH_MAX]}"


def _feedback(state: RunState, unit: Unit) -> JsonObject | None:
    """What the gate found in the round before."""
    return None if unit.id.judge or state.active is None else state.active.feedback


def idempotency_key(run: str, assignment: str, tool: str) -> str:
    """The same on every retry of the same effect, and on no other effect."""
    return hash_json({"run": run, "assignment": assignment, "effect": tool})


#: The last parameters that were hashed, and their canonical form: a run's never change, and its units are many.
_remembered: tuple[JsonObject, bytes] = ({}, b"{}")


def _parameters(parameters: JsonObject) -> bytes:
    global _remembered
    if _remembered[0] is not parameters:
        _remembered = parameters, canonical(parameters)
    return _remembered[1]


def _hash(content: JsonObject, parameters: bytes) -> str:
    """The hash of `content` with `parameters` in it: canonical JSON is its members, sorted, one after the other."""
    before = canonical({name: value for name, value in content.items() if name < "parameters"})
    after = canonical({name: value for name, value in content.items() if name > "parameters"})
    return hash_bytes(b'%s"parameters":%s,%s' % (_open(before), parameters, after[1:]))


def _open(members: bytes) -> bytes:
    """An object to which more members are added."""
    return members[:-1] if members == b"{}" else members[:-1] + b","
