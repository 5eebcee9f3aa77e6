"""Pins: files whose content is fixed when the step that made them passes, for the steps that require them.

What a pin holds is looked at before such a step starts, and again before it may pass.
"""

from typing import Literal

from akm.kernel import step_end
from akm.kernel.draft import Draft
from akm.kernel.observation import PinsChecked
from akm.kernel.state import RunState, StepAttempt
from akm.kernel.steps import evidence_of, step_named
from akm_specs.plan import Plan


def due(active: StepAttempt) -> Literal["start", "end"] | None:
    """When the pins that the step requires have to be looked at next, if that is now."""
    if active.status == "preparing" and active.pins_held is None:
        return "start"
    return "end" if active.proposed is not None and active.pins_held == "start" else None


def required(plan: Plan, state: RunState, step: str) -> dict[str, str] | None:
    """The pinned content of each file that `step` requires, by path; None where a pin was never captured."""
    files: dict[str, str] = {}
    for name in step_named(plan, step).get("requires", ()):
        captured = [
            state.evidence[f"{each['name']} {name}"]
            for each in plan["steps"]
            if name in evidence_of(each)
            and "pin" in evidence_of(each)[name]
            and f"{each['name']} {name}" in state.evidence
        ]
        if not captured:
            return None
        files |= captured[-1].files
    return files


def checked(draft: Draft, seen: PinsChecked) -> None:
    """The step goes on where every file holds what was pinned; otherwise it fails."""
    active = draft.state.active
    if active is None or active.id != seen.step_attempt or due(active) != seen.when:
        return
    wanted = required(draft.plan, draft.state, active.step) or {}
    changed = sorted(path for path, sha256 in wanted.items() if seen.found.get(path) != sha256)
    if changed:
        step_end.end_step(draft, "failed", code="pin_changed", changed=changed)
    else:
        draft.fact("pins.held", active.id, when=seen.when)
