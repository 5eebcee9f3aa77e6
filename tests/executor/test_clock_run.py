"""A run's clock: it counts on over restarts, never goes back, and does not look at the wall."""

import sys
import time
from datetime import timedelta
from typing import Any

import pytest

from akm.clock import ClockSample, HostTime, RunClock

DAY = timedelta(days=1)


def test_a_new_runs_clock_starts_at_zero_and_counts_milliseconds(hand_time: Any) -> None:
    clock = RunClock(hand_time)
    assert clock.elapsed_ms() == 0
    hand_time.passes(1_500)
    assert clock.elapsed_ms() == 1_500


def test_it_counts_on_in_the_next_process_of_the_same_boot(hand_time: Any) -> None:
    clock = RunClock(hand_time)
    hand_time.passes(1_000)
    sample = clock.sample(clock.elapsed_ms())
    hand_time.passes(5_000)
    assert RunClock(hand_time, sample).elapsed_ms() == 6_000


def test_a_sample_of_an_earlier_moment_tells_the_same_clock(hand_time: Any) -> None:
    clock = RunClock(hand_time)
    hand_time.passes(1_000)
    early = clock.sample(400)
    assert RunClock(hand_time, early).elapsed_ms() == clock.elapsed_ms() == 1_000


def test_after_a_reboot_at_least_the_time_since_then_has_passed_and_no_more_is_claimed(hand_time: Any) -> None:
    sample = ClockSample("an earlier boot", 9_000_000, 7_000)
    hand_time.boottime = 3_000
    clock = RunClock(hand_time, sample)
    assert clock.elapsed_ms() == 10_000
    hand_time.passes(500)
    assert RunClock(hand_time, clock.sample(clock.elapsed_ms())).elapsed_ms() == 10_500


@pytest.mark.parametrize("jump", [400 * DAY, -400 * DAY])
def test_a_wall_clock_that_jumps_changes_nothing(hand_time: Any, jump: timedelta) -> None:
    clock = RunClock(hand_time)
    hand_time.passes(1_000)
    hand_time.wall += jump
    assert clock.elapsed_ms() == 1_000
    assert RunClock(hand_time, clock.sample(1_000)).elapsed_ms() == 1_000


def test_it_never_goes_back_when_the_hosts_clock_does(hand_time: Any) -> None:
    sample = ClockSample(hand_time.boot, hand_time.boottime + 60_000, 7_000)
    assert RunClock(hand_time, sample).elapsed_ms() == 7_000


def test_an_instant_has_the_runs_time_for_rules_and_the_wall_for_people(hand_time: Any) -> None:
    instant = RunClock(hand_time).instant(42)
    assert (instant.elapsed_ms, instant.utc) == (42, "2026-01-01T00:00:00.000Z")


def test_the_hosts_clocks_agree_with_the_hosts(eventually: Any) -> None:
    source = HostTime()
    began, sample = source.boottime_ms(), RunClock(source).sample(0)
    assert source.boot_id() == sample.boot_id != ""
    if sys.platform == "linux":
        assert abs(began - time.clock_gettime(time.CLOCK_BOOTTIME) * 1_000) < 10_000
    assert eventually(lambda: source.boottime_ms() > began)
    assert source.utc().endswith("Z")
    assert len(source.utc()) == len("2026-01-01T00:00:00.000Z")
