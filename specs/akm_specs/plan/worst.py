"""The worst that any run of a plan can come to: proved by the compiler, and what the executor holds runs to."""

from typing import TypedDict


class Worst(TypedDict):
    """The most of each that one run can reach, child runs apart; only `wall_ms` has the time of children in it.

    `entries` counts step attempts, `assignments` logical work, `attempts` physical tries without those that a
    person's resolution grants, `agent_attempts` those of them that can spend tokens and money. `events` counts
    what `akm_specs.lives.counts`; each attempt that is granted may add `akm_specs.lives.attempt_again()` more.
    """

    transitions: int
    entries: int
    assignments: int
    attempts: int
    agent_attempts: int
    events: int
    wall_ms: int
