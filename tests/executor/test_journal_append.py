"""The gate: each thing that it proves, and that a refusal leaves nothing behind."""

import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from akm.journal.faults import Damaged, LeaseLost, SequenceConflict, UnreadInbox
from akm.journal.lease import this_process
from akm.journal.store import Store
from akm.kernel.ceilings import CeilingExceeded
from akm.kernel.event import CHAIN_START, Event, linked
from akm.kernel.evolve import IllegalEvent
from akm.kernel.machines import IllegalMove
from akm.kernel.observation import AttemptEnded, CommandUnread
from akm_specs.canonical import hash_bytes, hash_json

Ledgers = Callable[..., Any]
TWO_STEPS = """
  step one: exec read { on passed -> two }
  step two: exec read { on passed -> completed }
"""
ONE_STEP = "step one: exec read { on passed -> completed }"


def everything(directory: Path) -> str:
    """All that a store holds, as text."""
    connection = sqlite3.connect(directory / "akm.db")
    try:
        return "\n".join(connection.iterdump())
    finally:
        connection.close()


def refused(ledger: Any, expected: type[Exception], *events: Event, **more: Any) -> str:
    """The message of a refusal that has changed nothing."""
    before, commits = everything(ledger.store.directory), ledger.store.commits
    with pytest.raises(expected) as raised:
        ledger.append(*events, **more)
    assert everything(ledger.store.directory) == before
    assert ledger.store.commits == commits
    return str(raised.value)


def test_what_is_appended_is_what_is_loaded(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(TWO_STEPS).ends("one#1/1")
    assert store.load("r") == ledger.run
    assert [one.sequence for one in store.recorded("r")] == list(range(1, ledger.run.state.sequence + 1))


def test_each_exported_event_names_the_hash_of_the_one_before_it(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE_STEP).ends("one#1/1")
    previous = CHAIN_START
    for one in linked(store.recorded("r")):
        assert (one.previous, one.hash) == (previous, hash_json(one.body()))
        previous = one.hash


def test_the_projection_follows_in_the_same_commit(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE_STEP)
    assert store.run("r").status == "running"
    commits = store.commits
    ledger.ends("one#1/1")
    row = store.run("r")
    assert (row.status, row.sequence, store.commits) == ("completed", ledger.run.state.sequence, commits + 1)


def test_a_token_that_was_replaced_writes_nothing(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(TWO_STEPS)
    store.release(ledger.lease)
    winner = store.claim("r", this_process())
    message = refused(ledger, LeaseLost, *ledger.decided(AttemptEnded(0, "one#1/1", 0)))
    assert winner.holder in message
    ledger.lease = winner
    ledger.ends("one#1/1")
    assert {one.token for one in store.recorded("r")} == {1, 2}


def test_a_lease_that_was_given_back_writes_nothing(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(TWO_STEPS)
    store.release(ledger.lease)
    refused(ledger, LeaseLost, *ledger.decided(AttemptEnded(0, "one#1/1", 0)))


def test_who_believes_the_run_to_be_elsewhere_writes_nothing(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(TWO_STEPS)
    earlier = ledger.run
    ledger.ends("one#1/1")
    ledger.run = earlier
    assert "not at event" in refused(ledger, SequenceConflict, *ledger.decided(AttemptEnded(0, "one#1/1", 0)))


def test_who_believes_another_history_writes_nothing(ledger_of: Ledgers) -> None:
    ledger = ledger_of(TWO_STEPS)
    events = ledger.decided(AttemptEnded(0, "one#1/1", 0))
    ledger.run = replace(ledger.run, head="f" * 64)
    refused(ledger, SequenceConflict, *events)


def test_a_move_that_no_table_lists_is_refused_by_table_state_and_trigger(ledger_of: Ledgers) -> None:
    ledger = ledger_of(ONE_STEP)
    message = refused(ledger, IllegalMove, Event("run.create_again", "r", "running", "created", {}))
    assert all(part in message for part in ("run", "running", "create_again"))


def test_an_event_about_nothing_known_is_refused(ledger_of: Ledgers) -> None:
    ledger = ledger_of(ONE_STEP)
    refused(ledger, IllegalEvent, Event("attempt.start", "nobody#1/1", "created", "starting", {}))


def test_a_transition_above_its_ceiling_is_refused_with_the_counter_and_whose_it_is(ledger_of: Ledgers) -> None:
    ledger = ledger_of(TWO_STEPS)
    taken = Event("transition.taken", "one#1", None, None, {"step": "one", "outcome": "passed", "target": "two"})
    ledger.run.plan["limits"]["transitions"]["value"] = 0
    message = refused(ledger, CeilingExceeded, taken)
    assert "limits.transitions: 1 would exceed the defaulted ceiling of 0" in message


def test_when_one_event_of_several_is_refused_none_is_written(ledger_of: Ledgers) -> None:
    ledger = ledger_of(TWO_STEPS)
    good = ledger.decided(AttemptEnded(0, "one#1/1", 0))
    refused(ledger, IllegalMove, *good, Event("run.create_again", "r", "running", "created", {}), release=True)
    ledger.append(*good)


def test_nothing_follows_an_end(ledger_of: Ledgers) -> None:
    ledger = ledger_of(ONE_STEP).ends("one#1/1")
    refused(ledger, IllegalEvent, Event("run.block", "r", "completed", "blocked_uncertain", {}))


def test_files_are_stored_with_the_result_that_names_them(ledger_of: Ledgers, store: Store) -> None:
    ledger, data = ledger_of(ONE_STEP), b"wheel"
    bad = (*ledger.decided(AttemptEnded(0, "one#1/1", 0)), Event("run.create", "r", None, "created", {}))
    refused(ledger, IllegalEvent, *bad, blobs={hash_bytes(data): data})
    with pytest.raises(Damaged, match="missing"):
        store.blob(hash_bytes(data))
    ledger.tell(AttemptEnded(0, "one#1/1", 0), blobs={hash_bytes(data): data})
    assert store.blob(hash_bytes(data)) == data


@pytest.mark.parametrize("altered", ["CAST('wheal' AS BLOB)", "'wheel'", "7", "x''"])
def test_a_stored_file_that_was_altered_is_named(
    ledger_of: Ledgers, store: Store, tmp_path: Path, altered: str
) -> None:
    sha256 = hash_bytes(b"wheel")
    ledger_of(ONE_STEP).tell(AttemptEnded(0, "one#1/1", 0), blobs={sha256: b"wheel"})
    connection = sqlite3.connect(tmp_path / "store" / "akm.db")
    connection.execute(f"UPDATE blobs SET data = {altered}")
    connection.commit()
    connection.close()
    with pytest.raises(Damaged, match=sha256):
        store.blob(sha256)


def test_the_lease_is_given_back_in_the_commit_that_needs_it_no_more(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE_STEP)
    commits = store.commits
    ledger.tell(AttemptEnded(0, "one#1/1", 0), release=True)
    record = store.lease("r")
    assert store.commits == commits + 1
    assert record is not None
    assert (record.token, record.released_utc is not None, store.is_driven("r")) == (1, True, False)


def test_a_run_does_not_end_over_an_unread_command(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE_STEP)
    sent = store.post("r", "signal 1", "signal", {"name": "late", "data": None})
    end = ledger.decided(AttemptEnded(0, "one#1/1", 0))
    refused(ledger, UnreadInbox, *end)
    ledger.tell(CommandUnread(0, sent.number, sent.kind, sent.body), taken=(sent.number,))
    ledger.append(*end)
    assert ledger.run.state.status == "completed"
    assert [one.event.name for one in store.recorded("r")].count("command.unread") == 1


def test_a_command_is_taken_with_its_events_or_not_at_all(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE_STEP)
    sent = store.post("r", "signal 1", "signal", {"name": "late", "data": None})
    unread = ledger.decided(CommandUnread(0, sent.number, sent.kind, sent.body))
    refused(ledger, IllegalEvent, *unread, Event("run.create", "r", None, "created", {}), taken=(sent.number,))
    assert [one.number for one in store.inbox("r")] == [sent.number]
    ledger.append(*unread, taken=(sent.number,))
    assert store.inbox("r") == []
