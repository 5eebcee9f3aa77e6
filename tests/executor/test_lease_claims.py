"""The lease: one holder at a time, replaced when it let go, ran out, or is provably gone. Its token only rises."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from akm.dispatch.identity import identify
from akm.journal import lease as leases
from akm.journal.faults import LeaseHeld, LeaseLost
from akm.journal.lease import LEASE_DURATION_MS, RENEW_INTERVAL_MS, Holder, Lease, this_process
from akm.journal.store import Store

ONE_STEP = "step one: exec read { on passed -> completed }"
CLAIM = """
import sys
from pathlib import Path
from akm.journal.faults import LeaseHeld
from akm.journal.lease import this_process
from akm.journal.store import Store

store = Store(Path(sys.argv[1]), create=False)
print("ready", flush=True)
sys.stdin.readline()
try:
    print(store.claim("r", this_process()).token, flush=True)
except LeaseHeld:
    print("held", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def free(ledger_of: Callable[..., Any], store: Store, hand_time: Any) -> Iterator[Store]:
    """A store whose clocks are moved by hand; the first lease of its run `r` was given back."""
    store.release(ledger_of(ONE_STEP).lease)
    opened = Store(store.directory, create=False, time=hand_time)
    yield opened
    opened.close()


def held(store: Store) -> str:
    """Why the lease cannot be had."""
    with pytest.raises(LeaseHeld) as raised:
        store.claim("r", this_process())
    return str(raised.value)


def holder_here(**process: Any) -> Holder:
    """A holder whose process is this one but for what is told."""
    here = this_process()
    return replace(here, process=here.process._replace(**process))


def test_a_live_lease_is_refused_and_names_who_holds_it_until_when(free: Store) -> None:
    holder = this_process()
    free.claim("r", holder)
    record = free.lease("r")
    assert record is not None
    message = held(free)
    for told in (holder.id, str(holder.process.pid), holder.host, record.expires_utc):
        assert told in message


def test_even_the_same_process_does_not_hold_it_twice(free: Store) -> None:
    holder = this_process()
    free.claim("r", holder)
    with pytest.raises(LeaseHeld):
        free.claim("r", holder)


def test_tokens_rise_over_releases_and_losses(free: Store, hand_time: Any) -> None:
    tokens = []
    for _ in range(3):
        lease = free.claim("r", this_process())
        tokens.append(lease.token)
        free.release(lease)
    for _ in range(3):
        tokens.append(free.claim("r", this_process()).token)
        hand_time.passes(LEASE_DURATION_MS)
    assert tokens == [2, 3, 4, 5, 6, 7]


def test_a_lease_runs_out_when_its_time_has_passed_and_not_before(free: Store, hand_time: Any) -> None:
    first = free.claim("r", this_process())
    hand_time.passes(LEASE_DURATION_MS - 1)
    assert held(free)
    hand_time.passes(1)
    second = free.claim("r", this_process())
    with pytest.raises(LeaseLost, match=second.holder):
        free.renew(first)
    free.renew(second)


def test_a_renewal_starts_the_time_anew(free: Store, hand_time: Any) -> None:
    lease = free.claim("r", this_process())
    for _ in range(5):
        hand_time.passes(RENEW_INTERVAL_MS)
        free.renew(lease)
    assert held(free)
    hand_time.passes(LEASE_DURATION_MS)
    assert free.claim("r", this_process()).token == lease.token + 1


@pytest.mark.parametrize("jump", [timedelta(days=400), timedelta(days=-400)])
def test_a_wall_clock_that_jumps_neither_ends_a_lease_nor_prolongs_it(
    free: Store, hand_time: Any, jump: timedelta
) -> None:
    free.claim("r", this_process())
    hand_time.wall += jump
    assert held(free)
    hand_time.boottime += LEASE_DURATION_MS
    free.claim("r", this_process())


def test_a_holder_that_was_killed_is_replaced_at_once(free: Store) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity = identify(process.pid)
    assert identity is not None
    first = free.claim("r", replace(this_process(), process=identity))
    assert held(free)
    process.kill()
    process.communicate()
    assert free.claim("r", this_process()).token == first.token + 1


def test_a_holder_that_is_a_zombie_is_gone(free: Store, eventually: Callable[..., Any]) -> None:
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    identity = identify(process.pid)
    assert identity is not None
    free.claim("r", replace(this_process(), process=identity))
    process.kill()
    eventually(lambda: not free.is_driven("r"))
    free.claim("r", this_process())
    process.communicate()


def test_a_process_that_has_the_pid_of_a_dead_holder_is_not_taken_for_it(free: Store) -> None:
    free.claim("r", holder_here(start_time=1))
    assert not free.is_driven("r")
    free.claim("r", this_process())


@pytest.mark.parametrize("process", [{"pid_namespace": "pid:[1]"}, {"pid_namespace": "pid:[1]", "pid": 2**22 + 1}])
def test_a_holder_in_another_container_is_believed_until_its_time_has_passed(
    free: Store, hand_time: Any, process: dict[str, Any]
) -> None:
    free.claim("r", holder_here(**process))
    assert held(free)
    hand_time.passes(LEASE_DURATION_MS)
    free.claim("r", this_process())


def test_after_a_reboot_of_this_host_its_old_holder_is_gone(free: Store) -> None:
    free.claim("r", holder_here(boot_id="an earlier boot"))
    assert not free.is_driven("r")
    free.claim("r", this_process())


def test_a_holder_on_another_host_is_believed_until_the_wall_clock_says_otherwise(
    free: Store, hand_time: Any
) -> None:
    free.claim("r", replace(holder_here(boot_id="another boot"), host="elsewhere"))
    hand_time.boottime += 10 * LEASE_DURATION_MS
    assert held(free)
    hand_time.wall += timedelta(milliseconds=LEASE_DURATION_MS)
    free.claim("r", this_process())


def test_a_lease_that_was_given_back_stays_as_evidence(free: Store) -> None:
    holder = this_process()
    free.release(free.claim("r", holder))
    record = free.lease("r")
    assert record is not None
    assert (record.holder, record.host, record.process) == (holder.id, holder.host, holder.process)
    assert record.released_utc is not None
    assert not free.is_driven("r")


def test_who_has_lost_a_lease_cannot_give_back_its_successors(free: Store, hand_time: Any) -> None:
    lost = free.claim("r", this_process())
    hand_time.passes(LEASE_DURATION_MS)
    winner = free.claim("r", this_process())
    free.release(lost)
    free.release(lost)
    free.renew(winner)


def test_a_token_that_was_guessed_is_not_a_lease(free: Store) -> None:
    lease = free.claim("r", this_process())
    for forged in (replace(lease, holder="someone"), replace(lease, token=lease.token + 1), Lease("s", "x", 1)):
        with pytest.raises(LeaseLost):
            free.renew(forged)


def test_two_renewals_may_be_missed_before_a_lease_is_lost() -> None:
    assert 3 * leases.RENEW_INTERVAL_MS <= leases.LEASE_DURATION_MS


def test_of_many_claims_at_once_one_is_granted(free: Store) -> None:
    argv = [sys.executable, "-c", CLAIM, str(free.directory)]
    pipe = subprocess.PIPE
    racers = [subprocess.Popen(argv, stdin=pipe, stdout=pipe, stderr=pipe, text=True) for _ in range(16)]
    try:
        assert [_line(racer) for racer in racers] == ["ready"] * 16
        for racer in racers:
            _go(racer)
        assert sorted(_line(racer) for racer in racers) == ["2"] + ["held"] * 15
    finally:
        for racer in racers:
            racer.communicate("\n", timeout=60)


def _line(racer: "subprocess.Popen[str]") -> str:
    assert racer.stdout is not None
    return racer.stdout.readline().strip()


def _go(racer: "subprocess.Popen[str]") -> None:
    assert racer.stdin is not None
    racer.stdin.write("\n")
    racer.stdin.flush()


def test_a_claim_leaves_the_runs_events_alone(free: Store) -> None:
    before = list(free.recorded("r"))
    free.claim("r", this_process())
    assert list(free.recorded("r")) == before
