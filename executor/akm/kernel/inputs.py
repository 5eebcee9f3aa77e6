"""What an assignment is given, and the hash that says when two are the same work.

Both are pure functions of the plan, the parameters and the recorded outputs.
"""

from akm.kernel.state import RunState
from akm.kernel.steps import ProcessStep, reply_outcomes, tool_of
from akm.kernel.values import read, resolve
from akm_specs.canonical import Json, JsonObject, hash_json
from akm_specs.plan import Plan

HASH_VERSION = 1


def tool_input(plan: Plan, state: RunState, step: ProcessStep) -> Json:
    """The JSON that the tool gets on standard input; None closes it."""
    if step["kind"] != "agent":
        return None if step["input"] is None else resolve(state, step["input"])
    return {
        "prompt": step["prompt"],
        "inputs": read(state, step["reads"]),
        "outcomes": sorted(reply_outcomes(step)),
        "output": step["output"],
    }


def input_hash(plan: Plan, state: RunState, step: ProcessStep) -> str:
    """SHA-256 over everything that changes what is dispatched.

    Left out on purpose: retry policy, the values behind environment names, times and machine names.
    """
    tool = tool_of(plan, step)
    target: JsonObject = {
        "argv": tool["argv"],
        "scripts": tool["scripts"],
        "directory": tool["directory"],
    }
    content: JsonObject = {
        "version": HASH_VERSION,
        "target": target,
        "parameters": state.parameters,
        "timeout_ms": step["timeout_ms"]["value"],
        "env": sorted(tool["env"]),
    }
    if step["kind"] == "agent":
        agent = plan["agents"][step["agent"]]
        target |= {"agent": step["agent"], "model": agent["model"], "provider": agent["provider"]}
        content["instruction"] = step["prompt"]
        content["inputs"] = read(state, step["reads"])
    elif step["input"] is not None:
        content["inputs"] = resolve(state, step["input"])
    if step["output"] is not None:
        content["output"] = step["output"]
    return hash_json(content)


def idempotency_key(run: str, assignment: str, tool: str) -> str:
    """The same on every retry of the same effect, and on no other effect."""
    return hash_json({"run": run, "assignment": assignment, "effect": tool})
