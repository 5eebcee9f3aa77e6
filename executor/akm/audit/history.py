"""A history as it was exported: a line an event, each with its place in the chain."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from akm_specs.canonical import JsonObject, NotStrictJson, parse_json

#: What a check yields: the sequence of the event that is not right, and a sentence on it.
Found: TypeAlias = Iterator[tuple[int, str]]

_FIELDS: dict[str, tuple[type, ...]] = {
    "run": (str,),
    "sequence": (int,),
    "utc": (str,),
    "elapsed_ms": (int,),
    "token": (int,),
    "event": (str,),
    "entity": (str,),
    "source": (str, type(None)),
    "target": (str, type(None)),
    "data": (dict,),
    "previous": (str,),
    "hash": (str,),
}


class NotAnExport(ValueError):
    """A line that is no event of an export; the message says which and why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One exported event. `body` is all of it but its own hash."""

    sequence: int
    elapsed_ms: int
    token: int
    name: str
    entity: str
    source: str | None
    target: str | None
    data: JsonObject
    body: JsonObject
    hash: str

    @property
    def lifecycle(self) -> str:
        """The first part of the name."""
        return self.name.partition(".")[0]

    @property
    def trigger(self) -> str:
        """The second part of the name."""
        return self.name.partition(".")[2]


@dataclass(frozen=True, slots=True)
class History:
    """A run's events, and the plan as the JSON that it is."""

    plan: Any
    plan_hash: str
    entries: tuple[Entry, ...]

    @property
    def run(self) -> str:
        """The run that the first event names."""
        return str(self.entries[0].body["run"])


def entry(exported: JsonObject) -> Entry:
    """An event as `akm export` writes it. Raises NotAnExport."""
    if exported.keys() != _FIELDS.keys():
        differing = ", ".join(sorted(exported.keys() ^ _FIELDS.keys()))
        raise NotAnExport(f"an event has other members than {differing}")
    for name, kinds in _FIELDS.items():
        if type(exported[name]) not in kinds:
            raise NotAnExport(f"the member {name} is {json.dumps(exported[name])}")
    body = {name: value for name, value in exported.items() if name != "hash"}
    return Entry(
        sequence=exported["sequence"],
        elapsed_ms=exported["elapsed_ms"],
        token=exported["token"],
        name=exported["event"],
        entity=exported["entity"],
        source=exported["source"],
        target=exported["target"],
        data=exported["data"],
        body=body,
        hash=exported["hash"],
    )


def read_export(lines: Iterable[str]) -> tuple[Entry, ...]:
    """The events of an export, a line each. Raises NotAnExport."""
    found = []
    for number, line in enumerate(lines, start=1):
        try:
            value = parse_json(line, 256)
            if not isinstance(value, dict):
                raise NotAnExport("it is no JSON object")
            found.append(entry(value))
        except (NotStrictJson, NotAnExport) as error:
            raise NotAnExport(f"line {number}: {error}") from error
    if not found:
        raise NotAnExport("the export is empty: a run has at least its first event")
    return tuple(found)
