"""How many events the life of an entity leaves in a journal, at most: read off the lifecycle tables.

A *calm* life is one that nothing from outside disturbs: its process is observed from its start to its end. The
calm part of a table has no cycle but those that a plan bounds, such as retries. What else happens is caused from
outside: a host that went down, an outcome that nobody can prove, a person who resolves it. No plan can bound how
often, so such events do not count. Source: docs/reference/verification.md.
"""

from functools import cache

from akm_specs.lifecycle import NAMES, load

#: States that only a disturbance leads to. A move into one of them or out of it does not count.
DISTURBED = frozenset({"reattaching", "connection_lost", "blocked_uncertain"})
#: The facts that the plan itself calls for. Any other records what somebody sent, or an answer to it.
COUNTED_FACTS = frozenset(
    {"transition.taken", "decision.recorded", "signal.consumed", "budget.exhausted", "cancel.requested"}
)


def counts(name: str, source: str | None, target: str | None) -> bool:
    """Whether the event `name`, which moves from `source` to `target`, counts against a plan's worst case."""
    if target is None:
        return name in COUNTED_FACTS
    return name.partition(".")[0] in NAMES and source not in DISTURBED and target not in DISTURBED


@cache
def life(lifecycle: str, without: frozenset[str] = frozenset()) -> int:
    """The most events of one calm life that enters no state twice and none of `without`, its birth among them."""
    table = load(lifecycle)
    start = next(state["name"] for state in table["states"] if state["kind"] == "initial")
    finals = {state["name"] for state in table["states"] if state["kind"] == "final"}
    longest = _longest(_exits(lifecycle, without), start, finals, frozenset({start}))
    assert longest is not None, f"no calm life of a {lifecycle} ends"
    return 1 + longest


@cache
def again(lifecycle: str, state: str) -> int:
    """The most events of one calm way from `state` round to `state`: what one repetition adds to a life."""
    exits = _exits(lifecycle, frozenset())
    ways = [_longest(exits, target, {state}, frozenset({target})) for target in exits[state]]
    return max((1 + way for way in ways if way is not None), default=0)


@cache
def attempt_again() -> int:
    """The most events of one more physical attempt: its own, its effect's, and its assignment's."""
    return again("assignment", "dispatched") + life("attempt") + life("effect")


def _exits(lifecycle: str, without: frozenset[str]) -> dict[str, list[str]]:
    avoided = DISTURBED | without
    found: dict[str, list[str]] = {state["name"]: [] for state in load(lifecycle)["states"]}
    for move in load(lifecycle)["moves"]:
        if move["source"] not in avoided and move["target"] not in avoided:
            found[move["source"]].append(move["target"])
    return found


def _longest(exits: dict[str, list[str]], state: str, ends: set[str], seen: frozenset[str]) -> int | None:
    """The most moves from `state` to one of `ends` without entering a state of `seen`; None for no way."""
    if state in ends:
        return 0
    ways = [
        _longest(exits, target, ends, seen | {target})
        for target in exits[state]
        if target not in seen or target in ends
    ]
    return max((1 + way for way in ways if way is not None), default=None)
