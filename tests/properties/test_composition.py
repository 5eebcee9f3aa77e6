"""A run, its step, assignment, attempt and effect together, in a world where everything may crash at any moment.

What the kernel reaches is compared with a second model, which SPIN explores; that part skips where there is no
SPIN.
"""

import shutil
from pathlib import Path

import pytest
from tests.assay.composition import CLASSES, LOSSES_MAX, Standing, explore
from tests.assay.composition_promela import CLAIMS, FAULTS, REACHED
from tests.assay.spin import verifier

from akm_specs.lifecycle import load

spin_there = pytest.mark.skipif(
    not (shutil.which("spin") and shutil.which("gcc")), reason="there is no spin or no gcc"
)
#: How many standings there are. Another number is another kernel: look at what was added or lost.
REACHABLE = {
    "read_only": 430,
    "workspace_mutation": 360,
    "external_idempotent": 575,
    "receipt_queryable": 893,
    "unknown": 486,
    "external_non_idempotent": 486,
}
#: Classes whose tools may act twice: nothing comes of it.
REPEATABLE = ("read_only", "external_idempotent")
ENDS = ("completed", "failed", "cancelled")


@pytest.mark.parametrize("effect", CLASSES)
def test_the_kernel_reaches_the_standings_that_are_known(effect: str) -> None:
    assert len(explore(effect)) == REACHABLE[effect]


@pytest.mark.parametrize("effect", CLASSES)
def test_no_effect_that_may_not_be_repeated_happens_twice_however_everything_crashes(effect: str) -> None:
    most = max(one.acts for one in explore(effect))
    assert most == (2 if effect in REPEATABLE else 1)


@pytest.mark.parametrize("effect", CLASSES)
def test_a_run_ends_in_every_way_and_cancelled_only_when_its_effects_are_accounted_for(effect: str) -> None:
    reached = explore(effect)
    assert {one.run for one in reached} >= set(ENDS)
    assert {one.effect for one in reached if one.run == "cancelled"} == {"none", "settled"}


@pytest.mark.parametrize("effect", CLASSES)
def test_from_every_standing_a_restart_leads_on(effect: str) -> None:
    """Whatever stood when the engine stopped, stands again with an engine, or has moved on."""
    reached = explore(effect)
    stopped = [one for one in reached if not one.up]
    assert stopped
    assert not [one for one in stopped if one.process == "none" and one._replace(up=True) not in reached]
    assert {one.losses for one in reached} == set(range(LOSSES_MAX + 1))


@spin_there
@pytest.mark.parametrize("effect", CLASSES)
def test_spin_reaches_the_very_same_standings(effect: str, tmp_path: Path) -> None:
    standings, stored = verifier(tmp_path, effect).standings()
    ours = explore(effect)
    assert standings == ours, _difference(standings, ours)
    assert stored == len(ours)


def _difference(one: frozenset[Standing], other: frozenset[Standing]) -> tuple[list[Standing], list[Standing]]:
    return sorted(one - other)[:3], sorted(other - one)[:3]


@spin_there
@pytest.mark.parametrize("effect", CLASSES)
def test_spin_proves_every_claim_and_reaches_every_end(effect: str, tmp_path: Path) -> None:
    model = verifier(tmp_path, effect)
    expected = dict.fromkeys(CLAIMS, True) | {"once": effect not in REPEATABLE}
    assert {claim: model.holds(claim) for claim in CLAIMS} == expected
    assert not [name for name in REACHED if model.holds(f"never_{name}")]


@spin_there
@pytest.mark.parametrize(("fault", "claim"), FAULTS.items())
def test_spin_finds_a_fault_that_is_planted(fault: str, claim: str, tmp_path: Path) -> None:
    assert not verifier(tmp_path, "unknown", fault).holds(claim)


@spin_there
def test_spin_finds_a_move_that_a_table_lacks(tmp_path: Path) -> None:
    table = load("effect")
    moves = [move for move in table["moves"] if (move["trigger"], move["source"]) != ("block", "dispatched")]
    assert len(moves) < len(table["moves"])
    assert not verifier(tmp_path, "unknown", effect={**table, "moves": moves}).holds("listed")
