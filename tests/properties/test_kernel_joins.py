"""Joins, over every panel of up to four seats: what is decided early is what all results would have decided."""

from itertools import permutations, product
from typing import Any

import pytest

from akm.kernel import joins
from akm.kernel.outcome import result
from akm.kernel.state import Result

#: What a seat can come to: a pass, a failure, another outcome that is declared, and a producer that refused.
ENDS: dict[str, Result] = {
    "p": result("passed", output={"note": "p"}),
    "f": result("failed", code="exit_1"),
    "r": result("revise", output={"note": "r"}),
    "x": result("failed", result_class="producer_rejected", code="refused"),
}
#: Each strategy, with how many have to pass.
JOINS = [("all", None), *(("settled", n) for n in (1, 2, 3)), *(("quorum", n) for n in (1, 2, 3)), ("first", None)]


def panel(seats: int, strategy: str, passed: int | None, minimum: int = 1) -> Any:
    """As much of a panel's step as a join looks at."""
    join = {"strategy": strategy, "origin": "declared", "passed": passed, "remaining": "drain"}
    return {
        "kind": "panel",
        "minimum": {"value": minimum, "origin": "declared"},
        "join": join,
        "seats": [{}] * seats,
    }


def outcomes_on_the_way(step: Any, ends: tuple[str, ...], order: tuple[int, ...]) -> set[str]:
    """The outcome at each moment at which the panel is decided, as its seats end in `order`."""
    seen: list[Result | None] = [None] * len(ends)
    found = set()
    for left, seat in zip(reversed(range(len(ends))), order, strict=True):
        seen[seat] = ENDS[ends[seat]]
        joined = joins.panel(step, seen, left)
        if joined is not None:
            found.add(joined.outcome)
    return found


@pytest.mark.parametrize(("strategy", "passed"), JOINS)
def test_no_order_of_arrival_and_no_early_decision_changes_the_outcome(strategy: str, passed: int | None) -> None:
    for seats in (1, 2, 3, 4):
        step = panel(seats, strategy, passed)
        for ends in product(ENDS, repeat=seats):
            whole = joins.panel(step, [ENDS[end] for end in ends], 0)
            assert whole is not None
            found = set().union(*(outcomes_on_the_way(step, ends, order) for order in permutations(range(seats))))
            assert found == {whole.outcome}, ends


@pytest.mark.parametrize(("strategy", "passed"), JOINS)
def test_a_panel_is_open_as_long_as_two_outcomes_are_possible(strategy: str, passed: int | None) -> None:
    """What is decided with seats still open would be the same whatever they give; only then may it be."""
    step = panel(3, strategy, passed)
    for known in product(ENDS, repeat=2):
        early = joins.panel(step, [*(ENDS[end] for end in known), None], 1)
        ends = [joins.panel(step, [ENDS[end] for end in (*known, last)], 0) for last in ENDS]
        possible = {each.outcome for each in ends if each is not None}
        if early is not None:
            assert possible == {early.outcome}, known


def test_passed_needs_as_many_as_the_join_says() -> None:
    for strategy, passed in JOINS:
        for ends in product(ENDS, repeat=4):
            joined = joins.panel(panel(4, strategy, passed, minimum=2), [ENDS[end] for end in ends], 0)
            assert joined is not None
            if joined.outcome == "passed":
                assert ends.count("p") >= (passed or 1)
                assert strategy != "all" or set(ends) <= {"p", "x"}


def test_too_few_results_are_no_quorum() -> None:
    for strategy, passed in JOINS:
        joined = joins.panel(panel(3, strategy, passed, minimum=2), [ENDS["x"], ENDS["x"], ENDS["r"]], 0)
        assert joined is not None
        assert joined.outcome == "quorum_not_met"


def test_the_output_stands_in_the_order_of_the_seats() -> None:
    joined = joins.panel(panel(4, "settled", 1), [ENDS["r"], None, ENDS["f"], ENDS["p"]], 0)
    assert joined is not None
    assert joined.output == [{"note": "r"}, None, None, {"note": "p"}]
