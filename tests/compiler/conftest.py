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
