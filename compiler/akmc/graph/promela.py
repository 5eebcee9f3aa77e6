"""A plan or a lifecycle as a Promela model, so that SPIN can explore what our own prover explores.

The model counts every budget as the executor does and knows none of our reductions. All that changes stands in
variables, and each step of the model is one `d_step`: so the states that SPIN stores are the states of the run.
The claim `away_N` is refuted exactly where something leads to node N.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from math import gcd

from akm_specs.lifecycle import Lifecycle
from akm_specs.plan import PlanBody, Property
from akmc.outcomes import carries_output
from akmc.proof.model import Edge, Model, model_of
from akmc.proof.properties import property_text


def plan_promela(plan: PlanBody) -> str:
    """The model of a plan. The claim `property_N` holds where the N-th property of the plan does.

    Raises PlanNotWhole.
    """
    return model_promela(model_of(plan), plan["workflow"], plan.get("properties", []))


def model_promela(model: Model, title: str, properties: Sequence[Property]) -> str:
    """The same of a model. The node after the terminals is where a run stops that a budget ends."""
    exhausted = len(model.nodes)
    head = [f"/* {_comment(title)}: the nodes are", *_listed((*model.nodes, "exhausted")), "*/"]
    lines = [
        *head,
        *_variables(model, len(properties)),
        "active proctype plan() {",
        *_start(model, properties),
        "  do",
    ]
    for edge in model.edges:
        lines += _edge(model, edge, properties, exhausted)
    lines += [_rests(node) for node in range(len(model.steps), exhausted + 1)]
    lines += ["  od", "}"]
    lines += _aways(exhausted + 1)
    for number, stated in enumerate(properties, start=1):
        lines.append(f"ltl property_{number} {{ [] !broken_{number} }} /* {_comment(property_text(stated))} */")
    return "\n".join(lines) + "\n"


def lifecycle_promela(table: Lifecycle) -> str:
    """The model of a lifecycle. The claim `stuck_N` is refuted where state N can come to an end."""
    names = [state["name"] for state in table["states"]]
    finals = [at for at, state in enumerate(table["states"]) if state["kind"] == "final"]
    start = next(at for at, state in enumerate(table["states"]) if state["kind"] == "initial")
    lines = [f"/* {_comment(table['name'])}: the nodes are", *_listed(names), "*/", f"byte at = {start};"]
    lines += ["active proctype entity() {", "  do"]
    for move in table["moves"]:
        source, target = names.index(move["source"]), names.index(move["target"])
        lines.append(f"  :: d_step {{ at == {source} -> at = {target} }} /* {_comment(move['trigger'])} */")
    lines += [_rests(at) for at in finals]
    lines += ["  od", "}"]
    lines += _aways(len(names))
    ended = " || ".join(f"at == {at}" for at in finals)
    lines += [f"ltl stuck_{at} {{ [] (at == {at} -> [] !({ended})) }}" for at in range(len(names))]
    return "\n".join(lines) + "\n"


def _listed(names: Sequence[str]) -> Iterator[str]:
    return (f"   {number} {_comment(name)}" for number, name in enumerate(names))


def _aways(nodes: int) -> Iterator[str]:
    return (f"ltl away_{node} {{ [] (at != {node}) }}" for node in range(nodes))


def _comment(text: str) -> str:
    """`text` as a comment may hold it: in Promela's C, nothing may end the comment or be outside of ASCII."""
    return text.encode("ascii", "replace").decode().replace("*/", "* /")


def _rests(node: int) -> str:
    """A run that has ended stays where it is."""
    return f"  :: d_step {{ at == {node} -> at = {node} }}"


def _variables(model: Model, properties: int) -> Iterator[str]:
    yield "short at = 0, transitions = 0;"
    if _counts_units(model):
        yield "int units = 0;"
    if _counts_wait(model):
        yield "int waited = 0;"
    yield f"byte entered[{len(model.steps)}];"
    yield f"byte taken[{len(model.edges)}];"
    for number in range(1, properties + 1):
        yield f"byte memory_{number} = 0; bit broken_{number} = 0;"


def _start(model: Model, properties: Sequence[Property]) -> Iterator[str]:
    """Entering the first step, in one move with the start of the process."""
    entering = ["entered[0] = 1", *_entering(model, 0, properties)]
    yield f"  d_step {{ {'; '.join(entering)} }}"


def _edge(model: Model, edge: Edge, properties: Sequence[Property], exhausted: int) -> Iterator[str]:
    """Taking the edge where every budget allows it; and the end of the run where one does not."""
    allowed = [f"transitions < {model.transitions}"]
    changes = ["transitions = transitions + 1"]
    if _counts_units(model) and edge.units:
        allowed.append(f"units + {edge.units} <= {model.units}")
        changes.append(f"units = units + {edge.units}")
    if _counts_wait(model) and edge.wait_ms:
        unit = _wait_unit(model)
        allowed.append(f"waited + {edge.wait_ms // unit} <= {model.duration_ms // unit}")
        changes.append(f"waited = waited + {edge.wait_ms // unit}")
    if edge.maximum is not None:
        allowed.append(f"taken[{edge.number}] < {edge.maximum}")
        changes.append(f"taken[{edge.number}] = taken[{edge.number}] + 1")
    if edge.target in model.steps:
        allowed.append(f"entered[{edge.target}] < {model.attempts[edge.target]}")
        changes.append(f"entered[{edge.target}] = entered[{edge.target}] + 1")
    changes += [*_leaving(model, edge, properties), *_entering(model, edge.target, properties)]
    here, budget = f"at == {edge.source}", " && ".join(allowed)
    about = f"/* {_comment(model.nodes[edge.source])} ({_comment(edge.outcome)}) */"
    yield f"  :: d_step {{ {here} && {budget} -> {'; '.join(changes)}; at = {edge.target} }} {about}"
    yield f"  :: d_step {{ {here} && !({budget}) -> at = {exhausted} }}"


def _leaving(model: Model, edge: Edge, properties: Sequence[Property]) -> Iterator[str]:
    """What the properties remember of an outcome."""
    for number, stated in enumerate(properties, start=1):
        if stated["kind"] == "before" and model.nodes[edge.source] == stated["first"]:
            outcomes = {each.outcome for each in model.leaving[edge.source]}
            passes = edge.outcome == "passed" if "passed" in outcomes else carries_output(edge.outcome)
            yield f"memory_{number} = {int(passes)}"


def _entering(model: Model, node: int, properties: Sequence[Property]) -> Iterator[str]:
    """What the properties remember of a node that is entered, and whether that breaks them."""
    name = model.nodes[node]
    for number, stated in enumerate(properties, start=1):
        memory, broken = f"memory_{number}", f"broken_{number}"
        match stated["kind"]:
            case "before" if name == stated["step"]:
                yield f"{broken} = {broken} || {memory} == 0"
            case "at_most" if name == stated["step"]:
                yield f"{broken} = {broken} || {memory} >= {stated['count']}"
                yield f"{memory} = ({memory} < 200 -> {memory} + 1 : 200)"
            case "only_through" if name == stated["through"]:
                yield f"{memory} = 0"
            case "only_through" if name == stated["step"]:
                yield f"{memory} = 1"
            case "only_through" if name == "completed":
                yield f"{broken} = {broken} || {memory} == 1"
            case "never_after":
                if name == stated["step"]:
                    yield f"{broken} = {broken} || {memory} == 1"
                if name == stated["after"]:
                    yield f"{memory} = 1"


def _counts_units(model: Model) -> bool:
    """Whether the assignments of all entries could exceed their budget."""
    return _most(model, lambda edge: edge.units) > model.units


def _counts_wait(model: Model) -> bool:
    """Whether all waits together could exceed the run's duration."""
    return _most(model, lambda edge: edge.wait_ms) > model.duration_ms


def _most(model: Model, amount: Callable[[Edge], int]) -> int:
    """What as many entries of every step as its attempts allow could come to."""
    most = (max(map(amount, leaving), default=0) for leaving in model.leaving)
    return sum(attempts * each for attempts, each in zip(model.attempts, most, strict=True))


def _wait_unit(model: Model) -> int:
    """What all waits are multiples of, in milliseconds: SPIN's integers have 32 bits."""
    return reduce(gcd, (edge.wait_ms for edge in model.edges), 0) or 1
