"""The unit-graph digest: what a run did, without when, how often it was tried, or where.

Two runs of one plan with the same work, results and path have the same digest, however often they crashed.
"""

from collections.abc import Iterable

from akm.kernel.event import Recorded
from akm_specs.canonical import JsonObject, hash_json


def unit_graph(events: Iterable[Recorded]) -> JsonObject:
    """The sorted units and the transitions in the order in which they were taken."""
    inputs: dict[str, str] = {}
    units: dict[str, list[str]] = {}
    transitions: list[list[str]] = []
    for recorded in events:
        event, data = recorded.event, recorded.event.data
        if event.name == "assignment.create":
            inputs[event.entity] = data["input_hash"]
        elif event.name == "assignment.record_result":
            found = data["result"]
            units[event.entity] = [event.entity, inputs[event.entity], found["outcome"], found["hash"]]
        elif event.name == "assignment.cancel":
            units[event.entity] = [event.entity, inputs[event.entity], "cancelled", ""]
        elif event.name == "transition.taken":
            transitions.append([data["step"], data["outcome"], data["target"]])
    return {"units": sorted(units.values()), "transitions": transitions}


def digest(events: Iterable[Recorded]) -> str:
    """SHA-256 over the unit graph, 64 lower-case hex digits."""
    return hash_json(unit_graph(events))
