"""The model of a plan: its steps, the outcomes that lead from one to another, and the budgets of a run.

It leaves the values of data out: every outcome that a step can produce is possible at each of its entries. So
what is proved of the model holds in every run, and a trace that it gives is one that the budgets allow.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from akm_specs.plan import TERMINALS, PlanBody, Step


class PlanNotWhole(Exception):
    """A plan that no compiler made: a transition or a property names what is not there."""


@dataclass(frozen=True, slots=True)
class Edge:
    """One outcome's way from node `source` to node `target`.

    `maximum` is how often a run may take it. `units` and `wait_ms` are the least assignments and the least time
    that an entry of the source uses up before it can end so; one that `skips` does none of the step's work.
    """

    number: int
    source: int
    outcome: str
    target: int
    maximum: int | None
    units: int
    wait_ms: int
    skips: bool


@dataclass(frozen=True, slots=True)
class Model:
    """Nodes are numbers: the steps in the order of the plan, from 0, where a run starts; then the terminals.

    `attempts` is how often a run may enter each step. `leaving` holds the edges out of each step.
    """

    nodes: tuple[str, ...]
    attempts: tuple[int, ...]
    edges: tuple[Edge, ...]
    leaving: tuple[tuple[Edge, ...], ...]
    transitions: int
    units: int
    duration_ms: int
    steps: range = field(init=False)  # the nodes that are steps

    def __post_init__(self) -> None:
        object.__setattr__(self, "steps", range(len(self.attempts)))

    def node(self, name: str) -> int:
        """The node called `name`. Raises PlanNotWhole."""
        try:
            return self.nodes.index(name)
        except ValueError:
            raise PlanNotWhole(f"there is no step {name!r}") from None


def model_of(plan: PlanBody) -> Model:
    """The model of `plan`. Raises PlanNotWhole."""
    names = [step["name"] for step in plan["steps"]]
    nodes = (*names, *TERMINALS)
    if not names or len(set(nodes)) != len(nodes):
        raise PlanNotWhole("its steps do not have one name each")
    numbers = {name: number for number, name in enumerate(nodes)}
    edges: list[Edge] = []
    for number, step in enumerate(plan["steps"]):
        edges += _leaving(step, number, numbers, len(edges))
    leaving: list[list[Edge]] = [[] for _ in names]
    for edge in edges:
        leaving[edge.source].append(edge)
    limits = plan["limits"]
    return Model(
        nodes,
        tuple(step["attempts"]["value"] for step in plan["steps"]),
        tuple(edges),
        tuple(tuple(each) for each in leaving),
        limits["transitions"]["value"],
        limits["units"]["value"],
        limits["duration_ms"]["value"],
    )


def _leaving(step: Step, source: int, numbers: dict[str, int], first: int) -> Iterator[Edge]:
    for number, (outcome, transition) in enumerate(sorted(step["transitions"].items()), start=first):
        if transition["target"] not in numbers:
            raise PlanNotWhole(f"step {step['name']!r} leads to {transition['target']!r}, which is not there")
        maximum = None if transition["maximum"] is None else transition["maximum"]["value"]
        target = numbers[transition["target"]]
        skips = outcome == "skipped" and "skip" in step
        units = 0 if skips else _units_min(step, outcome)
        yield Edge(number, source, outcome, target, maximum, units, _wait_ms_min(step, outcome), skips)


def _units_min(step: Step, outcome: str) -> int:
    """The fewest assignments with which an entry of `step` can end in `outcome`."""
    judged = 1 if "gate" in step and outcome == "passed" else 0
    match step["kind"]:
        case "exec" | "agent" | "judge":
            return 1 + judged
        case "gate":
            return (1 if step["check"] == "tool" else 0) + judged
        case "panel":
            return step["target"]["value"] + judged
        case _:  # a map may have no items; a delivery may fail before it begins
            return judged


def _wait_ms_min(step: Step, outcome: str) -> int:
    """The least time, on the run's own clock, after which an entry of `step` can end in `outcome`."""
    if step["kind"] == "wait" and step["wait"] == "span" and outcome == "passed":
        return step["span_ms"]
    if step["kind"] == "approval" or (step["kind"] == "wait" and step["wait"] == "signal"):
        return step["timeout_ms"]["value"] if outcome == "expired" else 0
    return 0
