"""The outbox and run requests: driven by their tables, in the transaction of what they are about."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from akm.journal.disclosure import ALLOWED, disclosed
from akm.journal.faults import CommandConflict, NotInOutbox, RunExists, UnknownRequest
from akm.journal.outbox import Row
from akm.journal.store import Store
from akm.kernel.event import Event, Instant
from akm.kernel.machines import IllegalMove
from akm.kernel.observation import CancelAsked

Ledgers = Callable[..., Any]

ONE = "step one: exec read { on passed -> completed }"
AT = Instant("2026-01-01T00:00:00.000Z", 0)
SENTINEL = "a sentence that nobody else may read"


def pending(store: Store) -> list[Row]:
    return store.outbox().rows("outbox_pending", 1_000)


def test_each_event_that_may_leave_has_its_row_and_no_other_event_has(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE).ends("one#1/1")
    events = list(store.recorded("r"))
    rows = {row.sequence: row for row in pending(store)}
    assert set(rows) == {event.sequence for event in events if event.event.name in ALLOWED}
    assert len(rows) < len(events)
    for event in events:
        if event.sequence in rows:
            assert json.loads(rows[event.sequence].payload)["event"] == event.event.name


def test_a_refused_append_leaves_no_row(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE)
    before = pending(store)
    stale = replace(ledger.lease, token=ledger.lease.token + 1)
    with pytest.raises(Exception, match="lease"):
        store.append(ledger.run, stale, ledger.entry(*ledger.decided(CancelAsked(0, 1, "alice", SENTINEL))))
    assert pending(store) == before


def test_no_text_of_people_or_tools_leaves(ledger_of: Ledgers, store: Store) -> None:
    ledger = ledger_of(ONE)
    ledger.tell(CancelAsked(0, 1, "alice", SENTINEL))
    ledger.ends("one#1/1")
    assert any(SENTINEL in json.dumps(one.event.data) for one in store.recorded("r"))
    assert not any(SENTINEL in row.payload or "alice" in row.payload for row in pending(store))


@pytest.mark.parametrize("value", [SENTINEL, "/srv/lamps", "x" * 200, ["list"], {"an": "object"}, 0.5, "a\nb"])
def test_an_event_whose_allowed_field_holds_anything_else_stays_whole(value: Any) -> None:
    event = Event("step_attempt.fail", "one#1", "running", "failed", {"outcome": "failed", "code": value})
    assert disclosed("r", 1, AT, event) is None
    assert disclosed("r", 1, AT, event._replace(data={"outcome": "failed", "code": "timed_out"})) is not None


def test_a_row_moves_as_its_table_says(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE)
    box, row = store.outbox(), pending(store)[0]
    waiting = box.retry(row, "no answer")
    assert (waiting.state, waiting.tries, waiting.note) == ("retry_pending", 1, "no answer")
    with pytest.raises(IllegalMove):
        box.acknowledge(waiting)
    again = box.requeue(waiting)
    done = box.acknowledge(again)
    assert done.state == "acknowledged"
    assert box.acknowledge(done) == done
    with pytest.raises(IllegalMove):
        box.reject(done, "too late")


def test_a_rejected_row_is_shown_and_released_as_a_new_row(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE)
    box, row = store.outbox(), pending(store)[0]
    with pytest.raises(NotInOutbox, match="only a rejected row"):
        box.release(row.run, row.sequence, "alice", "again")
    refused = box.reject(row, "other bytes under this sequence")
    assert box.rows("rejected", 10) == [refused]
    new = box.release(row.run, row.sequence, "alice", "the hub was mended")
    assert (new.release, new.state, new.payload, new.hash) == (1, "outbox_pending", row.payload, row.hash)
    assert box.rows("rejected", 10) == [refused]
    with pytest.raises(NotInOutbox, match="only a rejected row"):
        box.release(row.run, row.sequence, "alice", "twice")


def test_an_altered_row_is_found(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE)
    first = pending(store)[0]
    store._database._connection.execute("UPDATE outbox SET payload = '{}' WHERE sequence = ?", (first.sequence,))
    assert [sequence for sequence, _ in store.unproved("r")] == [first.sequence]


# run requests

BODY = {"plan_hash": "0" * 64, "parameters": {}}


def test_accepting_reserves_the_run_and_its_home_once_for_ever(store: Store) -> None:
    requests = store.requests()
    requests.queue("k", BODY)
    requests.offer("k")
    accepted = requests.accept("k", "r-1")
    assert (accepted.state, accepted.run) == ("accepted", "r-1")
    assert accepted.runtime
    assert requests.accept("k", "r-2") == accepted
    assert requests.queue("k", BODY) == accepted
    for move in (requests.offer, requests.expire):
        with pytest.raises(IllegalMove):
            move("k")


def test_an_id_is_reserved_for_one_request_or_run(ledger_of: Ledgers, store: Store) -> None:
    ledger_of(ONE, "taken")
    requests = store.requests()
    for key in ("a", "b"):
        requests.queue(key, BODY)
        requests.offer(key)
    requests.accept("a", "r-1")
    for run in ("r-1", "taken"):
        with pytest.raises(RunExists, match="is taken"):
            requests.accept("b", run)
    assert requests.get("b").state == "offered"


def test_a_request_moves_only_as_its_table_says(store: Store) -> None:
    requests = store.requests()
    requests.queue("k", BODY)
    with pytest.raises(IllegalMove):
        requests.accept("k", "r-1")
    assert requests.cancel("k", "not needed").state == "cancelled"
    with pytest.raises(IllegalMove):
        requests.offer("k")
    with pytest.raises(CommandConflict):
        requests.queue("k", {"plan_hash": "1" * 64, "parameters": {}})
    with pytest.raises(UnknownRequest):
        requests.decline("other", "no")
