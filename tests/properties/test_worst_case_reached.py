"""The worst case of a plan is no mere bound: the kernel reaches it where everything goes wrong."""

from typing import Any

from akm.kernel import command as ask
from akm.kernel import observation as seen
from akm.kernel.decide import created, decide
from akm.kernel.event import Event
from akm.kernel.evolve import evolve
from akm.kernel.pending import pending
from akm_specs import lives
from akmc.pipeline import compile_workflow
from akmc.source import Source

TURNS_MAX = 200
TEXT = """workflow stubborn "Fails as often as it may" {
  limits { transitions 5 }
  step try: exec read_only { attempts 2, retry 2 on failed, recover 0, on passed -> ask, on failed -> try max 1 }
  step ask: approval { by alice, timeout 1h, on passed -> completed, on rejected -> failed, on expired -> failed }
}
"""


def test_a_run_in_which_all_fails_reaches_the_worst_case(generated_registry: str) -> None:
    source, registry = Source("absent/stubborn.akm", TEXT), Source("absent/registry.akm", generated_registry)
    plan = compile_workflow(source, registry).plan
    ends = iter([1, 1, 1, 1, 1, 0])
    events: list[Event] = [created("r", plan, "0" * 64, {}, simulated=False)]
    state, now_ms = evolve(plan, None, events[0]), 0
    for _ in range(TURNS_MAX):
        commands = pending(plan, state)
        observed: Any = seen.Ticked(now_ms)
        if commands:
            match commands[0]:
                case ask.Prepare():
                    observed = seen.Prepared(now_ms, ())
                case ask.StartAttempt(attempt=attempt):
                    observed = seen.AttemptEnded(now_ms, attempt, exit_code=next(ends))
                case ask.AwaitDecision(step_attempt=step_attempt, shown=shown):
                    observed = seen.DecisionGiven(now_ms, 1, step_attempt, True, "alice", "looked", shown)
        for event in decide(plan, state, observed):
            events.append(event)
            state = evolve(plan, state, event)
        if state.status == "completed":
            break
    worst, counters = plan["worst"], state.counters
    assert counters.transitions == worst["transitions"] == 3
    assert sum(counters.entries.values()) == worst["entries"] == 3
    assert counters.units == worst["assignments"] == 2
    assert sum(event.name == "attempt.create" for event in events) == worst["attempts"] == 6
    counted = sum(lives.counts(event.name, event.source, event.target) for event in events)
    # The tables allow more than this kernel does: to record each result before its retry, to cancel each of the
    # assignments while a retry is pending, and to end the run by a request.
    assert worst["events"] - counted == 4 + 2 + 2
