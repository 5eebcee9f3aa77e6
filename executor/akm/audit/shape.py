"""What every event must carry, so that other checks can ask what it means (source: docs/reference/engine.md)."""

from typing import Any

from akm.audit.history import Entry, Found, History
from akm_specs import lifecycle

_TEXT, _COUNT, _FLAG, _OBJECT, _LIST = (str,), (int,), (bool,), (dict,), (list,)
_ANY: tuple[type, ...] = (str, int, float, bool, dict, list, type(None))
_TEXT_OR_NONE = (str, type(None))

_RESULT: dict[str, tuple[type, ...]] = {
    "outcome": _TEXT,
    "result_class": _TEXT,
    "code": _TEXT_OR_NONE,
    "output": _ANY,
    "evidence": _OBJECT,
    "tokens": _COUNT,
    "cost_microdollars": _COUNT,
    "hash": _TEXT,
    "detail": _TEXT_OR_NONE,
    "metered": _FLAG,
}
_DECISION: dict[str, tuple[type, ...]] = {
    "number": _COUNT,
    "approve": _FLAG,
    "by": _TEXT,
    "reason": _ANY,
    "shown": _ANY,
}
_RESOLUTION: dict[str, tuple[type, ...]] = {
    "number": _COUNT,
    "action": _TEXT,
    "by": _TEXT,
    "reason": _ANY,
    "reference": _TEXT_OR_NONE,
}
_STOP: dict[str, tuple[type, ...]] = {"code": _TEXT, "message": _TEXT}
_STEP_ENDS = ("step_attempt.pass", "step_attempt.fail", "step_attempt.skip", "step_attempt.cancel")

#: The members that the data of each event must have, with their types. Events may say more.
DATA: dict[str, dict[str, tuple[type, ...]]] = {
    "run.create": {"workflow": _TEXT, "plan_hash": _TEXT, "parameters": _OBJECT, "simulated": _FLAG},
    "run.prepare": {"plan_hash": _TEXT},
    **{f"run.{trigger}": {"reason": _OBJECT} for trigger in ("complete", "fail", "cancel")},
    "step_attempt.create": {"step": _TEXT, "number": _COUNT, "entered_ms": _COUNT},
    **{name: {"outcome": _TEXT} for name in _STEP_ENDS},
    "assignment.create": {"step_attempt": _TEXT, "input_hash": _TEXT},
    "assignment.retry": {"attempt": _TEXT, "reason": _TEXT},
    "assignment.record_result": {"result": _OBJECT},
    "attempt.create": {"assignment": _TEXT, "number": _COUNT, "began_ms": _COUNT},
    "attempt.settle": {"end": _TEXT},
    "attempt.reattach": {"supervisor": _OBJECT},
    "effect.create": {"class": _TEXT, "key": _TEXT, "receipt_query": (list, type(None))},
    "delivery.create": {"repositories": _LIST},
    "repository_delivery.create": {"repository": _TEXT},
    "repository_delivery.confirm": {"repository": _TEXT, "receipt": _ANY},
    "session.create": {"run": _TEXT, "worker": _TEXT, "epoch": _COUNT, "scope": _TEXT},
    "session.joined": {"session": _TEXT, "epoch": _COUNT},
    "transition.taken": {"step": _TEXT, "outcome": _TEXT, "target": _TEXT},
    "cancel.requested": _STOP,
    "budget.exhausted": {**_STOP, "counter": _TEXT, "value": _COUNT, "ceiling": _COUNT},
    "property.violated": {**_STOP, "property": _TEXT},
    "host.seen": {"parallel": (int, type(None))},
    "panel.decided": {"outcome": _TEXT},
    "outcome.proposed": {"outcome": _TEXT, "data": _OBJECT},
    "gate.rejected": {"loop": _COUNT, "feedback": _OBJECT},
    "gate.refused": _STOP,
    "pins.held": {"when": _TEXT},
    "evidence.captured": {
        "name": _TEXT,
        "kind": _TEXT,
        "step_attempt": _TEXT,
        "count": _COUNT,
        "hash": _TEXT,
        "files": _OBJECT,
    },
    "usage.seen": {"tokens": _COUNT, "cost_microdollars": _COUNT},
    "signal.received": {"number": _COUNT, "name": _TEXT, "data": _ANY},
    "signal.refused": {"number": _COUNT, "name": _TEXT, "data": _ANY, "problem": _TEXT},
    "signal.consumed": {"number": _COUNT},
    "signal.unconsumed": {"number": _COUNT},
    "decision.recorded": _DECISION,
    "decision.refused": {**_DECISION, "problem": _TEXT},
    "command.unread": {"number": _COUNT, "kind": _TEXT},
    "resolution.recorded": _RESOLUTION,
    "resolution.refused": {**_RESOLUTION, "problem": _TEXT},
}


#: The events of these names that move nothing.
FACTS = frozenset(
    name for name in DATA if name.partition(".")[0] not in lifecycle.NAMES or name == "session.joined"
)


def shape(history: History) -> Found:
    """Every event carries what its kind has to, and one of a simulated run says that it is."""
    simulated = history.entries[0].data.get("simulated", False) if history.entries else False
    for one in history.entries:
        if one.data.get("simulated", False) != simulated:
            yield one.sequence, f"{one.name} is simulated in a real run, or real in a simulated one"
        yield from _lacking(one, DATA.get(one.name, {}), one.data)
        if one.name == "assignment.record_result" and isinstance(one.data.get("result"), dict):
            yield from _lacking(one, _RESULT, one.data["result"])


def _lacking(one: Entry, members: dict[str, tuple[type, ...]], data: dict[str, Any]) -> Found:
    for name, kinds in members.items():
        if name not in data:
            yield one.sequence, f"{one.name} does not say its {name}"
        elif type(data[name]) not in kinds:
            yield one.sequence, f"{one.name} says as its {name} what cannot be one"
