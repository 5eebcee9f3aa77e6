"""What rules, bounds and freezing look at: one workflow beside its registry, with names resolved once."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from akmc.children import Child
from akmc.document import AgentStep, ExecStep, GateStep, JudgeStep, MapStep, PanelStep, Parameter, Step, Workflow
from akmc.flow import Flow, flow_of
from akmc.registry import Agent, Group, Registry, Repository, Tool
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
    repositories: Mapping[str, Repository]
    scripts: Scripts
    children: Mapping[str, Child]

    def tools_of(self, step: Step) -> tuple[Tool, ...]:
        """The tools whose processes do the work of `step`, in the order of its agents; unknown ones left out."""
        match step:
            case ExecStep() | GateStep() | MapStep(agent=None):
                names = [] if step.tool is None else [step.tool]
            case _:
                names = [self.agents[name].tool for name in agents_of(step) if name in self.agents]
        return tuple(self.tools[name] for name in names if name in self.tools)

    def judge_of(self, step: Step) -> str | None:
        """The agent that judges the artifact of `step`: the one that its gate names, else the registry's."""
        if step.gate is None:
            return None
        return step.gate.judge or self.registry.defaults.judge

    def tool_of_agent(self, name: str) -> Tool | None:
        """The tool of the agent `name`, if both are known."""
        agent = self.agents.get(name)
        return None if agent is None else self.tools.get(agent.tool)


def view_of(
    workflow: Workflow,
    registry: Registry,
    scripts: Scripts,
    children: Mapping[str, Child],
    registry_sought: str | None = None,
) -> View:
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
        repositories=_by_name(registry.repositories),
        scripts=scripts,
        children=children,
    )


def agents_of(step: Step) -> tuple[str, ...]:
    """The agents that `step` names for its work, its judge left out."""
    match step:
        case AgentStep() | JudgeStep():
            return (step.agent,)
        case PanelStep():
            return () if step.assign is None else step.assign.agents
        case MapStep(agent=str(name)):
            return (name,)
        case _:
            return ()


def has_process(step: Step) -> bool:
    """Whether the work of `step` is done by processes of tools: assignments of its own."""
    named = isinstance(step, ExecStep | AgentStep | PanelStep | MapStep | JudgeStep)
    return named or (isinstance(step, GateStep) and step.tool is not None)


def _by_name(things: Iterable[N]) -> dict[str, N]:
    found: dict[str, N] = {}
    for thing in things:
        found.setdefault(thing.name, thing)
    return found
