"""Where the outcomes of a `kxm.workflow.v1` step lead.

That format lets a step list outcomes that it can never end with, and ways back that no run can take. Neither
has a place in a plan: such a line is left out, or ends the run as it would have, and a warning says so.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from akm_specs.canonical import JsonObject
from akm_specs.plan import TERMINALS
from akmc.document import Place
from akmc.kxm import keys
from akmc.kxm.findings import NEVER_PRODUCED, NEVER_TAKEN
from akmc.lowered import Lowering
from akmc.outcomes import ENGINE_ONLY
from akmc.yaml.shape import Places

QUORUM_NOT_MET = "quorum_not_met"
#: Outcomes of ours that a step of the kind always has, and that need a line.
_ALWAYS = {
    "panel": ("passed", QUORUM_NOT_MET),
    "approval": ("passed", "rejected", "expired"),
    "wait": ("passed", "expired"),
}


@dataclass(frozen=True, slots=True)
class Ways:
    """The flow of a whole document, as far as a single line of it needs that."""

    workflow: keys.Workflow

    def back(self, at: int, target: str) -> bool:
        """Whether a line of step `at` to `target` leads to the same step or one further up."""
        return any(step.id == target for step in self.workflow.steps[: at + 1])

    def never(self, at: int, target: str) -> str | None:
        """Why no run can take the way back from step `at` to `target`; None where one can."""
        if not self._all_can_end():
            return None  # then it is the loop that is wrong, and a rule says so
        budget = self.workflow.limits.maxTransitions
        steps = {step.id: step for step in reversed(self.workflow.steps)}
        source = self.workflow.steps[at].id
        if (steps[target].maxAttempts or 1) == 1 and source not in self._distances(steps, without=target):
            return f"step `{target}` may be entered only once, as it has no `maxAttempts`"
        taken = self._distances(steps).get(source)
        if budget is not None and taken is not None and budget <= taken + 1:
            return f"`maxTransitions: {budget}` is used up by then"
        return None

    def _all_can_end(self) -> bool:
        """Whether a written line leads out of the workflow from wherever one may be."""
        ending: set[str] = set()
        while more := {
            step.id
            for step in self.workflow.steps
            if step.id not in ending and any(line.target in (*ending, keys.TERMINAL) for line in step.on.values())
        }:
            ending |= more
        return len(ending) == len({step.id for step in self.workflow.steps})

    def _distances(self, steps: dict[str, keys.Step], without: str | None = None) -> dict[str, int]:
        """The least number of transitions to each step; the step `without` counts as removed."""
        first = self.workflow.steps[0].id
        found = {} if first == without else {first: 0}
        layer = list(found)
        while layer:
            ahead = [(name, line.target) for name in layer for line in steps[name].on.values()]
            layer = []
            for name, target in ahead:
                if target in steps and target not in found and target != without:
                    found[target] = found[name] + 1
                    layer.append(target)
        return found


def lower_edges(lowering: Lowering, places: Places, ways: Ways, at: int, kind: str) -> list[JsonObject]:
    """The lines of step `at`, which becomes one of our `kind`."""
    step = ways.workflow.steps[at]
    edges: list[JsonObject] = []
    for written, outcome in _outcomes(step, kind):
        source: Place = ("steps", at, "on", written)
        line = step.on[written]
        if outcome is None:
            _left_out(lowering, places, source, step.id, written, line)
            continue
        place: Place = ("steps", at, "on", len(edges))
        lowering.mark(place, places.key(source).to(places.value(source)))
        lowering.mark((*place, "outcome"), places.key(source))
        lowering.mark((*place, "target"), places.value((*source, "target")))
        edges.append({"outcome": outcome, **_target(lowering, places, ways, at, written)})
    led = {edge["outcome"] for edge in edges}
    return edges + [{"outcome": each, "target": "failed"} for each in _ALWAYS.get(kind, ()) if each not in led]


def _outcomes(step: keys.Step, kind: str) -> Iterator[tuple[str, str | None]]:
    """Each outcome that the step lists, and what it is called by us; None where the step cannot end with it."""
    if step.kind == "gate":
        failure = "repro-missing" if step.expect == "fail" else "implementation-failure"
        known = {"passed": "passed", failure if failure in step.on else "failed": "failed"}
    elif kind == "panel":
        known = {name: name for name in step.on if name not in ENGINE_ONLY} | {"quorum-not-met": QUORUM_NOT_MET}
    elif kind == "agent":
        known = {name: name for name in step.on if name not in ENGINE_ONLY or name == "timed_out"}
    else:
        known = {name: name for name in _ALWAYS[kind]}
    yield from ((written, known.get(written)) for written in step.on)


def _target(lowering: Lowering, places: Places, ways: Ways, at: int, written: str) -> JsonObject:
    line = ways.workflow.steps[at].on[written]
    target = line.terminalStatus or line.target
    bounded = line.maxTransitions is not None and ways.workflow.limits.maxTransitions is not None
    if target not in TERMINALS and bounded and ways.back(at, target):
        why = ways.never(at, target)
        if why is not None:
            span = places.value(("steps", at, "on", written))
            message = f"the way back to `{target}` can never be taken: {why}. It ends the run as failed"
            lowering.warn(NEVER_TAKEN, span, message, "raise the bound, or let the outcome end the run")
            return {"target": "failed"}
    return {"target": target} if line.maxTransitions is None else {"target": target, "maximum": line.maxTransitions}


def _left_out(
    lowering: Lowering, places: Places, source: Place, step: str, outcome: str, line: keys.Transition
) -> None:
    span = places.key(source).to(places.value(source))
    message = f"step `{step}` cannot end with `{outcome}`; "
    if line.terminalStatus == "completed":
        advice = "remove the line, or name an outcome that the step has"
        lowering.report(NEVER_PRODUCED, span, message + "a run must not seem to complete by it", advice)
    else:
        lowering.warn(NEVER_PRODUCED, span, message + "the line is left out", "remove it")
