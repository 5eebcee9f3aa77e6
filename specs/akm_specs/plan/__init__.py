"""The frozen plan: what a run may do, all of it, as the JSON that is hashed.

These types describe that JSON and add nothing to it; `schemas/plan.schema.json` is made from them.
A `Bound` says where its number comes from, so that a reader can tell a choice from a default.
"""

from typing import NotRequired, TypedDict

from akm_specs.canonical import Json, JsonObject
from akm_specs.plan.entries import (
    Agent,
    Repository,
    Scope,
    Script,
    Tool,
)
from akm_specs.plan.properties import (
    AtMost,
    Before,
    NeverAfter,
    OnlyThrough,
    Property,
)
from akm_specs.plan.steps import (
    VERDICT,
    AgentStep,
    ApprovalStep,
    ArtifactsGateStep,
    AssignedStep,
    ChildStep,
    DeliverStep,
    Dispatch,
    Evidence,
    ExecStep,
    GateStep,
    Join,
    JudgeStep,
    MapStep,
    PanelStep,
    ProcessStep,
    Producers,
    RouteStep,
    SchemaGateStep,
    Seat,
    SignalStep,
    Skip,
    SpanStep,
    Step,
    StepCommon,
    StepGate,
    ToolGateStep,
    ToolStep,
    Transition,
    WorkStep,
)
from akm_specs.plan.terms import (
    TERMINALS,
    WITHOUT_OUTPUT,
    Access,
    Bound,
    Distinction,
    EffectClass,
    EvidenceKind,
    Isolation,
    JoinStrategy,
    ListValue,
    LiteralValue,
    ObjectValue,
    Origin,
    Reducer,
    Reference,
    ReferenceValue,
    RetryReason,
    Terminal,
    Value,
)
from akm_specs.plan.worst import Worst

__all__ = [
    "PLAN_BYTES_MAX",
    "SCHEMA",
    "TERMINALS",
    "VERDICT",
    "WITHOUT_OUTPUT",
    "Access",
    "Agent",
    "AgentStep",
    "ApprovalStep",
    "ArtifactsGateStep",
    "AssignedStep",
    "AtMost",
    "Before",
    "Bound",
    "ChildStep",
    "DeliverStep",
    "Dispatch",
    "Distinction",
    "EffectClass",
    "Evidence",
    "EvidenceKind",
    "ExecStep",
    "GateStep",
    "Isolation",
    "Join",
    "JoinStrategy",
    "JudgeStep",
    "Limits",
    "ListValue",
    "LiteralValue",
    "MapStep",
    "NeverAfter",
    "ObjectValue",
    "OnlyThrough",
    "Origin",
    "PanelStep",
    "Parameter",
    "Plan",
    "PlanBody",
    "ProcessStep",
    "Producers",
    "Property",
    "Reducer",
    "Reference",
    "ReferenceValue",
    "Repository",
    "RetryReason",
    "RouteStep",
    "SchemaGateStep",
    "Scope",
    "Script",
    "Seat",
    "SignalStep",
    "Skip",
    "SpanStep",
    "Step",
    "StepCommon",
    "StepGate",
    "Terminal",
    "Tool",
    "ToolGateStep",
    "ToolStep",
    "Transition",
    "Value",
    "WorkStep",
    "Worst",
]

SCHEMA = "akm.plan.v1"

#: Largest plan, in bytes of its file, children included. A source makes a far smaller one.
PLAN_BYTES_MAX = 16 * 1024 * 1024


class Parameter(TypedDict):
    name: str
    type: JsonObject  # a JSON Schema
    default: NotRequired[Json]  # absent: the parameter is required


class Limits(TypedDict):
    """Budgets of the whole run, over all its resumes. `units` counts assignments, `agent_time_ms` sums what
    the processes of agents take.

    Tokens and cost are known only where an agent reports them; without a declared ceiling none is enforced.
    """

    transitions: Bound
    duration_ms: Bound
    units: Bound
    agent_time_ms: NotRequired[Bound]
    cost_microdollars: NotRequired[Bound]
    tokens: NotRequired[Bound]


class PlanBody(TypedDict):
    """What a plan says, without what is proved of it.

    `children` holds, by their hashes, the plans of all workflows nested in this one, each without its own
    `children`: see `akm_specs.nesting`.
    """

    schema: str
    workflow: str
    title: str
    lifecycles: str  # hash of all lifecycle tables
    parameters: list[Parameter]
    limits: Limits
    tools: dict[str, Tool]
    agents: dict[str, Agent]
    repositories: NotRequired[dict[str, Repository]]
    steps: list[Step]
    properties: NotRequired[list[Property]]
    children: NotRequired[dict[str, "Plan"]]


class Plan(PlanBody):
    """`worst` is what no run exceeds; the executor stops one that would."""

    worst: Worst
