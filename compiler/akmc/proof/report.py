"""How a verification reads: as text for people, and as one JSON document."""

from collections.abc import Iterable, Iterator

from akm_specs.canonical import JsonObject
from akm_specs.plan import Property
from akmc.proof.costs import MEASURES
from akmc.proof.model import Model
from akmc.proof.properties import broken_text, property_text
from akmc.proof.search import Answer
from akmc.proof.traces import Trace, sequence, trace_of, trace_text
from akmc.proof.verification import STATES_MAX, Verification
from akmc.proof.worst import Most
from akmc.wording import duration_text

#: Visits that are shown of a run that reaches a worst case; the JSON has all of them.
_VISITS_MAX = 4

_BUDGETS = {
    "units": "limits.units",
    "duration": "limits.duration",
    "transitions": "limits.transitions",
    "max": "its max",
    "attempts": "the attempts of {target}",
}
_NAMES = {
    "transitions": "transitions",
    "entries": "step entries",
    "assignments": "assignments",
    "attempts": "attempts",
    "agent_attempts": "attempts of agents",
    "events": "journal events",
    "wall_ms": "wall time",
}


def to_json(found: Verification) -> JsonObject:
    """The machine form of a verification. Times are in milliseconds."""
    model, explored = found.model, found.explorer.explored
    document: JsonObject = {
        "workflow": found.plan["workflow"],
        "plan_hash": found.plan_hash,
        "verdict": found.verdict,
        "states": None if explored is None else len(explored.states),
        "edges": None if explored is None else explored.edges,
        "longest_path": found.most["transitions"].most,
        "terminates": {"proved": True, "within_transitions": model.transitions},
        "dead_ends": list(found.dead_ends),
        "unreachable": _unreachable(found),
        "ends": _ends(found),
        "budget_ends": _budget_ends(found),
        "properties": [_property_json(stated, answer, model) for stated, answer in found.answers],
        "worst": {name: _most_json(most, model) for name, most in found.most.items()},
        "cost_microdollars": _cost(found),
        "pinned": {"worst": dict(found.plan["worst"]), "right": found.pinned_right},
    }
    if found.children:
        document["nested"] = {name: _most_json(most, model) for name, most in found.nested.items()}
        document["children"] = [to_json(child) for child in found.children]
    return document


def to_text(found: Verification) -> str:
    """What people read of a verification."""
    return "\n".join([*_text(found), *(line for child in found.children for line in ("", *_text(child)))]) + "\n"


def _text(found: Verification) -> Iterator[str]:
    model, explored = found.model, found.explorer.explored
    yield f"{found.plan['workflow']}: {found.verdict.replace('_', ' ')}  {found.plan_hash}"
    if explored is None:
        yield f"  more than {STATES_MAX} states: the worst case is a bound, and budgets are not told apart"
    else:
        longest = found.most["transitions"].most
        yield f"  {len(explored.states)} states, {explored.edges} edges, longest path {longest} transitions"
    yield f"  ends: {', '.join(_ends(found)) or 'none'}"
    yield f"  every run ends: each transition counts, and there are at most {model.transitions}"
    yield f"  dead ends: {', '.join(found.dead_ends) or 'none'}"
    if unreachable := _unreachable(found):
        yield f"  never reached: {', '.join(unreachable)}"
    if refused := _budget_ends(found):
        yield "  a budget can end the run:"
        yield from (
            f"    after {each['step']} ({each['outcome']}): {', '.join(each['budgets'])}" for each in refused
        )
    if found.answers:
        yield "  properties:"
        for stated, answer in found.answers:
            yield from (f"    {line}" for line in _property_text(stated, answer, model))
    yield from _worst_text(found)


def _property_text(stated: Property, answer: Answer, model: Model) -> Iterator[str]:
    yield f"{answer.verdict.replace('_', ' ')}: {property_text(stated)}"
    if answer.verdict == "not_proved":
        yield f"  looked at {answer.states} states, and there are more"
    if answer.verdict == "refuted":
        trace = trace_of(model, answer.trace)
        yield f"  {trace_text(trace)}"
        yield f"  here {broken_text(stated)}"
        yield from ("", "```mermaid", *sequence(trace, broken_text(stated)).splitlines(), "```", "")


def _worst_text(found: Verification) -> Iterator[str]:
    yield "  worst case of any run:" if not found.nested else "  worst case of any run (and with its child runs):"
    for name in MEASURES:
        most = found.most[name]
        told = _amount(name, most.most)
        if found.nested:
            told += f" ({_amount(name, found.nested[name].most)})"
        how = "at most" if most.path is None else trace_text(trace_of(found.model, most.path), _VISITS_MAX)
        yield f"    {_NAMES[name]:<20}{told:<22}{how}"
    cost = _cost(found)
    told = "no ceiling" if cost is None else f"{cost / 1_000_000:g} USD"
    yield f"    {'cost':<20}{told:<22}{_COST_NOTE if cost else ''}".rstrip()
    if not found.pinned_right:
        yield "  the plan pins another worst case than the one computed here"


_COST_NOTE = "then nothing more starts; what is at work still spends"


def _amount(measure: str, most: int) -> str:
    return duration_text(most) if measure == "wall_ms" else str(most)


def _property_json(stated: Property, answer: Answer, model: Model) -> JsonObject:
    document: JsonObject = {"property": property_text(stated), "verdict": answer.verdict, "states": answer.states}
    if answer.verdict == "refuted":
        trace = trace_of(model, answer.trace)
        document |= {
            "trace": _trace_json(trace),
            "broken": broken_text(stated),
            "mermaid": sequence(trace, broken_text(stated)),
        }
    return document


def _most_json(most: Most, model: Model) -> JsonObject:
    if most.path is None:
        return {"most": most.most, "exact": False}
    return {"most": most.most, "exact": True, "path": _trace_json(trace_of(model, most.path))}


def _trace_json(trace: Trace) -> JsonObject:
    visits = [{"step": each.step, "number": each.number, "outcome": each.outcome} for each in trace.visits]
    return {"visits": visits, "end": trace.end}


def _ends(found: Verification) -> list[str]:
    return [found.model.nodes[node] for node in _terminals(found.model) if node in found.reached]


def _unreachable(found: Verification) -> list[str]:
    return [found.model.nodes[step] for step in found.model.steps if step not in found.reached]


def _terminals(model: Model) -> Iterable[int]:
    return range(len(model.steps), len(model.nodes))


def _budget_ends(found: Verification) -> list[JsonObject]:
    """Where a budget can end a run: after which outcome of which step, and which budgets."""
    by_edge: dict[int, list[str]] = {}
    for edge, budget in sorted(found.refused or ()):
        target = found.model.nodes[found.model.edges[edge].target]
        by_edge.setdefault(edge, []).append(_BUDGETS[budget].format(target=target))
    edges = found.model.edges
    return [
        {"step": found.model.nodes[edges[edge].source], "outcome": edges[edge].outcome, "budgets": budgets}
        for edge, budgets in by_edge.items()
    ]


def _cost(found: Verification) -> int | None:
    """The ceiling on what a run spends; 0 where no agent works, None where there is no ceiling."""
    if found.most["agent_attempts"].most == 0:
        return 0
    ceiling = found.plan["limits"].get("cost_microdollars")
    return None if ceiling is None else ceiling["value"]
