"""Ways around a sign-off: work, or success, that no longer lies behind an approval, a gate or a judgement."""

from collections.abc import Iterator

from akm_specs.plan import Plan
from akmc.diff.change import Change, Verdict
from akmc.diff.looking import only_looks, tools_of, tools_with_effects

#: Kinds of steps that sign off by passing.
GUARDS = ("approval", "gate", "judge", "panel")


def bypasses(old: Plan, new: Plan) -> Iterator[Change]:
    """Where a guard that both plans have stands before work, or before completion, in one of them alone."""
    both = _work(old, _reachable(old)) & _work(new, _reachable(new))
    for guard in sorted(_guards(old) & _guards(new)):
        before, after = _unguarded(old, guard), _unguarded(new, guard)
        for work in sorted(both & after - before):
            yield Change(work, Verdict("widens", f"can be reached without {guard} having passed"))
        for work in sorted(both & before - after):
            yield Change(work, Verdict("narrows", f"can be reached only after {guard} has passed"))


def _guards(plan: Plan) -> set[str]:
    return {step["name"] for step in plan["steps"] if step["kind"] in GUARDS or "gate" in step}


def _unguarded(plan: Plan, guard: str) -> set[tuple[str, ...]]:
    """The work that can be reached although `guard` has not passed. The guard's own work cannot wait for that."""
    return _work(plan, _reachable(plan, guard)) | {("step", guard)}


def _work(plan: Plan, reached: set[str]) -> set[tuple[str, ...]]:
    """The places of what a run does that reaches the steps `reached`: their work, their tools, and completion.

    A tool counts by itself, so that the same work in another step is not overlooked.
    """
    steps = [step for step in plan["steps"] if step["name"] in reached]
    tools = {tool for step in steps for tool in tools_of(step)} & tools_with_effects(plan)
    found: set[tuple[str, ...]] = {("step", step["name"]) for step in steps if not only_looks(step, plan)}
    return found | {("tool", tool) for tool in tools} | ({("completed",)} if "completed" in reached else set())


def _reachable(plan: Plan, unpassed: str | None = None) -> set[str]:
    """What can be reached from the entry, when the step `unpassed` never passes."""
    steps = {step["name"]: step for step in plan["steps"]}
    found: set[str] = set()
    pending = [step["name"] for step in plan["steps"][:1]]
    while pending:
        name = pending.pop()
        if name in found:
            continue
        found.add(name)
        if name in steps:
            ways = steps[name]["transitions"].items()
            pending += [way["target"] for outcome, way in ways if (name, outcome) != (unpassed, "passed")]
    return found
