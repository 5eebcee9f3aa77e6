"""The document: what every front end lowers to, before any default is filled in.

One model for all source formats. Its JSON Schema is published (`akmc schema`); a member that the author
left out is absent here, and only `bounds.py` may give it a value.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from akm_specs.canonical import Json
from akm_specs.plan import EffectClass, EvidenceKind, RetryReason

SCHEMA = "akm.document.v1"

#: Way from a document's root to one of its members, as pydantic writes it: `("steps", 0, "attempts")`.
Place: TypeAlias = tuple[str | int, ...]

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

NAME_PATTERN = r"^[A-Za-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*$"
Name: TypeAlias = Annotated[str, Field(pattern=NAME_PATTERN, max_length=NAME_LENGTH_MAX)]
Text: TypeAlias = Annotated[str, Field(max_length=TEXT_LENGTH_MAX)]
Duration: TypeAlias = Annotated[int, Field(ge=1, le=DURATION_MS_MAX)]
JsonSchema: TypeAlias = dict[str, Json]


class Node(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Reference(Node):
    root: Literal["params", "output"]
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
    transitions: Annotated[int, Field(ge=1, le=TRANSITIONS_MAX)] | None = None
    duration_ms: Duration | None = None
    units: Annotated[int, Field(ge=1, le=100_000)] | None = None
    tokens: Annotated[int, Field(ge=1)] | None = None
    cost_microdollars: Annotated[int, Field(ge=1)] | None = None


class Transition(Node):
    outcome: Name
    target: Name
    maximum: Annotated[int, Field(ge=1, le=EDGE_MAX)] | None = None


class Branch(Node):
    """A route's branch: the value that selects it, or None for `otherwise`."""

    when: str | int | bool | None
    target: Name
    maximum: Annotated[int, Field(ge=1, le=EDGE_MAX)] | None = None


class Retry(Node):
    count: Annotated[int, Field(ge=1, le=RETRIES_MAX)]
    on: tuple[RetryReason, ...] = Field(min_length=1)


class Exit(Node):
    code: Annotated[int, Field(ge=1, le=255)]
    outcome: Name


class Evidence(Node):
    name: Name
    kind: EvidenceKind


class StepBase(Node):
    name: Name
    attempts: Annotated[int, Field(ge=1, le=ATTEMPTS_MAX)] | None = None
    timeout_ms: Duration | None = None
    on: tuple[Transition, ...] = ()


class WorkStep(StepBase):
    retry: Retry | None = None
    recoveries: Annotated[int, Field(ge=0, le=RETRIES_MAX)] | None = None
    output: JsonSchema | None = None
    evidence: tuple[Evidence, ...] = ()


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


Step: TypeAlias = Annotated[
    ExecStep | GateStep | AgentStep | ApprovalStep | WaitStep | RouteStep, Field(discriminator="kind")
]


class Workflow(Node):
    schema_: Annotated[Literal["akm.document.v1"], Field(alias="schema")]
    name: Name
    title: Text
    params: tuple[Parameter, ...] = ()
    limits: Limits = Limits()
    steps: Annotated[tuple[Step, ...], Field(min_length=1, max_length=STEPS_MAX)]


class Tool(Node):
    name: Name
    argv: Annotated[tuple[Annotated[Text, Field(min_length=1)], ...], Field(min_length=1)]
    effect: EffectClass | None = None
    timeout_ms: Duration | None = None
    output_bytes_max: Annotated[int, Field(ge=1, le=1024**3)] | None = None
    receipt: Annotated[tuple[Text, ...], Field(min_length=1)] | None = None
    env: tuple[str, ...] = ()
    directory: Text | None = None


class Agent(Node):
    name: Name
    tool: Name
    model: Text | None = None
    provider: Text | None = None


class Group(Node):
    """People who may decide where a workflow says `by GROUP`."""

    name: Name
    members: Annotated[tuple[Name, ...], Field(min_length=1)]


class Registry(Node):
    tools: tuple[Tool, ...] = ()
    agents: tuple[Agent, ...] = ()
    groups: tuple[Group, ...] = ()
