"""Joins: how the results of a step's assignments become one outcome.

Each is a pure function of the recorded results in the order of the work list. When they arrived changes nothing.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from akm.kernel.state import Result
from akm_specs.canonical import Json, canonical
from akm_specs.plan import MapStep, PanelStep

PASSED, FAILED, QUORUM_NOT_MET = "passed", "failed", "quorum_not_met"
#: Ends by which an assignment leaves nothing for others to see.
_FRUITLESS = frozenset({FAILED, "timed_out", "cancelled"})


@dataclass(frozen=True, slots=True)
class Joined:
    """What the assignments come to together."""

    outcome: str
    code: str | None = None
    output: Json = None
    detail: str | None = None


def panel(step: PanelStep, results: Sequence[Result | None], to_come: int) -> Joined | None:
    """The outcome of a panel; None as long as that depends on the `to_come` results that are still possible.

    `results` are those of its assignments in the order of their seats; None where there is none.
    """
    join = step["join"]
    needed = join["passed"] or 1
    passed = sum(each is not None and each.outcome == PASSED for each in results)
    output: Json = [None if each is None or each.outcome in _FRUITLESS else each.output for each in results]
    if join["strategy"] in ("quorum", "first") and passed >= needed:
        return Joined(PASSED, output=_first(results) if join["strategy"] == "first" else output)
    if join["strategy"] == "quorum" and passed + to_come < needed:
        return Joined(QUORUM_NOT_MET, output=output)
    if to_come:
        return None
    done = [each for each in results if each is not None and each.result_class in ("outcome", "outcome_unknown")]
    if len(done) < step["minimum"]["value"]:
        return Joined(QUORUM_NOT_MET, output=output)
    outcome = _settled(done, needed) if join["strategy"] == "settled" else _unanimous(done)
    return Joined(outcome or FAILED, code=None if outcome else "join_conflict", output=output)


def _first(results: Sequence[Result | None]) -> Json:
    """The first that passed, in its seat, and nothing else."""
    place = next(place for place, each in enumerate(results) if each is not None and each.outcome == PASSED)
    return [None if each is None or at != place else each.output for at, each in enumerate(results)]


def _settled(done: Sequence[Result], needed: int) -> str:
    """Enough passed; or enough, and of no other outcome enough, gave one and the same."""
    counted = Counter(each.outcome for each in done)
    if counted[PASSED] >= needed:
        return PASSED
    others = [outcome for outcome, count in counted.items() if count >= needed and outcome not in _FRUITLESS]
    return others[0] if len(others) == 1 else QUORUM_NOT_MET


def _unanimous(done: Sequence[Result]) -> str | None:
    outcomes = {each.outcome for each in done}
    return outcomes.pop() if len(outcomes) == 1 else None


def mapped(step: MapStep, results: Sequence[Result | None]) -> Joined:
    """The outcome of a map whose items have all been worked on."""
    failures = sum(each is None or each.outcome != PASSED for each in results)
    if failures > step["tolerate"]["value"]:
        return Joined(FAILED, code="items_failed")
    outputs = [each.output if each is not None and each.outcome == PASSED else None for each in results]
    if step["reducer"] == "collect":
        return Joined(PASSED, output=outputs)
    return _vote(outputs)


def _vote(outputs: Sequence[Json]) -> Joined:
    """The output that more items gave than any other."""
    values = {canonical(output): output for output in outputs if output is not None}
    ranked = Counter(canonical(output) for output in outputs if output is not None).most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return Joined(FAILED, code="vote_tied")
    return Joined(PASSED, output=values[ranked[0][0]])
