"""What became of the properties of a plan."""

from dataclasses import dataclass

from akm_specs.plan import PlanBody, Property
from akmc.proof.budgets import budgets_of
from akmc.proof.model import Model, model_of
from akmc.proof.properties import monitor_of
from akmc.proof.search import Answer, decide
from akmc.proof.space import Space, space_of


@dataclass(frozen=True, slots=True)
class Proof:
    """The properties of a plan in their order, each with what became of it."""

    model: Model
    answers: tuple[tuple[Property, Answer], ...]


def proof_of(plan: PlanBody) -> Proof:
    """Decides every property of `plan`. Raises PlanNotWhole."""
    model = model_of(plan)
    space = space_of(model, budgets_of(model))
    return Proof(model, tuple((each, answer_to(each, space)) for each in plan.get("properties", [])))


def answer_to(stated: Property, space: Space) -> Answer:
    """Whether every run of `space` keeps one property. Raises PlanNotWhole."""
    if stated["kind"] == "at_most":
        step = space.model.node(stated["step"])
        if step in space.model.steps and space.budgets.entries[step] <= stated["count"]:
            return Answer("proved")  # its own attempts, or the budgets on the ways to it, see to that
    return decide(space, monitor_of(stated, space.model))
