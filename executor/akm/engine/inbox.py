"""Inbox commands: what other processes ask of a run, as they are stored and as the kernel sees them.

Each has a key under which it counts once: a decision a step attempt, a resolution an effect, a cancel a run.
"""

from dataclasses import dataclass
from typing import Any

from akm.journal.store import InboxCommand
from akm.kernel.observation import CancelAsked, DecisionGiven, Observation, ResolutionGiven, SignalGiven
from akm_specs.canonical import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Draft:
    """A command to post: its key, its kind, and its content."""

    key: str
    kind: str
    body: JsonObject


def decision(step_attempt: str, *, approve: bool, by: str, reason: str, shown: str) -> Draft:
    """A person's decision on a step attempt, bound to the hash of what was shown."""
    body: JsonObject = {
        "step_attempt": step_attempt,
        "approve": approve,
        "by": by,
        "reason": reason,
        "shown": shown,
    }
    return Draft(f"decision {step_attempt}", "decision", body)


def signal(name: str, data: Json, key: str) -> Draft:
    """`key` makes a repeated delivery of the same signal count once."""
    return Draft(f"signal {key}", "signal", {"name": name, "data": data})


def cancel(by: str, reason: str) -> Draft:
    """A request to cancel; one a run."""
    return Draft("cancel", "cancel", {"by": by, "reason": reason})


def resolution(effect: str, *, action: str, by: str, reason: str, reference: str | None, nth: int) -> Draft:
    """`nth` counts those that were taken up before: a refused one can be followed, an unread one stands."""
    body: JsonObject = {
        "effect": effect,
        "action": action,
        "by": by,
        "reason": reason,
        "reference": reference,
    }
    return Draft(f"resolution {effect} {nth}", "resolution", body)


_KINDS: dict[str, Any] = {
    "decision": DecisionGiven,
    "signal": SignalGiven,
    "cancel": CancelAsked,
    "resolution": ResolutionGiven,
}


def observation_of(command: InboxCommand, at_ms: int) -> Observation:
    """The observation that a stored command is."""
    body = dict(command.body)
    observation: Observation = _KINDS[command.kind](at_ms=at_ms, number=command.number, **body)
    return observation
