"""The frozen plan: what a run may do, all of it, as the JSON that is hashed.

These types describe that JSON and add nothing to it; `schemas/plan.schema.json` is made from them.
A `Bound` says where its number comes from, so that a reader can tell a choice from a default.
"""

import sys
from typing import Literal, NotRequired, TypeAlias, final

from akm_specs.canonical import Json, JsonObject

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:  # pydantic makes a schema only of a TypedDict that remembers where each member was declared
    from typing_extensions import TypedDict

SCHEMA = "akm.plan.v1"

#: The terminals a transition can select. No step may take one of these names.
Terminal: TypeAlias = Literal["completed", "failed", "cancelled"]
TERMINALS: tuple[Terminal, ...] = ("completed", "failed", "cancelled")

EffectClass: TypeAlias = Literal[
    "read_only",
    "workspace_mutation",
    "external_idempotent",
    "receipt_queryable",
    "unknown",
    "external_non_idempotent",
]
Origin: TypeAlias = Literal["declared", "defaulted"]
RetryReason: TypeAlias = Literal["failed", "timeout", "spawn_failed"]
EvidenceKind: TypeAlias = Literal["receipt", "result", "artifact"]


class Bound(TypedDict):
    """A limit. Its unit stands in the name of the member that holds it; none means a count."""

    value: int
    origin: Origin


class Reference(TypedDict):
    """`params.NAME…` or `STEP.output…`; `path` holds field names and list indexes."""

    root: Literal["params", "output"]
    name: str
    path: list[str | int]


@final
class LiteralValue(TypedDict):
    literal: Json


@final
class ReferenceValue(TypedDict):
    reference: Reference


@final
class ObjectValue(TypedDict):
    members: "dict[str, Value]"


@final
class ListValue(TypedDict):
    items: "list[Value]"


Value: TypeAlias = LiteralValue | ReferenceValue | ObjectValue | ListValue


class Parameter(TypedDict):
    name: str
    type: JsonObject  # a JSON Schema
    default: NotRequired[Json]  # absent: the parameter is required


class Limits(TypedDict):
    """Budgets of the whole run, over all its resumes. `units` counts assignments.

    Tokens and cost are known only where an agent reports them; without a declared ceiling none is enforced.
    """

    transitions: Bound
    duration_ms: Bound
    units: Bound
    cost_microdollars: NotRequired[Bound]
    tokens: NotRequired[Bound]


class Script(TypedDict):
    """A file named in an argv by a path relative to the registry, pinned by its content."""

    path: str
    sha256: str


class Tool(TypedDict):
    argv: list[str]
    effect: EffectClass
    timeout_ms: Bound
    output_bytes_max: Bound
    receipt: list[str] | None  # argv of the receipt query
    env: list[str]  # names only
    directory: str  # relative to the run's workspace
    scripts: list[Script]


class Agent(TypedDict):
    tool: str
    model: str | None
    provider: str | None


class Transition(TypedDict):
    """Where an outcome leads. `maximum` is how often a run may take this edge; None: no bound of its own."""

    target: str
    maximum: Bound | None
    back: bool
    origin: Origin


class Dispatch(TypedDict):
    """Bounds of each assignment of a step.

    `attempts` counts physical attempts by policy: 1 plus the declared retries. `recoveries` counts the
    further attempts that replace one whose outcome was lost, which only safely repeatable effects get.
    """

    attempts: Bound
    retry_on: list[RetryReason]
    recoveries: Bound


class StepCommon(TypedDict):
    name: str
    attempts: Bound
    transitions: dict[str, Transition]


class WorkStep(StepCommon):
    """What every step with a process has. `output` is a JSON Schema."""

    tool: str
    timeout_ms: Bound
    dispatch: Dispatch
    output: JsonObject | None
    evidence: dict[str, EvidenceKind]


class ExecStep(WorkStep):
    kind: Literal["exec"]
    input: Value | None
    exits: dict[str, str]  # exit code -> outcome


class ToolGateStep(WorkStep):
    kind: Literal["gate"]
    check: Literal["tool"]
    input: Value | None
    expect: Literal["pass", "fail"]


class ArtifactsGateStep(StepCommon):
    kind: Literal["gate"]
    check: Literal["artifacts_exist"]
    paths: list[str]
    expect: Literal["pass", "fail"]


class SchemaGateStep(StepCommon):
    kind: Literal["gate"]
    check: Literal["schema"]
    value: Value
    type: JsonObject
    expect: Literal["pass", "fail"]


class AgentStep(WorkStep):
    kind: Literal["agent"]
    agent: str
    prompt: str
    reads: list[Reference]


class ApprovalStep(StepCommon):
    kind: Literal["approval"]
    by: list[str]  # the people who may decide; groups are resolved when frozen
    reads: list[Reference]  # what is shown, and what the decision is bound to
    timeout_ms: Bound


class SignalStep(StepCommon):
    kind: Literal["wait"]
    wait: Literal["signal"]
    signal: str
    output: JsonObject | None  # the type of the signal's data
    timeout_ms: Bound


class SpanStep(StepCommon):
    kind: Literal["wait"]
    wait: Literal["span"]
    span_ms: int


class RouteStep(StepCommon):
    """Each outcome but `otherwise` is the text of one value of `value`."""

    kind: Literal["route"]
    value: Reference


ProcessStep: TypeAlias = ExecStep | ToolGateStep | AgentStep
GateStep: TypeAlias = ToolGateStep | ArtifactsGateStep | SchemaGateStep
Step: TypeAlias = (
    ExecStep
    | ToolGateStep
    | ArtifactsGateStep
    | SchemaGateStep
    | AgentStep
    | ApprovalStep
    | SignalStep
    | SpanStep
    | RouteStep
)


class Plan(TypedDict):
    schema: str
    workflow: str
    title: str
    lifecycles: str  # hash of all lifecycle tables
    parameters: list[Parameter]
    limits: Limits
    tools: dict[str, Tool]
    agents: dict[str, Agent]
    steps: list[Step]
