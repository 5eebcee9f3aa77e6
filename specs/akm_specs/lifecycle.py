"""Compiled lifecycle tables: the only statement of which moves exist.

The sources are `lifecycles/*.akm`; akmc compiles them into the sealed `lifecycles/*.json` beside them.
"""

from functools import cache
from pathlib import Path
from typing import Literal, TypedDict, cast

from akm_specs.canonical import hash_json, unseal

SCHEMA = "akm.lifecycle.v1"

#: Every lifecycle, in the order in which docs list them (source: lifecycles in docs/reference).
NAMES = (
    "run_request",
    "run",
    "step_attempt",
    "assignment",
    "attempt",
    "effect",
    "delivery",
    "repository_delivery",
    "synchronization",
    "session",
)


class State(TypedDict):
    name: str
    kind: Literal["initial", "state", "final"]
    meaning: str


class Move(TypedDict):
    trigger: str
    source: str
    target: str


class Lifecycle(TypedDict):
    schema: str
    name: str
    title: str
    states: list[State]
    moves: list[Move]


@cache
def load(name: str) -> Lifecycle:
    """The compiled table of lifecycle `name`. Raises SealBroken when the shipped file was altered."""
    body, _ = unseal((Path(__file__).with_name("lifecycles") / f"{name}.json").read_bytes())
    return cast(Lifecycle, body)


@cache
def tables_hash() -> str:
    """One hash over all tables; a plan pins it."""
    return hash_json({name: hash_json(load(name)) for name in NAMES})
