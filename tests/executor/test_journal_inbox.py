"""The inbox: what other processes send counts once, in order, and is never lost without a word."""

from collections.abc import Callable
from typing import Any

import pytest

from akm.journal import store as stores
from akm.journal.faults import CommandConflict, InboxFull, RunEnded, UnknownRun
from akm.journal.store import Store

Ledgers = Callable[..., Any]
ONE_STEP = "step one: exec read { on passed -> completed }"
CANCEL = {"by": "alice", "reason": "enough"}


def test_the_same_command_again_is_the_earlier_one_and_writes_nothing(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE_STEP)
    first = store.post("r", "cancel", "cancel", CANCEL)
    again = store.post("r", "cancel", "cancel", dict(reversed(CANCEL.items())))
    assert (first.repeated, again.repeated, again.number) == (False, True, first.number)
    assert [one.number for one in store.inbox("r")] == [first.number]


@pytest.mark.parametrize(("kind", "body"), [("cancel", {**CANCEL, "by": "bob"}), ("signal", CANCEL)])
def test_another_content_under_the_same_key_is_a_conflict(
    ledger_of: Ledgers, store: Store, kind: str, body: dict[str, Any]
) -> None:
    ledger_of(ONE_STEP)
    first = store.post("r", "cancel", "cancel", CANCEL)
    with pytest.raises(CommandConflict, match="the first one stands"):
        store.post("r", "cancel", kind, body)
    assert store.inbox("r") == [first]


def test_a_run_that_is_not_there_gets_nothing(store: Store) -> None:
    with pytest.raises(UnknownRun, match="akm list"):
        store.post("r", "cancel", "cancel", CANCEL)


def test_a_run_that_has_ended_gets_nothing_new_and_still_knows_what_it_got(
    ledger_of: Ledgers, store: Store
) -> None:
    ledger = ledger_of(ONE_STEP)
    sent = store.post("r", "cancel", "cancel", CANCEL)
    ledger.append(taken=(sent.number,))
    ledger.ends("one#1/1")
    with pytest.raises(RunEnded, match="completed"):
        store.post("r", "signal 1", "signal", {"name": "late", "data": None})
    assert store.post("r", "cancel", "cancel", CANCEL).repeated
    found = store.sent("r", "cancel")
    assert found is not None
    assert (found.number, found.body) == (sent.number, CANCEL)


def test_commands_are_read_in_the_order_in_which_they_came(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE_STEP)
    for key in ("b", "a", "c"):
        store.post("r", key, "signal", {"name": key, "data": None})
    assert [(one.number, one.body["name"]) for one in store.inbox("r")] == [(1, "b"), (2, "a"), (3, "c")]


def test_commands_of_one_run_are_not_those_of_another(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE_STEP)
    ledger_of(ONE_STEP, run="other")
    store.post("r", "cancel", "cancel", CANCEL)
    assert store.inbox("other") == []
    assert store.post("other", "cancel", "cancel", CANCEL).repeated is False


def test_what_was_taken_is_counted_by_the_beginning_of_its_key(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE_STEP)
    for key in ("resolution one#1/1 0", "resolution one#1/1 1", "resolution two#1/1 0"):
        store.post("r", key, "resolution", {})
    assert store.posted("r", "resolution one#1/1 ") == 0
    ledger.append(taken=(1, 3))
    assert store.posted("r", "resolution one#1/1 ") == 1
    assert store.sent("r", "resolution three#1/1 0") is None


def test_a_flood_is_refused_and_what_is_read_makes_room(
    ledger_of: Ledgers, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "INBOX_MAX", 3)
    ledger = ledger_of(ONE_STEP)
    for key in "abc":
        store.post("r", key, "signal", {})
    with pytest.raises(InboxFull, match="akm resume r"):
        store.post("r", "d", "signal", {})
    assert store.post("r", "cancel", "cancel", CANCEL).number == 4, "a flood keeps nobody from stopping the run"
    ledger.append(taken=(1, 2))
    assert store.post("r", "d", "signal", {}).number == 5


def test_who_polls_sees_that_another_process_has_written(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE_STEP)
    other = Store(store.directory, create=False)
    before = store.version()
    assert store.version() == before
    other.post("r", "cancel", "cancel", CANCEL)
    assert store.version() != before
    other.close()
