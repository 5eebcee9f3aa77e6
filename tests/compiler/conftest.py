"""How compiler tests compile: a text beside a registry, and what came of it."""

from collections.abc import Callable
from typing import TypeAlias

import pytest

from akm_specs.plan import Plan
from akmc.diagnostic import Diagnostic
from akmc.lint import findings_of
from akmc.pipeline import compile_workflow
from akmc.rules.rule import EXAMPLE_REGISTRY
from akmc.source import Source

PlanOf: TypeAlias = Callable[..., Plan]
FindingsOf: TypeAlias = Callable[..., tuple[Diagnostic, ...]]


def _sources(text: str, registry: str | None) -> tuple[Source, Source | None]:
    beside = None if registry is None else Source("absent/registry.akm", registry)
    return Source("absent/example.akm", text), beside


@pytest.fixture(scope="session")
def plan_of() -> PlanOf:
    """Compiles a text to its plan, beside the rules' example registry or the one given."""

    def compiled(text: str, registry: str | None = EXAMPLE_REGISTRY) -> Plan:
        return compile_workflow(*_sources(text, registry)).plan

    return compiled


@pytest.fixture(scope="session")
def findings() -> FindingsOf:
    """Every finding about a text of any kind."""

    def found(text: str, registry: str | None = EXAMPLE_REGISTRY) -> tuple[Diagnostic, ...]:
        return findings_of(*_sources(text, registry))

    return found


#: Thirteen steps from a report to its fix, with two panels and nine ways back.
FIX = """workflow fix "Prove, plan, implement, review, verify and hand over a fix" {
  limits { transitions 28, duration 12h, cost 40 USD }

  step intake: agent planner { attempts 2, prompt "Classify it.", on passed -> explore, on blocked -> failed }
  step explore: agent planner { attempts 3, prompt "Find the cause.", on passed -> write, on blocked -> failed }
  step write: agent planner {
    attempts 3, prompt "Write a test that fails."
    on passed -> review, on failed -> write max 2, on blocked -> failed
  }
  step review: panel {
    attempts 3, prompt "Is it the reported fault?"
    assign 2..3 of [critic_1, critic_2, critic_3] { parallel 3, attempts 2, distinct provider }
    join settled pass 2
    on passed -> plan, on invalid -> write max 3, on quorum_not_met -> failed, on blocked -> failed
  }
  step plan: agent planner { attempts 3, prompt "Plan the change.", on passed -> critics, on blocked -> failed }
  step critics: panel {
    attempts 3, prompt "Is the plan right?"
    assign 2..3 of [critic_1, critic_2, critic_3] { parallel 3, attempts 2, distinct provider }
    join settled pass 2
    on passed -> final, on invalid -> plan max 3, on quorum_not_met -> failed, on blocked -> failed
  }
  step final: agent planner {
    attempts 2, prompt "Fix the plan."
    on passed -> approval, on invalid -> plan max 2, on blocked -> failed
  }
  step approval: approval {
    attempts 8, by alice, timeout 4h
    on passed -> implement, on rejected -> plan max 3, on expired -> cancelled
  }
  step implement: agent planner { attempts 4, prompt "Do it.", on passed -> verify, on blocked -> failed }
  step verify: exec test {
    attempts 4, exit 3 -> broken, exit 4 -> invalid
    on passed -> delivery, on broken -> implement max 4, on invalid -> plan max 2
  }
  step delivery: exec push { attempts 2, on passed -> watch }
  step watch: wait signal ci { attempts 6, timeout 4h, on passed -> ready, on expired -> implement max 4 }
  step ready: agent planner { attempts 2, prompt "Sum up.", on passed -> completed, on blocked -> failed }

  require approval before implement
  require delivery at most 2
  require implement reaches completed only through verify
  never write after delivery
}
"""
FIX_REGISTRY = """
tool model { argv ["model"], effect read_only }
tool test  { argv ["test"], effect read_only }
tool push  { argv ["push"], effect external_idempotent }
agent planner  { tool model, provider "one" }
agent critic_1 { tool model, provider "one" }
agent critic_2 { tool model, provider "two" }
agent critic_3 { tool model, provider "three" }
"""


@pytest.fixture(scope="session")
def fix_plan(plan_of: PlanOf) -> Plan:
    """The plan of a workflow as large as real ones are."""
    return plan_of(FIX, FIX_REGISTRY)
