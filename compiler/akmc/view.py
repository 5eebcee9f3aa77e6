"""What rules, bounds and freezing look at: one workflow beside its registry, with names resolved once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from akmc.document import (
    Agent,
    AgentStep,
    ExecStep,
    GateStep,
    Group,
    Parameter,
    Registry,
    Step,
    Tool,
    Workflow,
)
from akmc.flow import Flow, flow_of
from akmc.scripts import Scripts


class _Named(Protocol):
    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=_Named)


@dataclass(frozen=True, slots=True)
class View:
    """A workflow and a registry that have the right shape. Of two things with one name the first is meant.

    `registry_sought` is where a registry was looked for and not found; None when there is one.
    """

    workflow: Workflow
    registry: Registry
    registry_sought: str | None
    flow: Flow
    steps: Mapping[str, Step]
    params: Mapping[str, Parameter]
    tools: Mapping[str, Tool]
    agents: Mapping[str, Agent]
    groups: Mapping[str, Group]
    scripts: Scripts

    def tool_of(self, step: Step) -> Tool | None:
        """The tool whose process does the work of `step`; None without a process or without that tool."""
        match step:
            case ExecStep() | GateStep():
                return self.tools.get(step.tool) if step.tool is not None else None
            case AgentStep():
                agent = self.agents.get(step.agent)
                return self.tools.get(agent.tool) if agent is not None else None
            case _:
                return None


def view_of(workflow: Workflow, registry: Registry, scripts: Scripts, registry_sought: str | None = None) -> View:
    """`workflow` beside `registry`, or beside an empty one when none was found at `registry_sought`."""
    return View(
        workflow=workflow,
        registry=registry,
        registry_sought=registry_sought,
        flow=flow_of(workflow),
        steps=_by_name(workflow.steps),
        params=_by_name(workflow.params),
        tools=_by_name(registry.tools),
        agents=_by_name(registry.agents),
        groups=_by_name(registry.groups),
        scripts=scripts,
    )


def has_process(step: Step) -> bool:
    """Whether `step` starts a process: exec, agent, and a gate that asks a tool."""
    return isinstance(step, ExecStep | AgentStep) or (isinstance(step, GateStep) and step.tool is not None)


def _by_name(things: Iterable[N]) -> dict[str, N]:
    found: dict[str, N] = {}
    for thing in things:
        found.setdefault(thing.name, thing)
    return found
