"""A plan laid out for comparing: everything by name, and the authority of each step beside the step."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan, Property, Scope, Seat, Step
from akmc.diff.looking import only_looks
from akmc.diff.ways import Ways

#: What a step without a scope may touch.
NO_SCOPE: Scope = {"repositories": {}, "preset": None, "allow": [], "deny": [], "secrets": []}

#: Two kinds of steps are kept apart from what has the same name in a plan.
_KINDS = {"agent": "agent step", "workflow": "child"}

#: Members of a plan that are laid out under other names, and its worst case, which only follows from the rest.
_SHOWN_OTHERWISE = {
    "steps",
    "parameters",
    "properties",
    "tools",
    "agents",
    "repositories",
    "children",
    "worst",
}


def arranged(plan: Plan, beside: Plan) -> JsonObject:
    """`plan` without its children, as mappings by name, for comparing with the plan `beside` it.

    Every step has its evidence, its pins and its scope written out, and where it has none, nothing of it.
    """
    steps, ways = plan["steps"], Ways(plan, beside)
    found: JsonObject = {
        "schema": plan["schema"],
        "workflow": plan["workflow"],
        "title": plan["title"],
        "lifecycles": plan["lifecycles"],
        "entry": ways.entry(steps),
        "order": [each["name"] for each in (*plan["parameters"], *steps)],
        "limits": plan["limits"],
        "parameter": {each["name"]: _without(each, "name") for each in plan["parameters"]},
        "property": _properties(plan.get("properties", [])),
        "tool": plan["tools"],
        "agent": plan["agents"],
        "repository": plan.get("repositories", {}),
        "check with effects": {
            step["name"]: {} for step in steps if step["kind"] in ("gate", "judge") and not only_looks(step, plan)
        },
    }
    for step in steps:
        found.setdefault(_KINDS.get(step["kind"], step["kind"]), {})[step["name"]] = _step(step, plan, ways)
    unknown = set(plan) - _SHOWN_OTHERWISE
    return found | {name: member for name, member in plan.items() if name in unknown}


def _step(step: Step, plan: Plan, ways: Ways) -> JsonObject:
    found = _without(step, "name", "kind", "transitions", "seats", "plan")
    found["on"] = {outcome: ways.of(each) for outcome, each in step["transitions"].items()}
    found.setdefault("evidence", {})
    found.setdefault("requires", [])
    if step["kind"] == "panel":
        found |= _seats(step["seats"])
    if "scope" in step:
        found |= {"own_scope": found["scope"] is not None, "scope": dict(_scopes(found, plan))}
    if "gate" in step:
        judge = step["gate"]["judge"]
        found.setdefault("scope", {})[judge] = _scope(_own_scope(judge, plan))
    return found


def _seats(seats: Iterable[Seat]) -> JsonObject:
    """The seats by their agents; the second of one agent as `critic#2`."""
    found: JsonObject = {}
    for seat in seats:
        taken = sum(name.partition("#")[0] == seat["agent"] for name in found)
        found[f"{seat['agent']}#{taken + 1}" if taken else seat["agent"]] = _without(seat, "agent")
    return {"seat": found, "order": list(found)}


def _scopes(step: JsonObject, plan: Plan) -> Iterator[tuple[str, JsonObject]]:
    """What the work of a step may touch, by who does it: the step's own scope or else that of the agent."""
    agents = [name.partition("#")[0] for name in step.get("seat", {})] or [step.get("agent") or ""]
    for agent in agents:
        yield agent or "the tool", _scope(step["scope"] or _own_scope(agent, plan))


def _own_scope(agent: str, plan: Plan) -> Scope | None:
    return plan["agents"][agent].get("scope") if agent in plan["agents"] else None


def _scope(scope: Scope | None) -> JsonObject:
    found: JsonObject = dict(scope or NO_SCOPE)
    repositories: Mapping[str, Any] = found["repositories"]
    return found | {"repositories": {name: {"access": access} for name, access in repositories.items()}}


def _properties(properties: Iterable[Property]) -> JsonObject:
    """The properties by what they say. Of two that bound one step, the tighter counts."""
    bounds_last = sorted(properties, key=lambda each: -each["count"] if each["kind"] == "at_most" else 0)
    return dict(map(_property, bounds_last))


def _property(found: Property) -> tuple[str, JsonObject]:
    match found["kind"]:
        case "before":
            return f"{found['first']} before {found['step']}", {}
        case "at_most":
            return f"{found['step']} at most", {"count": found["count"]}
        case "only_through":
            return f"{found['step']} reaches completed only through {found['through']}", {}
        case "never_after":
            return f"{found['step']} never after {found['after']}", {}


def _without(members: Mapping[str, Any], *names: str) -> JsonObject:
    return {name: member for name, member in members.items() if name not in names}
