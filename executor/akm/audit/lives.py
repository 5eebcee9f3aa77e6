"""Every entity's life against its lifecycle's published table: born once, moved as listed, never after its end."""

from functools import cache

from akm.audit.history import Entry, Found, History
from akm.audit.shape import FACTS
from akm_specs import lifecycle

#: Lifecycles of which a run's history has entities.
_OF_A_RUN = ("run", "step_attempt", "assignment", "attempt", "effect", "delivery", "repository_delivery", "session")


@cache
def states(name: str, kind: str) -> frozenset[str]:
    """The states of that kind (`initial`, `state`, `final`) in the table of a lifecycle."""
    return frozenset(state["name"] for state in lifecycle.load(name)["states"] if state["kind"] == kind)


@cache
def _moves(name: str) -> dict[tuple[str, str], str]:
    return {(move["trigger"], move["source"]): move["target"] for move in lifecycle.load(name)["moves"]}


def lives(history: History) -> Found:
    """Each move is in its table and starts where its entity stands; births come first; facts are known ones."""
    standing: dict[tuple[str, str], str] = {}
    run_ended = False
    for one in history.entries:
        if run_ended:
            yield one.sequence, f"the run has ended, and {one.name} follows"
        if one.lifecycle in _OF_A_RUN and one.name not in FACTS:
            problem = _problem(one, standing.get((one.lifecycle, one.entity)))
            if problem is not None:
                yield one.sequence, problem
            standing[one.lifecycle, one.entity] = one.target or ""
            run_ended = run_ended or (one.lifecycle == "run" and one.target in states("run", "final"))
        elif one.name not in FACTS or one.source is not None or one.target is not None:
            yield one.sequence, f"{one.name} is neither a listed move nor a fact of a run"


def _problem(one: Entry, stands: str | None) -> str | None:
    """Why `one` is no legal birth or move of an entity that stands at `stands`; None: not born yet."""
    if one.trigger == "create":
        if stands is not None:
            return f"{one.lifecycle} {one.entity} is born a second time"
        born = one.source is None and one.target in states(one.lifecycle, "initial")
        return None if born else f"{one.lifecycle} {one.entity} is born in another state than the first"
    if stands is None:
        return f"{one.name} moves {one.entity}, which was not born"
    if one.source != stands:
        return f"{one.name} starts from {one.source}, but {one.entity} is {stands}"
    leads = _moves(one.lifecycle).get((one.trigger, stands))
    if leads is None:
        return f"the table of {one.lifecycle} has no move {one.trigger} from {stands}"
    return None if leads == one.target else f"{one.name} from {stands} leads to {leads}, not to {one.target}"


def beginning(history: History) -> Found:
    """A history begins with the birth of its run, under the plan that it names."""
    first = history.entries[0]
    if first.name != "run.create" or first.entity != history.run:
        yield 1, f"a history begins with the birth of its run, not with {first.name} of {first.entity}"
    for one in history.entries:
        if one.lifecycle == "run" and one.entity != history.run:
            yield one.sequence, f"{one.name} is about another run, {one.entity}"
        if one.name in ("run.create", "run.prepare") and one.data["plan_hash"] != history.plan_hash:
            yield one.sequence, "it names the hash of another plan"
    if history.plan["lifecycles"] != lifecycle.tables_hash():
        yield 1, "the plan was made for other lifecycle tables than these"
