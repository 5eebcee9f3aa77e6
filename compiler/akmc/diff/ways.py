"""Where the outcomes of a plan lead, seen beside another plan: past steps that it alone has and that only look.

So a sign-off that is put between two steps, or taken away, is one change; the way from one to the other stays.
"""

from collections.abc import Mapping

from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan, Step, Transition
from akmc.diff.looking import only_looks

#: Where a run ends without success: no way on.
_STOPS = ("failed", "cancelled")


class Ways:
    """The ways of `plan`, seen beside another plan."""

    def __init__(self, plan: Plan, beside: Plan) -> None:
        there = {(step["name"], step["kind"]) for step in beside["steps"]}
        self._passed_by: Mapping[str, Step] = {
            step["name"]: step
            for step in plan["steps"]
            if (step["name"], step["kind"]) not in there and only_looks(step, plan)
        }

    def of(self, transition: Transition) -> JsonObject:
        """The transition with `leads`, what it leads on to."""
        return {**transition, "leads": sorted(self._leads(transition["target"]))}

    def entry(self, steps: list[Step]) -> JsonObject:
        """The beginning of a run, as if it were a transition."""
        first = steps[0]["name"] if steps else "failed"
        return {"target": first, "leads": sorted(self._leads(first)), "maximum": None}

    def _leads(self, target: str) -> set[str]:
        found: set[str] = set()
        seen: set[str] = set()
        pending = [target]
        while pending:
            name = pending.pop()
            if name in self._passed_by and name not in seen:
                seen.add(name)
                pending += [way["target"] for way in self._passed_by[name]["transitions"].values()]
            elif name not in self._passed_by and name not in _STOPS:
                found.add(name)
        return found
