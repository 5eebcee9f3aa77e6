"""Child plans: how a plan holds the plans that are nested in it, each once, however often it is used."""

from collections.abc import Iterable, Iterator

from akm_specs.plan import Plan, PlanBody

#: Most workflows that may run inside one another, the outermost included.
DEPTH_MAX = 8


def depth(plan: PlanBody) -> int:
    """How many workflows run inside one another, `plan` included; more than DEPTH_MAX are not counted.

    Raises KeyError for a child that the bundle does not hold.
    """
    children, level, found = plan.get("children", {}), {*_named(plan)}, 1
    while level and found <= DEPTH_MAX:
        level, found = {name for each in level for name in _named(children[each])}, found + 1
    return found


def bundle(plans: Iterable[tuple[str, Plan]]) -> dict[str, Plan]:
    """The `children` of a plan whose child steps run `plans`, given as (hash, plan); sorted by hash."""
    found: dict[str, Plan] = {}
    for plan_hash, plan in plans:
        found |= plan.get("children", {})
        found[plan_hash] = _alone(plan)
    return dict(sorted(found.items()))


def child_plan(plan: PlanBody, plan_hash: str) -> Plan:
    """The plan of the child `plan_hash` of `plan`, with its own children. Raises KeyError for no such child.

    Its hash is `plan_hash`, unless somebody changed the bundle: who loads a plan checks that.
    """
    children = plan.get("children", {})
    child = children[plan_hash]
    nested = {name: children[name] for name in sorted(_descendants(children, child))}
    return {**child, "children": nested} if nested else child


def _alone(plan: Plan) -> Plan:
    copy = plan.copy()
    copy.pop("children", None)
    return copy


def _descendants(children: dict[str, Plan], plan: PlanBody) -> set[str]:
    found: set[str] = set()
    pending = list(_named(plan))
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(_named(children[name]))
    return found


def _named(plan: PlanBody) -> Iterator[str]:
    return (step["plan"] for step in plan["steps"] if step["kind"] == "workflow")
