"""The steps of a plan, a type for each kind, and what they have in common."""

from typing import Literal, NotRequired, TypeAlias, TypedDict

from akm_specs.canonical import Json, JsonObject
from akm_specs.plan.entries import Scope
from akm_specs.plan.terms import (
    Bound,
    Distinction,
    EvidenceKind,
    Isolation,
    JoinStrategy,
    Origin,
    Reducer,
    Reference,
    RetryReason,
    Value,
)


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


class Producers(TypedDict):
    """Who must have produced an evidence: at least `minimum` of the `eligible` agents, each with `passed`.

    Where some of the work was refused by its producer, `degraded` of them are enough.
    """

    eligible: list[str]
    minimum: int
    degraded: int


class Evidence(TypedDict):
    """What a step must leave behind in order to pass. Written members are there only when declared."""

    kind: EvidenceKind
    minimum: Bound
    producers: NotRequired[Producers]
    reusable: NotRequired[Literal[True]]  # an earlier step attempt's may serve
    pin: NotRequired[Literal[True]]  # its content is fixed for the steps that require the pin


class StepGate(TypedDict):
    """The judgement that a step's artifact must pass. `max_loops` counts how often the step may be judged."""

    judge: str
    tool: str
    rubric: str
    timeout_ms: Bound
    dispatch: Dispatch
    max_loops: Bound


class Skip(TypedDict):
    """The step is passed by, with outcome `skipped`, where `value` equals `equals`."""

    value: Reference
    equals: Json


class StepCommon(TypedDict):
    """What every step has. `evidence` is by name, `requires` names pins; both, and `gate`, `skip`, are there
    only when declared."""

    name: str
    attempts: Bound
    transitions: dict[str, Transition]
    evidence: NotRequired[dict[str, Evidence]]
    requires: NotRequired[list[str]]
    gate: NotRequired[StepGate]
    skip: NotRequired[Skip]


class AssignedStep(StepCommon):
    """What every step has whose work is assignments. `output` is the JSON Schema of one assignment's output."""

    dispatch: Dispatch
    output: JsonObject | None
    isolation: Isolation
    scope: Scope | None  # None: the agent's own


class WorkStep(AssignedStep):
    """A step all of whose assignments start the same tool."""

    tool: str
    timeout_ms: Bound


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


class Seat(TypedDict):
    """One possible assignment of a panel: which agent does it, by which tool."""

    agent: str
    tool: str
    timeout_ms: Bound


class Join(TypedDict):
    """How the assignments of a panel become one outcome. `passed` is what `settled` and `quorum` need.

    `remaining`: what `quorum` and `first` do with the work that is not needed any more.
    """

    strategy: JoinStrategy
    origin: Origin
    passed: int | None
    remaining: Literal["cancel", "drain"]


class PanelStep(AssignedStep):
    """Several agents on one question.

    The first `target` of the `seats` are assigned at once; each further one stands in for an assignment
    that its producer refused, up to `maximum`. Fewer than `minimum` that were done: `quorum_not_met`.
    """

    kind: Literal["panel"]
    seats: list[Seat]  # as many as `maximum`, in order
    minimum: Bound
    target: Bound
    maximum: Bound
    parallel: Bound
    distinct: list[Distinction]
    join: Join
    prompt: str
    reads: list[Reference]


class MapStep(WorkStep):
    """One assignment for each item of the list `over`, all of the same tool or agent.

    `tolerate` is how many may fail: `collect` leaves null in their places.
    """

    kind: Literal["map"]
    item: str  # the name by which values refer to the item
    over: Reference
    agent: str | None
    prompt: str | None
    reads: list[Reference]
    input: Value | None
    items: Bound
    parallel: Bound
    tolerate: Bound
    reducer: Reducer


class JudgeStep(WorkStep):
    """An agent that judges `of` against a rubric. Its output is a verdict."""

    kind: Literal["judge"]
    agent: str
    of: Reference
    rubric: str


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


class ChildStep(StepCommon):
    """Another plan, run as a child of this run. `input` gives its parameters by name.

    `output` is the type of an object with some outputs of the child, by the names of the child's steps.
    """

    kind: Literal["workflow"]
    plan: str  # a key of the plan's `children`
    input: dict[str, Value]
    output: JsonObject | None


class DeliverStep(StepCommon):
    """Commits pushed to a branch of their own in several repositories, each with its own receipt.

    `commits` gives the exact commit by repository; of one that is left out, the checked-out commit counts.
    `remediations` is how often those that failed are tried again while others are delivered.
    """

    kind: Literal["deliver"]
    repositories: list[str]
    commits: dict[str, Value]
    timeout_ms: Bound  # of each push and each query
    dispatch: Dispatch
    remediations: Bound


ToolStep: TypeAlias = ExecStep | ToolGateStep | AgentStep | MapStep | JudgeStep
ProcessStep: TypeAlias = ToolStep | PanelStep
GateStep: TypeAlias = ToolGateStep | ArtifactsGateStep | SchemaGateStep
Step: TypeAlias = (
    ExecStep
    | ToolGateStep
    | ArtifactsGateStep
    | SchemaGateStep
    | AgentStep
    | PanelStep
    | MapStep
    | JudgeStep
    | ApprovalStep
    | SignalStep
    | SpanStep
    | RouteStep
    | ChildStep
    | DeliverStep
)


#: What the reply of a judge must be. Only `complete: true` passes.
VERDICT: JsonObject = {
    "type": "object",
    "properties": {
        "complete": {"type": "boolean"},
        "feedback": {"type": "string"},
        "missing": {"type": "array", "items": {"type": "string"}, "maxItems": 100},
    },
    "required": ["complete"],
    "additionalProperties": False,
}
