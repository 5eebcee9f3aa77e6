"""Ways around a sign-off: work, or success, that no longer lies behind an approval, a gate or a judgement."""

from collections.abc import Iterator, Mapping

from akm_specs.plan import Plan, Step
from akmc.diff.change import Change, Verdict

#: Kinds of steps that sign off by passing, and kinds that only choose or wait, and so need no sign-off.
GUARDS = ("approval", "gate", "judge", "panel")
IDLE = ("approval", "gate", "judge", "wait", "route")


def bypasses(old: Plan, new: Plan) -> Iterator[Change]:
    """Where a guard that both plans have stands before a step, or before completion, in one of them alone."""
    before, after = _guarded(old), _guarded(new)
    for guard in sorted(before.keys() & after.keys()):
        both = _reachable(old) & _reachable(new)
        for step in sorted(before[guard] - after[guard]):
            if step in both:
                yield Change((step,), Verdict("widens", f"can be reached without {guard} having passed"))
        for step in sorted(after[guard] - before[guard]):
            if step in both:
                yield Change((step,), Verdict("narrows", f"can be reached only after {guard} has passed"))


def _guarded(plan: Plan) -> Mapping[str, set[str]]:
    """For each guard the working steps, and `completed`, that no path reaches unless the guard has passed."""
    guards = [step["name"] for step in plan["steps"] if step["kind"] in GUARDS or "gate" in step]
    work = {step["name"] for step in plan["steps"] if step["kind"] not in IDLE} | {"completed"}
    return {guard: work - {guard} - _reachable(plan, guard) for guard in guards}


def _reachable(plan: Plan, unpassed: str | None = None) -> set[str]:
    """What can be reached from the entry, when the step `unpassed` never passes."""
    steps: Mapping[str, Step] = {step["name"]: step for step in plan["steps"]}
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
