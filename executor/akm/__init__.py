"""akm: a durable executor that does exactly what a frozen plan says, to its end.

As a library it is `run`, `resume` and `Engine` (docs/guide/library.md). Each name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from akm_specs import __version__ as __version__

if TYPE_CHECKING:
    from akm.api.answers import RunEvent as RunEvent
    from akm.api.answers import RunResult as RunResult
    from akm.api.answers import RunStatus as RunStatus
    from akm.api.calls import resume as resume
    from akm.api.calls import run as run
    from akm.api.current import current_attempt as current_attempt
    from akm.api.engine import Engine as Engine
    from akm.api.engine import Run as Run
    from akm.dispatch.functions import CurrentAttempt as CurrentAttempt
    from akm.engine.driver import Limits as Limits
    from akm.engine.parameters import BadParameter as BadParameter
    from akm.engine.plans import PlanAltered as PlanAltered
    from akm.engine.plans import PlanUnreadable as PlanUnreadable
    from akm.engine.plans import SourceRefused as SourceRefused
    from akm.engine.preparation import NotReady as NotReady
    from akm.engine.requests import RequestRefused as RequestRefused
    from akm.engine.script import ScriptRefused as ScriptRefused
    from akm.engine.standing import Cause as Cause
    from akm.journal.faults import LeaseHeld as LeaseHeld
    from akm.journal.faults import StoreFault as StoreFault
    from akm.journal.faults import UnknownRun as UnknownRun

_PLACES = {
    "akm.api.answers": ("RunEvent", "RunResult", "RunStatus"),
    "akm.api.calls": ("resume", "run"),
    "akm.api.current": ("current_attempt",),
    "akm.api.engine": ("Engine", "Run"),
    "akm.dispatch.functions": ("CurrentAttempt",),
    "akm.engine.driver": ("Limits",),
    "akm.engine.parameters": ("BadParameter",),
    "akm.engine.plans": ("PlanAltered", "PlanUnreadable", "SourceRefused"),
    "akm.engine.preparation": ("NotReady",),
    "akm.engine.requests": ("RequestRefused",),
    "akm.engine.script": ("ScriptRefused",),
    "akm.engine.standing": ("Cause",),
    "akm.journal.faults": ("LeaseHeld", "StoreFault", "UnknownRun"),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

__all__ = sorted(_PLACE_OF)


def __getattr__(name: str) -> Any:
    """A public name, from its place."""
    if name not in _PLACE_OF:
        raise AttributeError(f"module 'akm' has no attribute {name!r}")
    return getattr(import_module(_PLACE_OF[name]), name)
