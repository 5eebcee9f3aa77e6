"""The history checker and `akm verify`, two opinions on the same histories: as they were, and altered."""

import importlib.util
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akm.audit.check import Violation, audit
from akm.audit.history import entry
from akm.kernel.event import Recorded, linked
from akm.kernel.invariants import History, check
from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.source import Source

Plans = st.SearchStrategy[Plan]
Journal = Sequence[Recorded]

ALTERED = 1_200
HOW = ("drop", "duplicate", "swap", "move", "data", "part", "splice", "token", "clock")


@pytest.fixture(scope="module")
def simulation() -> ModuleType:
    """The simulated world of the kernel's own property tests."""
    spec = importlib.util.spec_from_file_location(
        "simulated", Path(__file__).with_name("test_kernel_simulation.py")
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def campaign(simulation: ModuleType, generated_registry: str) -> Plan:
    """The plan that meets every hard case."""
    source = Source("absent/campaign.akm", simulation.CAMPAIGN)
    return compile_workflow(source, Source("absent/registry.akm", generated_registry)).plan


def driven(simulation: ModuleType, plan: Plan, seed: int, crash_rate: float) -> list[Recorded]:
    journal: list[Recorded] = simulation.Driver(plan, simulation.World(seed), crash_rate).drive().journal
    return journal


def audited(plan: Plan, journal: Journal) -> tuple[Violation, ...]:
    return audit(plan, "0" * 64, tuple(entry(one.exported()) for one in linked(journal)))


def test_every_history_of_a_generated_plan_is_legal(generated_plans: Plans, simulation: ModuleType) -> None:
    @settings(deadline=None, max_examples=60)
    @given(plan=generated_plans, seed=st.integers(0, 2**32))
    def look(plan: Plan, seed: int) -> None:
        assert audited(plan, driven(simulation, plan, seed, 0.1)) == ()

    look()


def test_every_history_of_the_campaign_is_legal_at_its_end_and_at_every_moment_before(
    campaign: Plan, simulation: ModuleType
) -> None:
    for seed in range(8):
        journal = driven(simulation, campaign, seed, 0.12)
        assert audited(campaign, journal) == ()
        commits = [at for at, one in enumerate(journal) if at and one.at.elapsed_ms > journal[at - 1].at.elapsed_ms]
        for at in random.Random(seed).sample(commits, min(8, len(commits))):
            assert audited(campaign, journal[:at]) == (), f"seed {seed}, the first {at} events"


def test_what_verify_refuses_of_a_thousand_altered_histories_the_checker_refuses_too(
    campaign: Plan, simulation: ModuleType
) -> None:
    chance = random.Random(7)
    journals = [driven(simulation, campaign, seed, 0.1) for seed in range(10)]
    met: Counter[str] = Counter()
    for number in range(ALTERED):
        how = HOW[number % len(HOW)]
        journal, other = chance.sample(journals, 2)
        altered = simulation.renumbered(alter(journal, other, how, chance))
        refused, found = bool(check(History(campaign, tuple(altered)))), bool(audited(campaign, altered))
        assert found or not refused, f"{number}: {how}, {check(History(campaign, tuple(altered)))[:2]}"
        met["refused by both" if refused else "refused by the checker" if found else "refused by none"] += 1
    assert met["refused by both"] > ALTERED / 2, met
    assert met["refused by the checker"], met
    assert met["refused by none"] < ALTERED / 4, met  # alterations of what is for people alone


def alter(journal: Journal, other: Journal, how: str, chance: random.Random) -> list[Recorded]:
    """`journal` with one alteration at a place that chance picks."""
    events, at = list(journal), chance.randrange(len(journal))
    one, to = events[at], chance.randrange(len(journal) - 1)
    if how == "drop":
        del events[at]
    elif how == "duplicate":
        events.insert(at, one)
    elif how == "swap":
        events[at], events[to] = events[to], events[at]
    elif how == "move":
        events.insert(to, events.pop(at))
    elif how == "data":
        events[at] = replace(one, event=one.event._replace(data=altered_value(one.event.data, chance)))
    elif how == "part":
        part = chance.choice(["name", "entity", "source", "target"])
        changed: Any = {part: getattr(chance.choice(events).event, part)}
        events[at] = replace(one, event=one.event._replace(**changed))
    elif how == "splice":
        events = [*events[:at], *other[at:]]
    elif how == "token":
        events[at] = replace(one, token=one.token + chance.choice([-1, 1, 5]))
    else:
        shifted = one.at.elapsed_ms + chance.choice([-50, 50])
        events[at] = replace(one, at=replace(one.at, elapsed_ms=shifted))
    return events


def altered_value(value: Any, chance: random.Random) -> Any:
    """Another value of the kind of `value`, or of one member of it."""
    if isinstance(value, dict) and value:
        name = chance.choice(sorted(value))
        if chance.random() < 0.2:
            return {other: each for other, each in value.items() if other != name}
        return {**value, name: altered_value(value[name], chance)}
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 1_000])
    if isinstance(value, str):
        return chance.choice(["nowhere", "passed", "failed", f"{value}x"])
    if isinstance(value, list):
        return value[1:] if value else ["x"]
    return {"x": 1} if isinstance(value, dict) else "x"
