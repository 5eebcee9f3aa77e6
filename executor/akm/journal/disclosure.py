"""What of an event may leave this host: an allow-list, and nothing by default.

Source: the outbox in docs/reference/engine.md. Names, states, counts and machine codes may leave. Texts that
people or tools wrote, parameters, inputs, outputs and paths may not; an event whose allowed fields hold anything
else is left out whole.
"""

import re

from akm.kernel.event import Event, Instant
from akm_specs.canonical import Json, JsonObject, canonical

#: Which data of which events may leave. An event that is not named here stays.
ALLOWED: dict[str, tuple[str, ...]] = {
    "run.create": ("workflow", "plan_hash", "simulated"),
    "run.prepare": (),
    "run.start": (),
    "run.wait": (),
    "run.wake": (),
    "run.block": ("effect",),
    "run.unblock": (),
    "run.begin_cancel": (),
    "run.complete": (),
    "run.fail": (),
    "run.cancel": (),
    "step_attempt.create": ("step", "number"),
    "step_attempt.wait": (),
    "step_attempt.block": ("effect",),
    "step_attempt.pass": ("outcome",),
    "step_attempt.fail": ("outcome", "code"),
    "step_attempt.skip": ("outcome",),
    "step_attempt.cancel": ("outcome",),
    "transition.taken": ("step", "outcome", "target"),
    "cancel.requested": ("code",),
    "budget.exhausted": ("code", "counter", "value", "ceiling"),
    "decision.recorded": ("approve",),
}

#: What the names and codes of a plan look like; a sentence, a path or a key does not.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.#:~/-]{0,127}")


def disclosed(run: str, sequence: int, at: Instant, event: Event) -> str | None:
    """The bytes, as text, that a hub may have of an event; None where nothing of it may leave."""
    if event.name not in ALLOWED:
        return None
    data = allowed(event)
    said = (event.entity, event.source, event.target, *data.values())
    if not all(map(_harmless, said)):
        return None
    content = {
        "run": run,
        "sequence": sequence,
        "utc": at.utc,
        "event": event.name,
        "entity": event.entity,
        "source": event.source,
        "target": event.target,
        "data": data,
    }
    return canonical(content).decode()


def allowed(event: Event) -> JsonObject:
    """The data of an event that may leave, where that holds nothing else than it should."""
    return {name: event.data[name] for name in ALLOWED.get(event.name, ()) if event.data.get(name) is not None}


def _harmless(value: Json) -> bool:
    if isinstance(value, str):
        return _NAME.fullmatch(value) is not None
    return value is None or isinstance(value, bool | int)
