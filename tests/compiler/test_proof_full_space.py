"""What the proofs say, beside two that know no reduction: an exploration by every counter here, and SPIN.

SPIN and a C compiler are needed for the latter; the tests that ask them skip where they are absent.
"""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from akm_specs.lifecycle import NAMES, load
from akm_specs.plan import Plan, Property
from akmc.graph.promela import lifecycle_promela, model_promela, plan_promela
from akmc.pipeline import compile_workflow, registry_beside
from akmc.proof.answers import answer_to
from akmc.proof.budgets import budgets_of
from akmc.proof.longest import Weights, explore, longest
from akmc.proof.model import Edge, Model, model_of
from akmc.proof.properties import BROKEN, Monitor, monitor_of
from akmc.proof.search import Answer, decide, within_budgets
from akmc.proof.space import Space, space_of
from akmc.source import Source

EXAMPLES = Path(__file__).parents[2] / "specs" / "workflows"
STATES_MAX = 10_000
TERMINALS = ("completed", "failed", "cancelled")
#: Outcomes by their place among the edges of a step. `revised` carries an output, `failed` carries none.
OUTCOMES = ("passed", "failed", "revised", "timed_out")


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Up to five steps with up to three outcomes each, most of them with budgets that some run uses up."""
    count = draw(st.integers(1, 5))
    edges: list[Edge] = []
    for source in range(count):
        for outcome in OUTCOMES[: draw(st.integers(1, 3))]:
            target = draw(st.integers(0, count + 2))
            maximum = draw(st.sampled_from([None, 1, 2, 3]))
            units, wait_ms = draw(st.integers(0, 2)), draw(st.sampled_from([0, 0, 0, 5]))
            edges.append(Edge(len(edges), source, outcome, target, maximum, units, wait_ms, skips=False))
    return Model(
        nodes=(*(f"s{number}" for number in range(count)), *TERMINALS),
        attempts=tuple(draw(st.integers(1, 4)) for _ in range(count)),
        edges=tuple(edges),
        leaving=tuple(tuple(edge for edge in edges if edge.source == source) for source in range(count)),
        transitions=draw(st.integers(1, 9)),
        units=draw(st.sampled_from([2, 5, 100])),
        duration_ms=draw(st.sampled_from([9, 1000])),
    )


@st.composite
def properties(draw: st.DrawFn) -> Property:
    one, other = f"s{draw(st.integers(0, 4))}", f"s{draw(st.integers(0, 4))}"
    kinds: list[Property] = [
        {"kind": "before", "first": one, "step": other},
        {"kind": "at_most", "step": one, "count": draw(st.integers(1, 3))},
        {"kind": "only_through", "step": one, "through": other},
        {"kind": "never_after", "step": one, "after": other},
    ]
    return draw(st.sampled_from(kinds))


def names_of(stated: Property) -> set[str]:
    return {str(value) for member, value in stated.items() if member not in ("kind", "count")}


@dataclass(frozen=True, slots=True)
class Full:
    """Where a run stands and everything it has used, as the executor counts it."""

    node: int
    transitions: int
    units: int
    wait_ms: int
    entries: tuple[int, ...]
    taken: tuple[int, ...]


def start_of(model: Model) -> Full:
    return Full(0, 0, 0, 0, (1, *(0 for _ in model.attempts[1:])), tuple(0 for _ in model.edges))


def raised(counts: tuple[int, ...], at: int) -> tuple[int, ...]:
    return tuple(count + (number == at) for number, count in enumerate(counts))


def follow(model: Model, full: Full, edge: Edge) -> Full | str:
    """What taking `edge` leads to, or the budget that stops the run, asked one after the other."""
    units, wait_ms = full.units + edge.units, full.wait_ms + edge.wait_ms
    taken = raised(full.taken, edge.number)
    if units > model.units:
        return "units"
    if wait_ms > model.duration_ms:
        return "duration"
    if full.transitions == model.transitions:
        return "transitions"
    if edge.maximum is not None and taken[edge.number] > edge.maximum:
        return "max"
    entries = full.entries
    if edge.target in model.steps:
        entries = raised(entries, edge.target)
        if entries[edge.target] > model.attempts[edge.target]:
            return "attempts"
    return Full(edge.target, full.transitions + 1, units, wait_ms, entries, taken)


def leaving(model: Model, full: Full) -> Iterator[tuple[Edge, Full | str]]:
    if full.node in model.steps:
        yield from ((edge, follow(model, full, edge)) for edge in model.leaving[full.node])


@dataclass(frozen=True, slots=True)
class Naive:
    """`exhausted` are the states in which some outcome would exceed a budget."""

    states: frozenset[Full]
    exhausted: frozenset[Full]
    refused: frozenset[tuple[int, str]]

    @property
    def nodes(self) -> set[int]:
        return {full.node for full in self.states}


def naive(model: Model) -> Naive:
    known, pending = {start_of(model)}, [start_of(model)]
    exhausted, refused = set(), set()
    while pending:
        full = pending.pop()
        for edge, after in leaving(model, full):
            if isinstance(after, str):
                exhausted.add(full)
                refused.add((edge.number, after))
            elif after not in known:
                known.add(after)
                pending.append(after)
    return Naive(frozenset(known), frozenset(exhausted), frozenset(refused))


def naive_most(model: Model, weights: Weights) -> int:
    """The most by `weights`, from every state on."""
    found: dict[Full, int] = {}

    def most(full: Full) -> int:
        if full not in found:
            best = weights.stopping[full.node] if full.node in model.steps else 0
            for edge, after in leaving(model, full):
                if after == "attempts":
                    best = max(best, weights.leaving[edge.number])
                elif isinstance(after, Full):
                    best = max(best, weights.leaving[edge.number] + most(after))
            found[full] = best
        return found[full]

    return most(start_of(model))


def naive_shortest(model: Model, monitor: Monitor) -> int | None:
    """How many transitions a shortest run takes to break what `monitor` watches; None if none does."""
    if monitor.start == BROKEN:
        return 0
    known = {(start_of(model), monitor.start)}
    layer, taken = list(known), 0
    while layer:
        taken += 1
        ahead = []
        for full, memory in layer:
            for edge, after in leaving(model, full):
                if isinstance(after, str):
                    continue
                remembered = monitor.after(memory, edge)
                if remembered == BROKEN:
                    return taken
                if (after, remembered) not in known:
                    known.add((after, remembered))
                    ahead.append((after, remembered))
        layer = ahead
    return None


def walked(model: Model, path: tuple[int, ...]) -> Full:
    """Where a path leads that no budget stops but, at its very end, the attempts of a step."""
    full = start_of(model)
    for number in path:
        edge = model.edges[number]
        assert edge.source == full.node
        after = follow(model, full, edge)
        if isinstance(after, str):
            assert after == "attempts"
            assert number == path[-1]
            return full
        full = after
    return full


def followed(space: Space, monitor: Monitor) -> Answer:
    """The answer by the budgets alone, which most properties do not need."""
    return Answer("refuted") if monitor.start == BROKEN else within_budgets(space, monitor, STATES_MAX)


def spaces(model: Model) -> Space:
    return space_of(model, budgets_of(model))


@settings(deadline=None, max_examples=300)
@given(model=models())
def test_the_steps_and_ends_that_runs_reach_are_those_of_the_full_space(model: Model) -> None:
    explored = explore(spaces(model), STATES_MAX)
    assert {state[0] for state in explored.states} == naive(model).nodes


@settings(deadline=None, max_examples=300)
@given(model=models())
def test_the_budgets_that_end_a_run_are_those_of_the_full_space(model: Model) -> None:
    assert explore(spaces(model), STATES_MAX).refused == naive(model).refused


@settings(deadline=None, max_examples=300)
@given(model=models(), data=st.data())
def test_the_worst_case_is_that_of_the_full_space_and_its_path_reaches_it(
    model: Model, data: st.DataObject
) -> None:
    amounts = st.integers(0, 5)
    stopping = [data.draw(amounts) for _ in model.attempts]
    weights = Weights([stopping[edge.source] + data.draw(amounts) for edge in model.edges], stopping)
    space = spaces(model)
    found = longest(space, explore(space, STATES_MAX), weights)
    assert found.most == naive_most(model, weights)
    walked(model, found.path)
    ended = 0 if found.end not in model.steps or found.most == sum_of(weights, found.path) else stopping[found.end]
    assert found.most == sum_of(weights, found.path) + ended


def sum_of(weights: Weights, path: tuple[int, ...]) -> int:
    return sum(weights.leaving[edge] for edge in path)


@settings(deadline=None, max_examples=600)
@given(model=models(), stated=properties())
def test_a_property_is_refuted_exactly_where_a_run_breaks_it_and_by_a_shortest_one(
    model: Model, stated: Property
) -> None:
    assume(names_of(stated) <= set(model.nodes))
    monitor = monitor_of(stated, model)
    shortest = naive_shortest(model, monitor)
    for answer in (decide(spaces(model), monitor), followed(spaces(model), monitor)):
        assert answer.verdict == ("proved" if shortest is None else "refuted")
        if shortest is not None:
            assert len(answer.trace) == shortest
            assert walked(model, answer.trace).transitions == shortest


@settings(deadline=None, max_examples=300)
@given(model=models())
def test_no_run_enters_a_step_or_takes_an_edge_more_often_than_the_bounds_say(model: Model) -> None:
    budgets = budgets_of(model)
    for full in naive(model).states:
        assert all(have <= most for have, most in zip(full.entries, budgets.entries, strict=True))
        assert all(have <= most for have, most in zip(full.taken, budgets.taken, strict=True))


# SPIN ------------------------------------------------------------------------------------------------

spin_there = pytest.mark.skipif(
    not (shutil.which("spin") and shutil.which("gcc")), reason="there is no spin or no gcc"
)


@dataclass(frozen=True, slots=True)
class Pan:
    """A verifier that SPIN made of a model. How many states it stores tells only of a claim that holds."""

    folder: Path
    text: str

    def run(self, *options: str) -> str:
        ended = subprocess.run(
            ["./pan", "-m100000", "-w18", *options], cwd=self.folder, capture_output=True, text=True, check=True
        )
        assert "max search depth too small" not in ended.stdout
        return ended.stdout

    def states(self) -> int:
        """How many states there are, that before the first move left out."""
        found = re.search(r"^ +(\d+) states, stored", self.run("-a", "-N", "any"), flags=re.MULTILINE)
        assert found is not None
        return int(found[1]) - 1

    def reached(self) -> set[int]:
        """The nodes to which something leads."""
        nodes = map(int, re.findall(r"^ltl away_(\d+) ", self.text, flags=re.MULTILINE))
        return {node for node in nodes if not self.holds(f"away_{node}")}

    def holds(self, claim: str) -> bool:
        return "errors: 0" in self.run("-a", "-N", claim)


def pan_of(text: str, folder: Path) -> Pan:
    folder.mkdir()
    (folder / "model.pml").write_text(text + "ltl any { [] (at >= 0) }\n")
    for command in (["spin", "-a", "model.pml"], ["gcc", "-O0", "-w", "-DNOREDUCE", "-o", "pan", "pan.c"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return Pan(folder, text)


def as_counted(model: Model, full: Full, text: str) -> Full:
    """`full` with only those counters that the Promela model `text` has, since a budget bounds them."""
    taken = tuple(
        have if edge.maximum is not None else 0 for edge, have in zip(model.edges, full.taken, strict=True)
    )
    units, wait_ms = full.units if "int units" in text else 0, full.wait_ms if "int waited" in text else 0
    return replace(full, taken=taken, units=units, wait_ms=wait_ms)


def compare(model: Model, stated: Sequence[Property], folder: Path) -> None:
    """SPIN stores the states that there are and reaches the nodes that we do, and each property fares the same."""
    folder.mkdir(exist_ok=True)
    space, counted = spaces(model), naive(model)
    plain = model_promela(model, "compared", ())
    pan = pan_of(plain, folder / "states")
    going = {as_counted(model, full, plain) for full in counted.states}
    stopped = {as_counted(model, full, plain) for full in counted.exhausted}
    assert pan.states() == len(going) + len({replace(full, node=-1) for full in stopped})
    explored = explore(space, STATES_MAX)
    assert pan.reached() - {len(model.nodes)} == {state[0] for state in explored.states}
    assert (len(model.nodes) in pan.reached()) == bool(explored.refused)
    if stated:
        pan = pan_of(model_promela(model, "compared", stated), folder / "properties")
        for number, each in enumerate(stated, start=1):
            assert pan.holds(f"property_{number}") == (answer_to(each, space).verdict == "proved"), each


@spin_there
def test_spin_agrees_on_a_workflow_of_thirteen_steps(fix_plan: Plan, tmp_path: Path) -> None:
    assert model_promela(model_of(fix_plan), "fix", fix_plan["properties"]) == plan_promela(fix_plan)
    broken: list[Property] = [
        {"kind": "before", "first": "verify", "step": "implement"},
        {"kind": "at_most", "step": "implement", "count": 3},
        {"kind": "only_through", "step": "delivery", "through": "verify"},
        {"kind": "never_after", "step": "plan", "after": "approval"},
    ]
    compare(model_of(fix_plan), [*fix_plan["properties"], *broken], tmp_path)


@spin_there
def test_spin_agrees_on_every_example(tmp_path: Path) -> None:
    examples = [path for path in sorted(EXAMPLES.rglob("*.akm")) if path.name != "registry.akm"]
    assert examples
    for number, path in enumerate(examples):
        plan = compile_workflow(Source.read(path), registry_beside(str(path))).plan
        compare(model_of(plan), plan.get("properties", []), tmp_path / str(number))


@spin_there
def test_spin_agrees_on_generated_models() -> None:
    @settings(deadline=None, max_examples=6, derandomize=True, phases=[Phase.generate])
    @given(model=models(), stated=st.lists(properties(), min_size=2, max_size=3))
    def agrees(model: Model, stated: list[Property]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            compare(model, [each for each in stated if names_of(each) <= set(model.nodes)], Path(folder))

    agrees()


@spin_there
@pytest.mark.parametrize("name", NAMES)
def test_spin_reaches_every_state_of_a_lifecycle_and_from_each_an_end(name: str, tmp_path: Path) -> None:
    table = load(name)
    pan = pan_of(lifecycle_promela(table), tmp_path / name)
    assert pan.reached() == set(range(len(table["states"])))
    assert not [at for at in range(len(table["states"])) if pan.holds(f"stuck_{at}")]
