"""The short form of the fuzzer: altered input at every door. The long one is `python -m tests.assay.fuzz`."""

import pytest
from tests.assay.alterations import altered_bytes
from tests.assay.faulty import Wrong
from tests.assay.fuzz import TARGETS, Found, try_case

#: Cases of each door; commands take a process each.
QUICK, SLOW = 40, 6


@pytest.mark.parametrize("target", TARGETS)
def test_altered_input_is_answered_by_name(target: str) -> None:
    found = Found()
    for seed in range(SLOW if target.startswith(("journal", "arguments")) else QUICK):
        try_case(target, seed, found)
    assert not found.wrong
    assert found.cases


@pytest.mark.parametrize("seed", [84, 178, 100164])
def test_a_store_that_lost_its_events_exports_nothing_as_if_it_were_all(seed: int) -> None:
    found = Found()
    try_case("journal.database", seed, found)
    assert not found.wrong


def test_what_goes_wrong_is_told_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(chance: object, folder: object) -> str:
        raise Wrong("planted")

    monkeypatch.setitem(TARGETS, "reply", broken)
    found = Found()
    try_case("reply", 7, found)
    assert found.wrong == [{"target": "reply", "seed": 7, "why": "planted"}]


def test_an_alteration_is_the_same_for_the_same_seed() -> None:
    import random

    data = bytes(range(256)) * 40
    one, other = (altered_bytes(random.Random(3), data) for _ in range(2))
    assert one == other != data
