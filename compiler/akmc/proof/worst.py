"""The worst case of a plan: the most of each measure that any run of it can come to, and a run that does.

It is exact wherever the states are few enough to be looked at, and otherwise a bound that no run exceeds. Plans
pin it, so it has to be the same wherever it is computed: the limit counts states, not seconds.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from akm_specs.nesting import child_plan
from akm_specs.plan import PlanBody, Worst
from akmc.proof.budgets import budgets_of
from akmc.proof.costs import MEASURES, RUN, TRANSITION, Cost, entry_cost, skipped_cost
from akmc.proof.longest import Explored, TooManyStates, Weights, explore, longest, most
from akmc.proof.model import Model, model_of
from akmc.proof.space import Space, space_of

#: Most states that are looked at for what a plan pins: more would make compiling slow.
STATES_MAX = 20_000


@dataclass(frozen=True, slots=True)
class Most:
    """The most of one measure. `path` holds the edges of a run that reaches it, which stops in or at node `end`.

    Both are None where `most` is only a bound, because there are too many states to look at.
    """

    most: int
    path: tuple[int, ...] | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Explorer:
    """A plan with its state space. `explored` is None where that has more states than were to be looked at."""

    plan: PlanBody
    model: Model
    space: Space
    explored: Explored | None

    def worst_case(self, *, paths: bool = True) -> dict[str, Most]:
        """The most that a run comes to, by measure; of child runs only their time counts."""
        children = self.plan.get("children", {})
        known = {name: Cost(wall_ms=child["worst"]["wall_ms"]) for name, child in children.items()}
        costs = _entry_costs(self.plan, known)
        caps = {
            "transitions": self.model.transitions,
            "assignments": self.model.units,
            "wall_ms": self.model.duration_ms,
        }
        found = self._most(costs, paths)
        return {name: _capped(found[name], caps[name]) if name in caps else found[name] for name in MEASURES}

    def nested_worst_case(self) -> dict[str, Most]:
        """The same for a run together with all runs of its children, of their children, and so on."""
        children = {name: nested_cost(child_plan(self.plan, name)) for name in self.plan.get("children", {})}
        return self._most(_entry_costs(self.plan, children), paths=True)

    def _most(self, costs: Sequence[Cost], paths: bool) -> dict[str, Most]:
        return {name: self._most_of(name, costs, paths) for name in MEASURES}

    def _most_of(self, measure: str, costs: Sequence[Cost], paths: bool) -> Most:
        base: int = getattr(RUN, measure)
        weights = _weights(self.model, measure, costs)
        if self.explored is None:
            return Most(base + _bound(self.space, weights))
        if not paths:
            return Most(base + most(self.space, self.explored, weights))
        found = longest(self.space, self.explored, weights)
        return Most(base + found.most, found.path, found.end)


def explorer_of(plan: PlanBody, states_max: int = STATES_MAX) -> Explorer:
    """`plan` with its states looked at. Raises PlanNotWhole."""
    model = model_of(plan)
    space = space_of(model, budgets_of(model))
    try:
        return Explorer(plan, model, space, explore(space, states_max))
    except TooManyStates:
        return Explorer(plan, model, space, None)


def worst(plan: PlanBody) -> Worst:
    """What the plan pins."""
    found = explorer_of(plan).worst_case(paths=False)
    return {
        "transitions": found["transitions"].most,
        "entries": found["entries"].most,
        "assignments": found["assignments"].most,
        "attempts": found["attempts"].most,
        "agent_attempts": found["agent_attempts"].most,
        "events": found["events"].most,
        "wall_ms": found["wall_ms"].most,
    }


def nested_cost(plan: PlanBody) -> Cost:
    """The most that a run of `plan` and all runs nested in it come to together."""
    return Cost(**{name: found.most for name, found in explorer_of(plan).nested_worst_case().items()})


def _capped(found: Most, cap: int) -> Most:
    return Most(min(found.most, cap), found.path, found.end)


def _entry_costs(plan: PlanBody, children: dict[str, Cost]) -> list[Cost]:
    return [entry_cost(plan, step, children.__getitem__) for step in plan["steps"]]


def _weights(model: Model, measure: str, costs: Sequence[Cost]) -> Weights:
    def amount(cost: Cost) -> int:
        found: int = getattr(cost, measure)
        return found

    entered, skipped, taken = [amount(cost) for cost in costs], amount(skipped_cost()), amount(TRANSITION)
    return Weights([taken + (skipped if edge.skips else entered[edge.source]) for edge in model.edges], entered)


def _bound(space: Space, weights: Weights) -> int:
    """What no run exceeds: the heaviest steps, each as often as it can be entered, within the transitions."""
    heaviest = list(weights.stopping)
    for edge in space.model.edges:
        heaviest[edge.source] = max(heaviest[edge.source], weights.leaving[edge.number])
    left, found = space.model.transitions + 1, 0
    for weight, entries in sorted(zip(heaviest, space.budgets.entries, strict=True), reverse=True):
        times = min(entries, left)
        found += weight * times
        left -= times
    return found
