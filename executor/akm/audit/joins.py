"""Joins, made again from the recorded results in the order of the work (source: docs/reference/engine.md)."""

from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

from akm_specs.canonical import Json, JsonObject, canonical

#: The results in the order of the seats or items; None where an assignment was cancelled.
Results: TypeAlias = list[JsonObject | None]
_FRUITLESS = ("failed", "timed_out", "cancelled")


class Outcome(NamedTuple):
    """What a step comes to before its gate, its evidence and its pins are asked."""

    name: str
    code: str | None = None
    output: Json = None


def of_panel(step: Any, results: Results) -> Outcome:
    """The outcome of a panel whose work is over."""
    passed = [at for at, one in enumerate(results) if one is not None and one["outcome"] == "passed"]
    seats: Json = [None if one is None or one["outcome"] in _FRUITLESS else one["output"] for one in results]
    done = [one["outcome"] for one in results if one is not None and one["result_class"].startswith("outcome")]
    needed = step["join"]["passed"] or 1
    strategy = step["join"]["strategy"]
    if strategy == "first" and passed:
        alone = [one["output"] if one is not None and at == passed[0] else None for at, one in enumerate(results)]
        return Outcome("passed", None, alone)
    if strategy == "quorum":
        return Outcome("passed" if len(passed) >= needed else "quorum_not_met", None, seats)
    if len(done) < step["minimum"]["value"]:
        return Outcome("quorum_not_met", None, seats)
    if strategy == "settled":
        return Outcome(_settled(Counter(done), needed), None, seats)
    agreed = len(set(done)) == 1
    return Outcome(done[0] if agreed else "failed", None if agreed else "join_conflict", seats)


def _settled(counted: Counter[str], needed: int) -> str:
    if counted["passed"] >= needed:
        return "passed"
    enough = [name for name, count in counted.items() if count >= needed and name not in _FRUITLESS]
    return enough[0] if len(enough) == 1 else "quorum_not_met"


def of_map(step: Any, results: Results) -> Outcome:
    """The outcome of a map whose items were all worked on."""
    outputs = [one["output"] if one is not None and one["outcome"] == "passed" else None for one in results]
    failures = sum(one is None or one["outcome"] != "passed" for one in results)
    if failures > step["tolerate"]["value"]:
        return Outcome("failed", "items_failed")
    return {"collect": lambda: Outcome("passed", None, outputs), "vote": lambda: _vote(outputs)}[step["reducer"]]()


def _vote(outputs: list[Json]) -> Outcome:
    votes = Counter(canonical(each) for each in outputs if each is not None)
    most = max(votes.values(), default=0)
    winners = [spelt for spelt, count in votes.items() if count == most]
    if len(winners) != 1:
        return Outcome("failed", "vote_tied")
    return Outcome("passed", None, next(one for one in outputs if canonical(one) == winners[0]))


def of_one(step: Any, results: Results) -> Outcome:
    """The outcome of a step with one assignment."""
    found = results[0]
    return Outcome("cancelled") if found is None else Outcome(found["outcome"], found["code"], found["output"])


#: How each kind of step becomes one outcome.
JOINS: dict[str, Callable[[Any, Results], Outcome]] = {
    "panel": of_panel,
    "map": of_map,
    **dict.fromkeys(("exec", "gate", "agent", "judge", "workflow"), of_one),
}
