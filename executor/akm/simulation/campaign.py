"""Many simulated runs of one plan: what was reached, and the first seed by which something broke."""

from collections import Counter
from dataclasses import dataclass, field
from random import Random

from akm.kernel.event import Recorded
from akm.kernel.evolve import IllegalEvent
from akm.kernel.machines import IllegalMove
from akm.simulation.run import Broken, SimulatedRun
from akm.simulation.sample import sample
from akm.simulation.world import World
from akm_specs.canonical import JsonObject
from akm_specs.plan import Plan

#: How likely a driver crashes at each place where it can be cut off.
CRASH_RATE = 0.05
#: Kinds of steps that no simulated world has yet.
NOT_SIMULATED = frozenset({"workflow", "deliver"})


@dataclass(slots=True)
class Coverage:
    """How often each end, step, and edge (`STEP OUTCOME`) was reached."""

    ends: Counter[str] = field(default_factory=Counter)
    steps: Counter[str] = field(default_factory=Counter)
    edges: Counter[str] = field(default_factory=Counter)
    crashes: int = 0

    def add(self, run: SimulatedRun) -> None:
        """What this run has reached."""
        self.ends[run.state.status] += 1
        self.crashes += run.crashes
        for event in (one.event for one in run.journal):
            if event.name == "step_attempt.create":
                self.steps[event.data["step"]] += 1
            elif event.name == "transition.taken":
                self.edges[f"{event.data['step']} {event.data['outcome']}"] += 1

    def missed(self, plan: Plan) -> tuple[list[str], list[str]]:
        """The steps and edges of `plan` that no run has reached."""
        edges = [f"{step['name']} {outcome}" for step in plan["steps"] for outcome in step["transitions"]]
        steps = [step["name"] for step in plan["steps"] if step["name"] not in self.steps]
        return steps, [edge for edge in edges if edge not in self.edges]


@dataclass(frozen=True, slots=True)
class Violated:
    """`seed` makes a run in which something did not hold; `journal` is as far as it came."""

    seed: int
    message: str
    journal: tuple[Recorded, ...] = ()


def campaign(
    plan: Plan, plan_hash: str, given: JsonObject, seeds: range, *, crash: bool
) -> tuple[Coverage, Violated | None]:
    """A run for each seed, until one breaks."""
    coverage = Coverage()
    for seed in seeds:
        world = World(plan, str(seed))
        parameters = {**made_parameters(plan, seed), **given}
        run = SimulatedRun(plan, plan_hash, parameters, world, CRASH_RATE if crash else 0.0)
        try:
            coverage.add(run.drive())
        except (Broken, IllegalEvent, IllegalMove, AssertionError) as broken:
            message = f"{type(broken).__name__}: {broken}"
            return coverage, Violated(seed, message, tuple(run.journal))
    return coverage, None


def made_parameters(plan: Plan, seed: int) -> JsonObject:
    """Parameters of `plan`, its defaults where it has any."""
    chance = Random(f"{seed} parameters")  # noqa: S311  # no secret: a seed gives it again
    return {
        each["name"]: each["default"] if "default" in each else sample(each["type"], chance)
        for each in plan["parameters"]
    }
