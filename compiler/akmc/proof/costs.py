"""What one entry of a step can come to, in each measure of the worst case.

Bounds of the plan are taken at their full: every assignment, every retry, every replacement of a lost attempt,
every timeout, one after the other, since a host may have a single core.
"""

from collections.abc import Callable
from dataclasses import dataclass

from akm_specs import lives
from akm_specs.plan import Dispatch, PlanBody, Step

#: What is measured, in the order in which it is shown (source: akm_specs.plan.Worst).
MEASURES = ("transitions", "entries", "assignments", "attempts", "agent_attempts", "events", "wall_ms")

_WAITING = frozenset({"waiting"})


@dataclass(frozen=True, slots=True)
class Cost:
    """An amount of each measure; times are in milliseconds."""

    transitions: int = 0
    entries: int = 0
    assignments: int = 0
    attempts: int = 0
    agent_attempts: int = 0
    events: int = 0
    wall_ms: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            self.transitions + other.transitions,
            self.entries + other.entries,
            self.assignments + other.assignments,
            self.attempts + other.attempts,
            self.agent_attempts + other.agent_attempts,
            self.events + other.events,
            self.wall_ms + other.wall_ms,
        )

    def __mul__(self, times: int) -> "Cost":
        return Cost(
            self.transitions * times,
            self.entries * times,
            self.assignments * times,
            self.attempts * times,
            self.agent_attempts * times,
            self.events * times,
            self.wall_ms * times,
        )


#: What a run comes to beside its steps: its own life, and what is recorded where it is stopped.
RUN = Cost(events=lives.life("run", _WAITING) + 1)
#: What taking a transition comes to.
TRANSITION = Cost(transitions=1, events=1)


def entry_cost(plan: PlanBody, step: Step, child: Callable[[str], Cost]) -> Cost:
    """The most that one entry of `step` comes to. `child` gives what a run of a child plan comes to."""
    work = _judged(plan, step) if "gate" in step else _work(plan, step)
    match step["kind"]:
        case "approval":
            return work + _paused(step["timeout_ms"]["value"], facts=1)
        case "wait":
            if step["wait"] == "span":
                return work + _paused(step["span_ms"], facts=0)
            return work + _paused(step["timeout_ms"]["value"], facts=1)
        case "workflow":
            started = assignment_cost(_ONCE, 0, 0, agent=False)
            return work + _paused(0, facts=0) + started + child(step["plan"])
        case _:
            return work + _ENTERED


def skipped_cost() -> Cost:
    """What an entry comes to that passes its step by."""
    return _ENTERED


def assignment_cost(
    dispatch: Dispatch, timeout_ms: int, receipt_ms: int, *, agent: bool, session: bool = False
) -> Cost:
    """The most that one assignment comes to; `receipt_ms` is what asking after the receipt may take."""
    attempts = dispatch["attempts"]["value"] + dispatch["recoveries"]["value"]
    events = lives.life("assignment") + lives.life("attempt") + lives.life("effect")
    events += (attempts - 1) * lives.attempt_again() + (attempts * lives.life("session") if session else 0)
    return Cost(
        assignments=1,
        attempts=attempts,
        agent_attempts=attempts if agent else 0,
        events=events,
        wall_ms=attempts * (timeout_ms + receipt_ms),
    )


_ONCE: Dispatch = {
    "attempts": {"value": 1, "origin": "defaulted"},
    "retry_on": [],
    "recoveries": {"value": 0, "origin": "defaulted"},
}
_ENTERED = Cost(entries=1, events=lives.life("step_attempt", _WAITING))


def _paused(wait_ms: int, facts: int) -> Cost:
    """An entry during which the run waits: the run moves there and back, and `facts` say what ended it."""
    moves = lives.life("step_attempt") + lives.again("run", "running")
    return Cost(entries=1, events=moves + facts, wall_ms=wait_ms)


def _work(plan: PlanBody, step: Step) -> Cost:
    """All assignments of one round of `step`."""
    match step["kind"]:
        case "panel":
            found = Cost()
            for seat in step["seats"]:
                found += _tool_cost(plan, seat["tool"], step["dispatch"], seat["timeout_ms"]["value"], agent=True)
            return found
        case "map":
            agent = step["agent"] is not None
            one = _tool_cost(plan, step["tool"], step["dispatch"], step["timeout_ms"]["value"], agent=agent)
            return one * step["items"]["value"]
        case "exec" | "agent" | "judge":
            agent = step["kind"] != "exec"
            return _tool_cost(plan, step["tool"], step["dispatch"], step["timeout_ms"]["value"], agent=agent)
        case "gate":
            if step["check"] != "tool":
                return Cost()
            return _tool_cost(plan, step["tool"], step["dispatch"], step["timeout_ms"]["value"], agent=False)
        case "deliver":
            rounds, timeout_ms = 1 + step["remediations"]["value"], step["timeout_ms"]["value"]
            push = assignment_cost(step["dispatch"], timeout_ms, timeout_ms, agent=False)
            shown = Cost(events=lives.life("repository_delivery"))
            # each round, and each push that a person resolves, makes a manifest that was partial go on
            goes_on = rounds + rounds * len(step["repositories"])
            whole = lives.life("delivery") + goes_on * lives.again("delivery", "delivering")
            return (push + shown) * (len(step["repositories"]) * rounds) + Cost(events=whole)
        case _:
            return Cost()


def _tool_cost(plan: PlanBody, name: str, dispatch: Dispatch, timeout_ms: int, *, agent: bool) -> Cost:
    tool = plan["tools"][name]
    receipt_ms = 0 if tool["receipt"] is None else timeout_ms
    return assignment_cost(dispatch, timeout_ms, receipt_ms, agent=agent, session="session" in tool)


def _judged(plan: PlanBody, step: Step) -> Cost:
    """All rounds of a step that has a gate: each does the work and calls the judge."""
    gate = step["gate"]
    call = _tool_cost(plan, gate["tool"], gate["dispatch"], gate["timeout_ms"]["value"], agent=True)
    return (_work(plan, step) + call) * gate["max_loops"]["value"]
