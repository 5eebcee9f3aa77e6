"""`akm simulate`: the same seed is the same run, and everything is reached."""

from pathlib import Path

import pytest

from akm.cli import main
from akm.kernel import attempts, decide
from akm.kernel.draft import Draft
from akm.kernel.observation import AttemptLost
from akm.simulation.campaign import campaign
from akm_specs.plan import Plan
from akmc.pipeline import compile_workflow
from akmc.source import Source

REGISTRY = """
tool look { argv ["true"], effect read_only }
tool pay  { argv ["true"], effect external_non_idempotent }
tool model { argv ["true"], effect external_idempotent, reject 75 -> rate_limited }
agent ada { tool model }
agent ben { tool look }
"""
WORKFLOW = """workflow work "Work" {
  param items: list of string
  limits { transitions 12, duration 1d }
  step look: exec look { attempts 2, output { n: int }, exit 3 -> partly
    on passed -> panel, on partly -> look max 1, on failed -> failed }
  step panel: panel { assign 2 of [ada, ben] { maximum 2, parallel 2 }, join all, prompt "Look."
    on passed -> each, on failed -> each, on quorum_not_met -> failed }
  step each: map it in params.items { run tool look, tolerate 1, on passed -> ask, on failed -> ask }
  step ask: approval { by alice, reads look.output.n, timeout 1h
    on passed -> pay, on rejected -> cancelled, on expired -> cancelled }
  step pay: exec pay { on passed -> completed, on failed -> failed }
}
"""


@pytest.fixture(scope="module")
def plan() -> Plan:
    return compile_workflow(Source("absent/work.akm", WORKFLOW), Source("absent/registry.akm", REGISTRY)).plan


def test_no_crash_breaks_an_invariant_and_everything_is_reached(plan: Plan) -> None:
    coverage, violated = campaign(plan, "0" * 64, {}, range(1, 121), crash=True)
    assert violated is None
    assert coverage.missed(plan) == ([], ["pay timed_out"])  # which a person has to resolve instead
    assert set(coverage.ends) == {"completed", "failed", "cancelled"}
    assert coverage.crashes > 50


def test_the_same_seed_is_the_same_run(plan: Plan) -> None:
    assert campaign(plan, "0" * 64, {}, range(7, 9), crash=True) == campaign(
        plan, "0" * 64, {}, range(7, 9), crash=True
    )


def test_without_crashes_none_happens(plan: Plan) -> None:
    coverage, violated = campaign(plan, "0" * 64, {}, range(1, 11), crash=False)
    assert (violated, coverage.crashes) == (None, 0)


def test_the_command_tells_what_it_reached_and_what_it_cannot_simulate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "registry.akm").write_text(REGISTRY, encoding="utf-8")
    (tmp_path / "work.akm").write_text(WORKFLOW, encoding="utf-8")
    assert main(["simulate", str(tmp_path / "work.akm"), "--runs", "5", "--seed", "3"]) == 0
    assert "simulated 5 runs with 0 crashes" in capsys.readouterr().out
    assert main(["simulate", str(tmp_path / "work.akm"), "--runs", "0"]) == 2
    assert not (tmp_path / ".akm").exists()


def careless(draft: Draft, observed: AttemptLost) -> None:
    """A handler that repeats whatever was lost, a payment too."""
    attempt = draft.state.attempts[observed.attempt]
    draft.move("attempt", attempt.id, "lose", cause=observed.cause)
    if draft.state.effects[attempt.id].status == "intent_recorded":
        draft.move("effect", attempt.id, "dispatch")
    attempts.settle_effect(draft, attempt, {"lost": observed.cause})
    attempts.settle_attempt(draft, attempt, end="lost")
    draft.move("assignment", attempt.assignment, "retry", reason="lost", attempt=attempt.id)


def test_a_kernel_that_repeats_a_lost_payment_is_found_out(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(decide._HANDLERS, AttemptLost, careless)
    _, violated = campaign(plan, "0" * 64, {}, range(1, 1_001), crash=True)
    assert violated is not None
    assert "uncertain_not_replayed" in violated.message
    assert any(one.event.entity.startswith("pay#") for one in violated.journal)
