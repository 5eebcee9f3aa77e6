"""The document: what every front end lowers to, before any default is filled in.

One model for all source formats. Its JSON Schema is published (`akmc schema`); a member that the author
left out is absent here, and only `bounds.py` may give it a value.
"""

from typing import Annotated, Literal, TypeAlias

from akm_specs.canonical import Json
from akm_specs.node import Matching, Node, Sized, Within
from akm_specs.plan import Distinction, EvidenceKind, Isolation, JoinStrategy, Reducer, RetryReason
from akm_specs.reader import Place as Place

SCHEMA = "akm.document.v1"

#: Longest name, in characters: ids become file names, and stay readable in one line of a log.
NAME_LENGTH_MAX = 64
#: Highest count that any bound may state, by what it bounds. A larger one is a slip, not a choice.
STEPS_MAX = 256
TRANSITIONS_MAX = 1_000
ATTEMPTS_MAX = 100
EDGE_MAX = 100
RETRIES_MAX = 100
DURATION_MS_MAX = 366 * 24 * 60 * 60 * 1000
TEXT_LENGTH_MAX = 65_536
ASSIGNMENTS_MAX = 100
PARALLEL_MAX = 64
ITEMS_MAX = 10_000
LOOPS_MAX = 100
REMEDIATIONS_MAX = 10

NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*$"
Name: TypeAlias = Annotated[str, Matching(NAME_PATTERN), Sized(most=NAME_LENGTH_MAX)]
Text: TypeAlias = Annotated[str, Sized(most=TEXT_LENGTH_MAX)]
SecretName: TypeAlias = Annotated[str, Matching(r"^[A-Za-z0-9][A-Za-z0-9._/-]*$"), Sized(most=NAME_LENGTH_MAX)]
Duration: TypeAlias = Annotated[int, Within(1, DURATION_MS_MAX)]
Count: TypeAlias = Annotated[int, Within(1, ASSIGNMENTS_MAX)]
JsonSchema: TypeAlias = dict[str, Json]


class Reference(Node):
    """`params.NAME…`, `STEP.output…`, or an item of a map: then `name` is what the map calls it."""

    root: Literal["params", "output", "item"]
    name: Name
    path: tuple[str | int, ...] = ()


class LiteralValue(Node):
    literal: Json


class ReferenceValue(Node):
    reference: Reference


class ObjectValue(Node):
    members: dict[str, "Value"]


class ListValue(Node):
    items: tuple["Value", ...]


Value: TypeAlias = LiteralValue | ReferenceValue | ObjectValue | ListValue


class Parameter(Node):
    name: Name
    type: JsonSchema
    default: Json = None
    has_default: bool = False


class Limits(Node):
    transitions: Annotated[int, Within(1, TRANSITIONS_MAX)] | None = None
    duration_ms: Annotated[int, Within(0, DURATION_MS_MAX)] | None = None
    agent_time_ms: Duration | None = None
    units: Annotated[int, Within(1, 100_000)] | None = None
    tokens: Annotated[int, Within(1)] | None = None
    cost_microdollars: Annotated[int, Within(1)] | None = None


class Transition(Node):
    outcome: Name
    target: Name
    maximum: Annotated[int, Within(1, EDGE_MAX)] | None = None


class Branch(Node):
    """A route's branch: the value that selects it, or None for `otherwise`."""

    when: str | int | bool | None
    target: Name
    maximum: Annotated[int, Within(1, EDGE_MAX)] | None = None


class Retry(Node):
    count: Annotated[int, Within(1, RETRIES_MAX)]
    on: Annotated[tuple[RetryReason, ...], Sized(1)]


class Exit(Node):
    code: Annotated[int, Within(1, 255)]
    outcome: Name


class Evidence(Node):
    name: Name
    kind: EvidenceKind
    minimum: Count | None = None
    eligible: tuple[Name, ...] = ()
    producers: Count | None = None
    degraded: Count | None = None
    reusable: bool = False
    pin: bool = False


class Scope(Node):
    """What an agent may touch: in a registry its ceiling, in a step what it gets of that."""

    read: tuple[Name, ...] = ()
    write: tuple[Name, ...] = ()
    preset: Name | None = None
    allow: tuple[Name, ...] = ()
    deny: tuple[Name, ...] = ()
    secrets: tuple[SecretName, ...] = ()


class StepGate(Node):
    """The judgement that a step's artifact must pass. Without `judge`, the registry's default judges."""

    judge: Name | None = None
    rubric: Text | None = None
    max_loops: Annotated[int, Within(1, LOOPS_MAX)] | None = None


class Skip(Node):
    """Passes the step by where `value` equals `equals`."""

    value: Reference
    equals: Json


class StepBase(Node):
    name: Name
    attempts: Annotated[int, Within(1, ATTEMPTS_MAX)] | None = None
    timeout_ms: Duration | None = None
    on: tuple[Transition, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    requires: tuple[Name, ...] = ()
    gate: StepGate | None = None
    skip: Skip | None = None


class WorkStep(StepBase):
    retry: Retry | None = None
    recoveries: Annotated[int, Within(0, RETRIES_MAX)] | None = None
    output: JsonSchema | None = None
    isolation: Isolation | None = None
    scope: Scope | None = None


class ExecStep(WorkStep):
    kind: Literal["exec"]
    tool: Name
    input: Value | None = None
    exits: tuple[Exit, ...] = ()


class GateStep(WorkStep):
    """Exactly one of `tool`, `artifacts` and `value` (with `type`) is there; `rules/` says so with a span."""

    kind: Literal["gate"]
    tool: Name | None = None
    artifacts: tuple[Text, ...] = ()
    value: Value | None = None
    type: JsonSchema | None = None
    input: Value | None = None
    expect: Literal["pass", "fail"] | None = None


class AgentStep(WorkStep):
    kind: Literal["agent"]
    agent: Name
    prompt: Text | None = None
    reads: tuple[Reference, ...] = ()


class Assign(Node):
    """The bounds of a panel and its pool. `attempts` counts physical attempts of one assignment."""

    minimum: Count
    target: Count | None = None
    maximum: Count | None = None
    parallel: Annotated[int, Within(1, PARALLEL_MAX)] | None = None
    attempts: Annotated[int, Within(1, RETRIES_MAX + 1)] | None = None
    agents: Annotated[tuple[Name, ...], Sized(1)]
    distinct: tuple[Distinction, ...] = ()


class Join(Node):
    strategy: JoinStrategy
    passed: Count | None = None
    remaining: Literal["cancel", "drain"] | None = None


class PanelStep(WorkStep):
    kind: Literal["panel"]
    assign: Assign | None = None
    join: Join | None = None
    speculative: bool = False
    prompt: Text | None = None
    reads: tuple[Reference, ...] = ()


class MapStep(WorkStep):
    """Exactly one of `tool` and `agent` is there; `rules/` says so with a span."""

    kind: Literal["map"]
    item: Name
    over: Reference
    tool: Name | None = None
    agent: Name | None = None
    prompt: Text | None = None
    reads: tuple[Reference, ...] = ()
    input: Value | None = None
    items: Annotated[int, Within(1, ITEMS_MAX)] | None = None
    parallel: Annotated[int, Within(1, PARALLEL_MAX)] | None = None
    tolerate: Annotated[int, Within(0, ITEMS_MAX)] | None = None
    reducer: Reducer | None = None


class JudgeStep(WorkStep):
    kind: Literal["judge"]
    agent: Name
    of: Reference | None = None
    rubric: Text | None = None


class ApprovalStep(StepBase):
    kind: Literal["approval"]
    by: tuple[Name, ...] = ()
    reads: tuple[Reference, ...] = ()


class WaitStep(StepBase):
    """Exactly one of `signal` and `span_ms` is there; the grammar has no other form."""

    kind: Literal["wait"]
    signal: Name | None = None
    span_ms: Duration | None = None
    output: JsonSchema | None = None


class RouteStep(StepBase):
    kind: Literal["route"]
    value: Reference
    branches: tuple[Branch, ...] = ()


class ChildStep(StepBase):
    """`path` is the child's source, relative to the file that names it."""

    kind: Literal["workflow"]
    path: Annotated[Text, Sized(1)]
    input: ObjectValue | None = None
    output: JsonSchema | None = None


class DeliverStep(StepBase):
    """`input` gives the exact commit by repository."""

    kind: Literal["deliver"]
    repositories: Annotated[tuple[Name, ...], Sized(1)]
    input: ObjectValue | None = None
    retry: Retry | None = None
    remediations: Annotated[int, Within(0, REMEDIATIONS_MAX)] | None = None


AssignedStep: TypeAlias = ExecStep | GateStep | AgentStep | PanelStep | MapStep | JudgeStep
Step: TypeAlias = AssignedStep | ApprovalStep | WaitStep | RouteStep | ChildStep | DeliverStep


class Before(Node):
    """Whenever `step` is entered, the last attempt of `first` has passed."""

    kind: Literal["before"]
    first: Name
    step: Name


class AtMost(Node):
    kind: Literal["at_most"]
    step: Name
    count: Annotated[int, Within(1, ATTEMPTS_MAX)]


class OnlyThrough(Node):
    """After `step`, `completed` is reached only by way of `through`."""

    kind: Literal["only_through"]
    step: Name
    through: Name


class NeverAfter(Node):
    kind: Literal["never_after"]
    step: Name
    after: Name


Property: TypeAlias = Before | AtMost | OnlyThrough | NeverAfter


class Workflow(Node):
    schema: Literal["akm.document.v1"]
    name: Name
    title: Text
    params: tuple[Parameter, ...] = ()
    limits: Limits = Limits()
    steps: Annotated[tuple[Step, ...], Sized(1, STEPS_MAX)]
    properties: tuple[Property, ...] = ()
