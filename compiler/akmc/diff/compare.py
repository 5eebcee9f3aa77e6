"""Comparing two plans: every difference, judged by the table."""

from collections.abc import Iterator

from akm_specs.canonical import canonical
from akm_specs.nesting import child_plan
from akm_specs.plan import Plan
from akmc.diff.arranged import arranged
from akmc.diff.bypass import bypasses
from akmc.diff.change import ABSENT, Change, Direction, Side, Verdict
from akmc.diff.judges import replaced
from akmc.diff.table import TABLE, line_of

_ORDER: tuple[Direction, ...] = ("widens", "narrows", "neutral")


def compare(old: Plan, new: Plan) -> tuple[Change, ...]:
    """Every difference, those that widen first. A plan that differs from another in anything gives at least one."""
    changes = list(_differences(arranged(old, new), arranged(new, old), ()))
    changes += bypasses(old, new)
    changes += _in_children(old, new)
    if not changes and canonical(old) != canonical(new):
        changes.append(Change(("plan",), Verdict("widens", "is written otherwise, for no known reason")))
    return tuple(sorted(changes, key=lambda change: (_ORDER.index(change.direction), change.place)))


def _differences(old: Side, new: Side, place: tuple[str, ...]) -> Iterator[Change]:
    if old is not ABSENT and new is not ABSENT and canonical(old) == canonical(new):
        return
    line = line_of(place)
    verdicts = None if line is None else TABLE[line](old, new)
    if verdicts is not None:
        yield from (Change(place, verdict) for verdict in verdicts)
    elif isinstance(old, dict) and isinstance(new, dict):
        for name in sorted(old.keys() | new.keys()):
            yield from _differences(old.get(name, ABSENT), new.get(name, ABSENT), (*place, name))
    elif len(place) == 1 and ABSENT in (old, new):  # no step of a kind, in one of the plans
        yield from _differences({} if old is ABSENT else old, {} if new is ABSENT else new, place)
    else:
        yield from (Change(place, verdict) for verdict in replaced(old, new))


def _in_children(old: Plan, new: Plan) -> Iterator[Change]:
    """The differences between the plans of child workflows that both plans run."""
    before, after = _children(old), _children(new)
    for step in sorted(before.keys() & after.keys()):
        if before[step] == after[step]:
            continue
        if before[step] in old.get("children", {}) and after[step] in new.get("children", {}):
            inner = compare(child_plan(old, before[step]), child_plan(new, after[step]))
            yield from (change.within("child", step) for change in inner)
        else:
            yield from (Change(("child", step, "plan"), each) for each in replaced(before[step], after[step]))


def _children(plan: Plan) -> dict[str, str]:
    return {step["name"]: step["plan"] for step in plan["steps"] if step["kind"] == "workflow"}
