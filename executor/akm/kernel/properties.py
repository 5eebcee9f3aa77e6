"""The plan's properties, held again while it runs: the next event that would break one is not made.

The compiler has proved each over every path; this is the second lock. What each says stands in
`akm_specs.plan.properties`.
"""

from dataclasses import dataclass

from akm.kernel.event import Event
from akm.kernel.state import RunState
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan, Property


@dataclass(frozen=True, slots=True)
class Violated:
    """A property that an event would break."""

    says: str
    entity: str

    fact = "property.violated"

    def message(self) -> str:
        """The property, and what would break it."""
        return f"`{self.says}` does not hold: {self.entity} may not come now"

    def data(self) -> JsonObject:
        """What is recorded of it."""
        return {"code": "property_violated", "message": self.message(), "property": self.says}


#: The events that a property may keep from being made.
CONCERNED = frozenset({"step_attempt.create", "transition.taken"})


class PropertyBroken(Exception):
    """An append that would break a property of the plan; refused whole."""

    def __init__(self, violated: Violated) -> None:
        super().__init__(violated.message())
        self.violated = violated


def violated(plan: Plan, state: RunState, event: Event) -> Violated | None:
    """The property that `event` would break."""
    if event.name == "step_attempt.create":
        entering = event.data["step"]
    elif event.name == "transition.taken" and event.data["target"] == "completed":
        entering = None
    else:
        return None
    for each in plan.get("properties", ()):
        if _breaks(state, each, entering):
            return Violated(_says(each), event.entity if entering else "completed")
    return None


def _breaks(state: RunState, each: Property, entering: str | None) -> bool:
    """Whether entering a step, or with None the end `completed`, is against the property."""
    if each["kind"] == "only_through":
        return entering is None and _entered(state, each["step"]) > _entered(state, each["through"])
    if each["step"] != entering:
        return False
    if each["kind"] == "before":
        first = state.passages.get(each["first"])
        return first is None or not first.passed
    if each["kind"] == "at_most":
        return state.counters.entries.get(entering, 0) >= each["count"]
    return _entered(state, each["after"]) > 0


def _entered(state: RunState, step: str) -> int:
    """The place of the step's last entry among all entries of the run; 0 for none."""
    passage = state.passages.get(step)
    return 0 if passage is None else passage.entered


def _says(each: Property) -> str:
    if each["kind"] == "before":
        return f"require {each['first']} before {each['step']}"
    if each["kind"] == "at_most":
        return f"require {each['step']} at most {each['count']}"
    if each["kind"] == "only_through":
        return f"require {each['step']} reaches completed only through {each['through']}"
    return f"never {each['step']} after {each['after']}"
