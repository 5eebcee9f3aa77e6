"""`akmc verify`: everything that is proved of a plan, and of each plan that is nested in it.

Start here: `verify` explores the plan's states, decides its properties and takes the worst case. All of it is
data; `report.py` says how it reads.
"""

from dataclasses import dataclass

from akm_specs.nesting import child_plan
from akm_specs.plan import Plan, Property
from akmc.proof.answers import answer_to
from akmc.proof.model import Model
from akmc.proof.search import Answer, Verdict
from akmc.proof.ways import ending, reached
from akmc.proof.worst import Explorer, Most, explorer_of, worst

#: Most states that `akmc verify` looks at. What a plan pins looks at fewer: see `worst.STATES_MAX`.
STATES_MAX = 500_000


@dataclass(frozen=True, slots=True)
class Verification:
    """What is proved of one plan.

    `reached` are the steps and terminals that some run comes to, `dead_ends` the steps among them from which no
    outcomes lead to a terminal. `refused` are the edges that a budget can refuse, and which: there a run ends
    failed. It is None where there are too many states to look at all of them; then `reached` may name too many.
    `pinned_right` says that the worst case in the plan is the one that is computed from it.
    """

    plan: Plan
    plan_hash: str
    explorer: Explorer
    reached: frozenset[int]
    dead_ends: tuple[str, ...]
    refused: frozenset[tuple[int, str]] | None
    answers: tuple[tuple[Property, Answer], ...]
    most: dict[str, Most]
    nested: dict[str, Most]
    pinned_right: bool
    children: tuple["Verification", ...]

    @property
    def model(self) -> Model:
        """The model that was explored."""
        return self.explorer.model

    @property
    def verdict(self) -> Verdict:
        """Proved, where every property and everything about the plan's children is."""
        verdicts = {answer.verdict for _, answer in self.answers} | {child.verdict for child in self.children}
        if self.dead_ends or not self.pinned_right or "refuted" in verdicts:
            return "refuted"
        return "not_proved" if "not_proved" in verdicts else "proved"


def verify(plan: Plan, plan_hash: str) -> Verification:
    """Everything that is proved of `plan` and of its children. Raises PlanNotWhole."""
    children = sorted(plan.get("children", {}))
    return _alone(plan, plan_hash, tuple(_alone(child_plan(plan, name), name, ()) for name in children))


def _alone(plan: Plan, plan_hash: str, children: tuple[Verification, ...]) -> Verification:
    explorer = explorer_of(plan, STATES_MAX)
    model, explored = explorer.model, explorer.explored
    known = reached(model) if explored is None else frozenset(node for node, _ in explored.states)
    able_to_end = ending(model)
    return Verification(
        plan=plan,
        plan_hash=plan_hash,
        explorer=explorer,
        reached=known,
        dead_ends=tuple(model.nodes[step] for step in model.steps if step in known and step not in able_to_end),
        refused=None if explored is None else explored.refused,
        answers=tuple((stated, answer_to(stated, explorer.space)) for stated in plan.get("properties", [])),
        most=explorer.worst_case(),
        nested=explorer.nested_worst_case() if children else {},
        pinned_right=plan["worst"] == worst(plan),
        children=children,
    )
